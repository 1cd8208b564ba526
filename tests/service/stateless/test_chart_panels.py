"""Ticks are round, few and within the scale, and charts need no plotting library."""

import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise

import pytest

from service.jobs.charts.frame import THEMES
from service.jobs.charts.panel import ticks
from service.jobs.charts.strengths import FULL
from tests.draw_pictures import CHARTS, draw_charts


@pytest.mark.parametrize(
    ("low", "high", "most", "whole", "expected"),
    [
        (0, 1, 6, False, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.43, 0.57, 6, False, [0.45, 0.5, 0.55]),
        (-260, 440, 6, False, [-200, 0, 200, 400]),
        (0, 1.05, 3, True, [0, 1]),
        (0, 2.1, 3, True, [0, 1, 2]),
        (120, 720, 6, True, [200, 300, 400, 500, 600, 700]),
        (0, 1_050_000, 3, True, [0, 500_000, 1_000_000]),
    ],
)
def test_ticks_are_round_and_in_scale(low: float, high: float, most: int, whole: object, expected: list[float]) -> None:
    assert list(ticks(low, high, most, whole=bool(whole))) == pytest.approx(expected)


@pytest.mark.parametrize("exponent", range(-6, 7))
def test_no_scale_has_too_many_ticks_or_none(exponent: int) -> None:
    for factor in (1, 1.7, 3.1, 4.9, 9.99):
        low, high = -0.3 * factor * 10.0**exponent, factor * 10.0**exponent
        found = list(ticks(low, high, 6))
        assert 2 <= len(found) <= 7
        assert all(low <= value <= high for value in found)
        steps = [after - before for before, after in pairwise(found)]
        assert steps == pytest.approx([steps[0]] * len(steps))


def test_every_chart_has_each_element_in_its_place() -> None:
    pictures = dict(draw_charts())
    assert set(pictures) == set(CHARTS.glob("*.svg"))
    for file, svg in pictures.items():
        assert svg == file.read_text("utf-8"), f"{file}: look at what `dev.py run tests.draw_pictures` draws"


def channels(colour: str) -> list[int]:
    """Return red, green and blue of #rrggbb."""
    return list(bytes.fromhex(colour[1:]))


def luminance(colour: Sequence[float]) -> float:
    shares = [value / 255 for value in colour]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


@pytest.mark.parametrize("theme", THEMES)
def test_scores_stand_out_from_their_cells(theme: str) -> None:
    colours = THEMES[theme]
    ink, paper = channels(colours.ink), channels(colours.paper)
    for bot in colours.bots:
        cell = [FULL * own + (1 - FULL) * below for own, below in zip(channels(bot), paper, strict=True)]
        darker, lighter = sorted((luminance(ink), luminance(cell)))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5


@pytest.mark.thorough
def test_service_and_workers_import_no_library_of_numbers_or_plots() -> None:
    code = (
        "import sys, service.app, service.jobs.charts, workers.tasks, workers.simulate.tournament\n"
        "print(sorted({'matplotlib', 'numpy', 'PIL', 'fontTools'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
