"""The rules that every chart keeps, whatever it shows."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from service.jobs.charts.frame import HEAD, WIDTH, Chart

if TYPE_CHECKING:
    from service.jobs.charts.panel import Panel


def watched(monkeypatch: pytest.MonkeyPatch) -> list[Chart]:
    found, svg = list[Chart](), Chart.svg

    def kept(chart: Chart) -> str:
        found.append(chart)
        return svg(chart)

    monkeypatch.setattr(Chart, "svg", kept)
    return found


def shapes(panel: Panel) -> list[ET.Element]:
    return [ET.fromstring(part) for part in panel.parts]  # noqa: S314 -- our own


def check_within(drawn: list[Chart]) -> None:
    """Check that points, lines and boxes lie within their panels."""
    assert drawn
    for panel in (panel for chart in drawn for panel in chart.panels):
        for part in shapes(panel):
            across = [float(part.get(name, "nan")) for name in ("x1", "x2", "cx")]
            down = [float(part.get(name, "nan")) for name in ("y1", "y2", "cy")]
            if part.tag == "rect":
                x, y, width, height = (float(part.attrib[name]) for name in ("x", "y", "width", "height"))
                across, down = [x, x + width], [y, y + height]
            assert not [x for x in across if not panel.left - 0.2 <= x <= panel.right + 0.2 and x == x]  # noqa: PLR0124
            assert not [y for y in down if not panel.top - 0.2 <= y <= panel.bottom + 0.2 and y == y]  # noqa: PLR0124


def check_layout(drawn: list[Chart]) -> None:
    """Check that panels stand below one another and below the title, and that no two texts of one column overlap."""
    assert drawn
    for chart in drawn:
        assert all(upper.bottom < lower.top for upper, lower in pairwise(chart.panels))
        assert chart.panels[0].top >= HEAD
        assert all(0 < panel.left < panel.right < WIDTH for panel in chart.panels)
        columns: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for part in (part for panel in chart.panels for part in shapes(panel) if part.tag == "text"):
            place = (part.attrib["text-anchor"], part.attrib["x"])
            columns.setdefault(place, []).append((float(part.attrib["y"]), float(part.attrib["font-size"])))
        for texts in columns.values():
            for (upper, _), (lower, size) in pairwise(sorted(set(texts))):
                assert lower - upper >= size, "two texts overlap"


def painted(chart: Chart, name: str) -> set[Any]:
    return {part.get(name) for panel in chart.panels for part in shapes(panel)} - {None}
