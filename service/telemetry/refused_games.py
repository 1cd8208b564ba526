"""Log lines for games of packages that are not taken."""

from __future__ import annotations

import structlog

from games.core.registry import RefusedGame, found


def log_refused_games() -> None:
    """Write a line for each game that was not taken when packages were looked through."""
    for refused in found().refused:
        log_refused(refused)


def log_refused(refused: RefusedGame) -> None:
    """Write the line of a game that is not taken."""
    structlog.get_logger().error(
        "game-refused", package=refused.package, entry_point=refused.entry_point, reason=refused.reason
    )
