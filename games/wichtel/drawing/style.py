"""Colours and style sheet of the picture; every class begins with hw, so pictures may share a page."""

from __future__ import annotations

from functools import cache
from typing import Final

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
"""What a gnome does in life, which its hat shows."""

PALETTES: Final = {
    "light": {
        "ground": "#eef1e6",
        "panel": "#fbfcf7",
        "line": "#c9d0b8",
        "ink": "#26301f",
        "soft": "#66705b",
        "paper": "#fffdf6",
        "back": "#6f8a58",
        "weave": "#86a06d",
        "mark": "#b3541e",
        "folk": "#b98a3c",
        "work": "#3f7d4e",
        "war": "#b23a34",
        "rule": "#6d4aa0",
        "square": "#dfe5cf",
    },
    "dark": {
        "ground": "#161b14",
        "panel": "#20271c",
        "line": "#3c4735",
        "ink": "#eef0e4",
        "soft": "#a7b09a",
        "paper": "#2b3326",
        "back": "#4c6340",
        "weave": "#5d7750",
        "mark": "#f0a35e",
        "folk": "#d9ac5f",
        "work": "#6cb57c",
        "war": "#e57a70",
        "rule": "#b49ae6",
        "square": "#262e21",
    },
}


@cache
def style_sheet(theme: str) -> str:
    """Return the style of a theme; its rules reach only below a root of the class hw-<theme>."""
    palette = PALETTES[theme]
    rules = {
        "text": f"fill:{palette['ink']}",
        ".hw-ground": f"fill:{palette['ground']}",
        ".hw-square": f"fill:{palette['square']};stroke:{palette['line']};stroke-width:2",
        ".hw-panel": f"fill:{palette['panel']};stroke:{palette['line']};stroke-width:2",
        ".hw-turn": f"fill:{palette['panel']};stroke:{palette['mark']};stroke-width:3",
        ".hw-card": f"fill:{palette['paper']};stroke:{palette['line']};stroke-width:2",
        ".hw-back": f"fill:{palette['back']};stroke:{palette['line']};stroke-width:2",
        ".hw-weave": f"stroke:{palette['weave']};stroke-width:3;fill:none",
        ".hw-chip": f"fill:{palette['paper']};stroke:{palette['line']};stroke-width:1.5",
        ".hw-hidden": f"fill:{palette['back']};stroke:{palette['line']};stroke-width:1.5",
        ".hw-face": "fill:#f1d2b0;stroke:#8a6a4a;stroke-width:1.5",
        ".hw-beard": "fill:#f7f4ec;stroke:#b9b2a2;stroke-width:1.5",
        ".hw-eye": "fill:#2b2320",
        ".hw-die": f"fill:#ffffff;stroke:{palette['mark']};stroke-width:3",
        ".hw-pip": "fill:#26301f",
        ".hw-way": f"fill:none;stroke:{palette['mark']};stroke-width:4;stroke-linecap:round;stroke-linejoin:round",
        "text.hw-name": "font-family:Georgia,'Times New Roman',serif;font-weight:700",
        "text.hw-bold": "font-weight:700",
        "text.hw-mid": "text-anchor:middle",
        "text.hw-end": "text-anchor:end",
        "text.hw-soft": f"fill:{palette['soft']}",
        "text.hw-mark": f"fill:{palette['mark']}",
    }
    for career in ("folk", "work", "war", "rule"):
        rules[f".hw-{career}"] = f"fill:{palette[career]}"
    return sheet(f"hw-{theme}", rules)
