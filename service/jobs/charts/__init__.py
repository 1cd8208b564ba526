"""SVG charts of job results. Each kind of job has its own module, and all modules share `frame`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from games.core.game import Game
from service.jobs.charts.frame import Chart
from service.jobs.charts.regrets import RegretChart
from service.jobs.charts.strengths import StrengthChart
from service.jobs.charts.wins import WinChart

CHARTS: Final[dict[str, type[Chart]]] = {"simulation": WinChart, "tournament": StrengthChart, "review": RegretChart}


def drawn(counted: Mapping[str, Any], game: Game, language: str, theme: str) -> str:
    """Return an SVG chart of the result of a simulation, a tournament or a review."""
    return CHARTS[counted["kind"]](counted, game, language, theme).svg()
