"""Colours and style sheet of the picture; every class begins with hw, so pictures may share a page."""

from __future__ import annotations

from functools import cache
from typing import Final

from games.core.style import filled, themes
from games.core.svg import sheet

CAREERS: Final = {
    "family": "folk",
    "hauler": "work",
    "feller": "work",
    "foreman": "work",
    "master": "work",
    "clubber": "war",
    "spear_thrower": "war",
    "sergeant": "war",
    "general": "war",
    "widow": "rule",
    "witch_doctor": "rule",
}
"""Careers of gnomes, which their hats show."""

MARKED: Final = frozenset({"master", "general", "witch_doctor", "widow"})
"""The gnomes whose cards bear a mark, since special rules count them (HW-42 to HW-44, HW-55)."""

MARK: Final = "(!)"

PALETTES: Final = themes(
    ground=("#eef1e6", "#161b14"),
    panel=("#fbfcf7", "#20271c"),
    line=("#c9d0b8", "#3c4735"),
    ink=("#26301f", "#eef0e4"),
    soft=("#5b6551", "#a7b09a"),
    paper=("#fffdf6", "#2b3326"),
    back=("#6f8a58", "#4c6340"),
    weave=("#86a06d", "#5d7750"),
    mark=("#b3541e", "#f0a35e"),
    folk=("#b98a3c", "#d9ac5f"),
    work=("#3f7d4e", "#6cb57c"),
    war=("#b23a34", "#e57a70"),
    rule=("#6d4aa0", "#b49ae6"),
    square=("#dfe5cf", "#262e21"),
)


@cache
def style_sheet(theme: str) -> str:
    """Return the style of a theme; its rules reach only below a root of the class hw-<theme>."""
    rules = {
        "text": "fill:{ink}",
        ".hw-ground": "fill:{ground}",
        ".hw-square": "fill:{square};stroke:{line};stroke-width:2",
        ".hw-panel": "fill:{panel};stroke:{line};stroke-width:2",
        ".hw-turn": "fill:{panel};stroke:{mark};stroke-width:3",
        ".hw-card": "fill:{paper};stroke:{line};stroke-width:2",
        ".hw-back": "fill:{back};stroke:{line};stroke-width:2",
        ".hw-weave": "stroke:{weave};stroke-width:3;fill:none",
        ".hw-chip": "fill:{paper};stroke:{line};stroke-width:1.5",
        ".hw-hidden": "fill:{back};stroke:{line};stroke-width:1.5",
        ".hw-bribe": "fill:{paper};stroke:{mark};stroke-width:3",
        ".hw-courted": "fill:none;stroke:{mark};stroke-width:5",
        ".hw-pointer": "fill:{mark}",
        ".hw-die": "fill:#ffffff;stroke:{mark};stroke-width:3",
        ".hw-pip": "fill:#26301f",
        ".hw-way": "fill:none;stroke:{mark};stroke-width:4;stroke-linecap:round;stroke-linejoin:round",
        "text.hw-name": "font-family:Georgia,'Times New Roman',serif;font-weight:700",
        "text.hw-bold": "font-weight:700",
        "text.hw-mid": "text-anchor:middle",
        "text.hw-end": "text-anchor:end",
        "text.hw-soft": "fill:{soft}",
    }
    for career in ("folk", "work", "war", "rule"):
        rules[f".hw-{career}"] = f"color:{{{career}}}"
    return sheet(f"hw-{theme}", filled(rules, PALETTES[theme]))
