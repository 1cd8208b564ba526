"""Players of simulations and tournaments.

They are built-in bots, and remote bots that callers run at their own URLs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from games.core.game import Game
from service.api.callers import caller, keyed, require_key
from service.auth.api_keys import JOBS, ApiKey
from service.contract.json_schemas import Answer
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.fields import Body
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
"""Worker tasks for jobs with remote bots. The key is the task for the same kind of job without remote bots."""

blp = Blueprint(
    "players",
    __name__,
    url_prefix="/v1/jobs",
    description="Credentials of remote bots in simulations and tournaments.",
)


class BotEntered(Body):
    """A bot that takes part in a job."""

    bot = BotField(required=True)


class BotSecret(Answer, frozen=True, kw_only=True):
    """The secret that signs requests to the remote bots of an API key. Requests are signed like webhooks."""

    secret: Annotated[str, Meta(description="`whsec_` and the base64 key of all signatures.")]


class Field:
    """The validated players of a job."""

    def __init__(self, game: Game, entered: Sequence[Mapping[str, Any]], pointer: str) -> None:
        """Read the players in the list `entered`. `pointer` is the JSON pointer to that list in the request body.

        Raise Problem if a player is a remote bot and the request has no API key. Raise Problem if a bot's URL is not
        public.
        """
        bots: list[str | RemoteBot] = [one["bot"] for one in entered]
        self.payload: list[Any] = msgspec.to_builtins(bots)
        self.players: list[Player] = [player_of(game, bot) for bot in self.payload]
        self._remote = remote_bots(self.players)
        if self._remote:
            # The owner of the key is responsible for the requests to the bot.
            require_key(JOBS)
        private = current_context().settings.webhooks_private
        for place in self._remote:
            bot = bots[place]
            if isinstance(bot, RemoteBot) and target(bot.url, private=private) is None:
                raise invalid_body(f"{pointer}/{place}/bot/url", "public-address")

    @property
    def most_games(self) -> int:
        """Return the maximum number of games in a job with these players.

        A job with a remote bot can have a lower maximum than other jobs. If a job does not store its games, call
        `check_tally` instead.
        """
        limits = current_context().settings.limits
        return min(limits.simulation_games, limits.remote_games) if self._remote else limits.simulation_games

    @property
    def seconds(self) -> int:
        """Return the time limit in seconds of a job with these players."""
        limits = current_context().settings.limits
        return limits.remote_seconds if self._remote else limits.simulation_seconds

    def check_tally(self, games: int) -> None:
        """Check the players and the number of games of a job that does not store its games.

        Raise Problem if a player is a remote bot, or if `games` is too large.
        """
        if self._remote:
            raise invalid_body("/games_kept", "levels-only")
        limits = current_context().settings.limits
        if games > limits.tally_games:
            raise invalid_body("/games", "out-of-range", low=1, high=limits.tally_games)
        # An API key can raise the maximum. Otherwise, it is the same as for jobs that store their games.
        most = games_of_tally(caller().key, limits)
        if games > most:
            raise Problem("too-many-games", most=most)

    def tally_seconds(self, games: int) -> int:
        """Return the time limit in seconds of a job that plays `games` games and does not store them."""
        limits = current_context().settings.limits
        # The time per game is the same as in a job that stores its games. The limit is never shorter than that job's.
        return limits.simulation_seconds * max(games, limits.simulation_games) // max(1, limits.simulation_games)

    def function(self, function: str) -> str:
        """Return the name of the worker task for these players.

        Usually, this is `function`. If a player is a remote bot, return the name of the task's variant for remote bots.
        """
        return REMOTE_FUNCTIONS[function] if self._remote else function


def games_of_tally(key: ApiKey | None, limits: Limits) -> int:
    """Return the maximum number of games in a job that does not store its games.

    The API key of the caller can raise this maximum.
    """
    given = min(limits.tally_games, key.games_per_job or 0) if key else 0
    return max(limits.simulation_games, given)


@blp.get("/bot-secret")
@keyed(JOBS, always=True)
@blp.response(200, BotSecret)
def get_bot_secret() -> BotSecret:
    """Get the bot secret.

    Return the secret of the caller's API key. This secret signs the requests to the remote bots of the API key, and it
    never changes. The remote bots play in simulations and tournaments that were started with the API key. For each
    decision, a remote bot receives a POST with the seat's view (`data.view`) and its legal moves (`data.legal_moves`),
    signed as in Standard Webhooks. It responds with 200 and `{"code": n}` or `{"move": {...}}`.
    """
    require_key(JOBS)
    secret = current_context().webhook_secrets.of_bots(caller().owner)
    return BotSecret(secret=secret)
