"""What every chart keeps to, whatever it shows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest


def watched(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the axes of all charts that are drawn from now on."""
    from service.jobs.charts.frame import Chart  # noqa: PLC0415 -- it loads the library for plots

    found, axes = list[Any](), Chart.axes

    def kept(*arguments: Any) -> Any:
        found.append(axes(*arguments))
        return found[-1]

    monkeypatch.setattr(Chart, "axes", kept)
    return found


def check_within(drawn: list[Any]) -> None:
    """Check that axes lie within their picture, and what is drawn in them within their ends."""
    assert drawn
    for axes in drawn:
        box, (left, right) = axes.get_position(), axes.get_xlim()
        assert 0 <= box.x0 < box.x1 <= 1
        assert 0 <= box.y0 < box.y1 <= 1
        assert all(left <= x <= right for line in axes.get_lines() for x in line.get_xdata())


def check_layout(drawn: list[Any]) -> None:
    """Check that in each picture parts stand below one another and below the title, and that their rows fill them."""
    for figure in {axes.figure for axes in drawn}:
        boxes = [axes.get_position() for axes in figure.axes]
        assert all(upper.y0 > lower.y1 for upper, lower in pairwise(boxes))
        title, below = (text.get_position()[1] for text in figure.texts)
        assert 1 > title > below > boxes[0].y1
        for axes in figure.axes:
            (bottom, top), rows = axes.get_ylim(), axes.get_yticks()
            if top < bottom:  # rows are counted from above
                most = max(after - before for before, after in pairwise(rows))
                assert 0 < rows[0] - top < most
                assert 0 < bottom - rows[-1] < most
