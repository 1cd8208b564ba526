"""Who plays in simulations and tournaments: a level of ours, or a caller's own bot at a URL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from games.core.game import Game
from games.core.levels import Level, level_of
from service.webhooks.target import LONGEST

BOT_ANSWER_BYTES: Final = 65_536
"""How long a bot's answer may be."""

MOST_IN_FLIGHT: Final = 16
MOST_DEADLINE_MS: Final = 10_000

PLAYOUTS_PER_ANSWER: Final = 100
"""What asking a URL for one move costs a worker, in playouts: about three milliseconds, measured with `random`."""


class RemoteBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bot of the caller's own: each decision is a signed POST to the URL, which answers with a move.

    No answer within the deadline, an illegal move or a malformed answer loses the game. At most `in_flight` games are
    played at a time, so at most so many requests are open. It needs an API key.
    """

    url: Annotated[str, Meta(min_length=8, max_length=LONGEST, description="An https address of a public host.")]
    deadline_ms: Annotated[
        int, Meta(ge=10, le=MOST_DEADLINE_MS, description=("Time limit of a response, in milliseconds."))
    ] = 2_000
    in_flight: Annotated[int, Meta(ge=1, le=MOST_IN_FLIGHT)] = 4

    @property
    def name(self) -> str:
        """Return what results call the bot: its address without the query."""
        return self.url.partition("?")[0]

    @property
    def iterations(self) -> int:
        """Return the cost of one decision, in playouts, as the iterations of a level are."""
        return PLAYOUTS_PER_ANSWER


Player = Level | RemoteBot


def player_of(game: Game, written: str | dict[str, Any], seats: int | None = None) -> Player:
    """Return who is meant by a payload's entry: the name of a level, or a remote bot as plain JSON.

    Without a number of seats the level is that of most, whose cost no other exceeds.
    """
    return level_of(game, written, seats) if isinstance(written, str) else msgspec.convert(written, RemoteBot)


def remote_bots(players: Iterable[object]) -> list[int]:
    """Return the places of the remote bots among players."""
    return [place for place, player in enumerate(players) if isinstance(player, RemoteBot)]
