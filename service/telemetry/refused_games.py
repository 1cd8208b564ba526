"""Logs the packages of games that the service cannot use."""

from __future__ import annotations

import structlog

from games.core.registry import RefusedGame, found


def log_refused_games() -> None:
    """Log each installed game that the service has rejected."""
    for refused in found().refused:
        log_refused(refused)


def log_refused(refused: RefusedGame) -> None:
    structlog.get_logger().error(
        "game-refused", package=refused.package, entry_point=refused.entry_point, reason=refused.reason
    )
