"""The players of simulations and tournaments. They are built-in bots with a level, or remote bots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from games.core.game import Game
from games.core.levels import Level, level_of
from service.webhooks.target import MAX_URL_CHARACTERS

BOT_ANSWER_BYTES: Final = 65_536
"""Maximum size of a remote bot's response in bytes."""

MAX_IN_FLIGHT: Final = 16
MAX_DEADLINE_MS: Final = 10_000

PLAYOUTS_PER_ANSWER: Final = 100
"""Cost of one request to a remote bot, in playouts."""


class RemoteBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bot on a caller's server. It receives a signed POST for each decision.

    A late, malformed or illegal response loses the game.
    """

    url: Annotated[
        str, Meta(min_length=8, max_length=MAX_URL_CHARACTERS, description="An https address of a public host.")
    ]
    deadline_ms: Annotated[
        int, Meta(ge=10, le=MAX_DEADLINE_MS, description=("Time limit of a response, in milliseconds."))
    ] = 2_000
    in_flight: Annotated[int, Meta(ge=1, le=MAX_IN_FLIGHT)] = 4

    @property
    def name(self) -> str:
        """The name of the bot in results. It is the bot's URL up to the question mark."""
        return self.url.partition("?")[0]

    @property
    def iterations(self) -> int:
        """The cost of one decision. The unit is the playout (one simulated game).

        The cost is the same for all remote bots, because they run on other servers.
        """
        return PLAYOUTS_PER_ANSWER


Player = Level | RemoteBot


def player_of(game: Game, written: str | dict[str, Any], seats: int | None = None) -> Player:
    """Return a player from a job's payload. `written` is the name of a level, or a remote bot in JSON.

    In some games, the search settings of a level depend on the number of seats. If `seats` is None, use the game's
    default settings for the level.
    """
    return level_of(game, written, seats) if isinstance(written, str) else msgspec.convert(written, RemoteBot)


def remote_bots(players: Iterable[object]) -> list[int]:
    return [place for place, player in enumerate(players) if isinstance(player, RemoteBot)]
