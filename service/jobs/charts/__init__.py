"""Charts of job results: one module per kind, with a common frame."""

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
    """Return the result of games or of a review as SVG."""
    return CHARTS[counted["kind"]](counted, game, language, theme).svg()
