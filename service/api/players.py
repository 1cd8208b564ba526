"""The players of jobs that play games: levels of ours, and callers' own bots at URLs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from flask import Response
from msgspec import Meta

from games.core.game import Game
from service.api.callers import caller, keyed, require_key
from service.auth.api_keys import JOBS, ApiKey
from service.http.blueprint import Blueprint, answer
from service.http.context import current_context
from service.http.fields import Body
from service.http.json_schemas import Answer
from service.http.problems import Problem, invalid_body
from service.jobs import queues
from service.jobs.players import Player, RemoteBot, player_of, remote_bots
from service.settings import Limits
from service.webhooks.target import target
from service.wire.jobs import BotField

REMOTE_FUNCTIONS = {
    queues.SIMULATION: queues.REMOTE_SIMULATION,
    queues.TOURNAMENT: queues.REMOTE_TOURNAMENT,
}
"""The task of a job in which remote bots play, by that of the same job without any."""

blp = Blueprint(
    "players",
    __name__,
    url_prefix="/v1/jobs",
    description="Credentials of remote bots in simulations and tournaments.",
)


class BotEntered(Body):
    """The bot that plays a seat."""

    bot = BotField(required=True)


class BotSecret(Answer, frozen=True, kw_only=True):
    """The secret by which requests to a key's bots are signed, as webhooks are."""

    secret: Annotated[str, Meta(description="`whsec_` and the base64 key of all signatures.")]


class Field:
    """The players of a job, as they were entered."""

    def __init__(self, game: Game, entered: Sequence[Mapping[str, Any]], pointer: str) -> None:
        """Take who was entered, as the list at a pointer; raise Problem for an address that nothing is sent to.

        A remote bot needs a key, whose owner answers for where requests go.
        """
        bots: list[str | RemoteBot] = [one["bot"] for one in entered]
        self.payload: list[Any] = msgspec.to_builtins(bots)
        self.players: list[Player] = [player_of(game, bot) for bot in self.payload]
        self._remote = remote_bots(self.players)
        if self._remote:
            require_key(JOBS)
        private = current_context().settings.webhooks_private
        for place in self._remote:
            bot = bots[place]
            if isinstance(bot, RemoteBot) and target(bot.url, private=private) is None:
                raise invalid_body(f"{pointer}/{place}/bot/url", "public-address")

    @property
    def most_games(self) -> int:
        """Return how many games such players may have."""
        limits = current_context().settings.limits
        return min(limits.simulation_games, limits.remote_games) if self._remote else limits.simulation_games

    @property
    def seconds(self) -> int:
        """Return how long a job of such players may be worked at."""
        limits = current_context().settings.limits
        return limits.remote_seconds if self._remote else limits.simulation_seconds

    def check_tally(self, games: int) -> None:
        """Raise Problem where so many games may not be counted without being kept, with these players or by this key.

        A key may have as many as it was given, and whoever has none as many as are kept of others.
        """
        if self._remote:
            raise invalid_body("/games_kept", "levels-only")
        limits = current_context().settings.limits
        if games > limits.tally_games:
            raise invalid_body("/games", "out-of-range", low=1, high=limits.tally_games)
        most = games_of_tally(caller().key, limits)
        if games > most:
            raise Problem("too-many-games", most=most)

    def tally_seconds(self, games: int) -> int:
        """Return how long so many games may be played of which none is kept: as long for each as any others."""
        limits = current_context().settings.limits
        return limits.simulation_seconds * max(games, limits.simulation_games) // max(1, limits.simulation_games)

    def function(self, function: str) -> str:
        """Return the task of a job that such players play."""
        return REMOTE_FUNCTIONS[function] if self._remote else function


def games_of_tally(key: ApiKey | None, limits: Limits) -> int:
    """Return how many games a caller may have in one job that keeps none of them."""
    given = min(limits.tally_games, key.games_per_job or 0) if key else 0
    return max(limits.simulation_games, given)


@blp.get("/bot-secret")
@keyed(JOBS, always=True)
@blp.response(200, BotSecret)
def get_bot_secret() -> Response:
    """Get the bot secret.

    Return the secret that signs requests to this key's remote bots. It never changes. A remote bot plays in simulations
    and tournaments of the key. For each decision it receives a POST with the seat's view (`data.view`) and its legal
    moves (`data.legal_moves`), signed as in Standard Webhooks. It responds with 200 and `{"code": n}` or `{"move":
    {...}}`.
    """
    require_key(JOBS)
    secret = current_context().webhook_secrets.of_bots(caller().owner)
    return answer(BotSecret(secret=secret), headers={"Cache-Control": "no-store"})
