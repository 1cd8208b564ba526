"""Tournaments. A tournament is a job in which all entrants play each other. Each rating has a confidence interval."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from flask import Response

from service.api.callers import keyed
from service.api.job_submission import JobQuery, documents_job, submit_job
from service.api.jobs import MAX_GAMES
from service.api.players import BotEntered, Field
from service.auth.api_keys import JOBS
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.fields import Body, DisplayName, Payload, Real, Rows, Whole, Within, Words
from service.http.problems import invalid_body
from service.jobs import queues
from service.jobs.cost import cost_of_tournament
from service.jobs.players import RemoteBot
from service.jobs.rounds import MAX_ENTRANTS, games_a_round, seats_a_round
from service.jobs.submit import Order
from service.snapshots import engine
from service.snapshots.records import MAX_SEATS
from service.snapshots.seeds import fresh_seed
from service.wire.fields import AnyOptions

ENTRANT_CHARACTERS: Final = 40

blp = Blueprint(
    "tournaments",
    __name__,
    url_prefix="/v1/jobs",
    description="Games in which all entrants meet each other from all seats, and the resulting ratings.",
)


class Entrant(BotEntered):
    """A bot in a tournament."""

    name = DisplayName(
        ENTRANT_CHARACTERS, description="Name of the entrant in the result; by default the bot's level or host."
    )


class Tournament(Body):
    """Fields that all tournament requests share."""

    game = Words(1, 64, required=True)
    seat_count = Whole(2, MAX_SEATS, required=True, description="Number of seats at the tables.")
    entrants = Rows(Within(Entrant()), 2, MAX_ENTRANTS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, description="Seed of the games. Equal seeds play equal games; random by default.")
    anchor = DisplayName(
        ENTRANT_CHARACTERS, description="The entrant whose rating is 0. By default the mean of all ratings is 0."
    )


class TournamentOfGames(Tournament):
    """A tournament with a maximum number of games. Only complete rounds are played."""

    games = Whole(1, MAX_GAMES, required=True)


class RatingRule(Body):
    """A stop condition. The job stops when the confidence intervals of all ratings are narrow enough.

    The half-width of an interval is half the distance between its two ends, in Elo points. An interval is narrow enough
    if its half-width is at most `half_width`. The job also stops when `max_games` games have been played.
    """

    half_width = Real(1, 1_000, required=True)
    max_games = Whole(1, MAX_GAMES, required=True)


class TournamentUntil(Tournament):
    """A tournament that runs until a stop condition is met."""

    until = Within(RatingRule(), required=True)


@blp.post("/tournaments")
@keyed(JOBS)
@blp.arguments(TournamentOfGames(), TournamentUntil(), query=JobQuery(), name="TournamentRequest")
@documents_job(blp)
def start_tournament(body: dict[str, Any], query: dict[str, Any]) -> Response:
    """Start a tournament.

    Create a job in which all entrants play against each other and get ratings. Usually, an entrant plays one side in a
    game: a seat, or all seats of a team. If there are fewer entrants than sides, some entrants play several sides. Each
    round contains one block of games for each possible combination of entrants. The entrants of a combination sit at
    one table. All games of a block have the same deal. After each game of a block, the entrants change sides. `games`
    or `max_games` is the maximum number of games in the tournament. Only complete rounds are played, so the tournament
    can have fewer games. The maximum must allow at least one round. In the Elo ratings, a difference of 400 points
    means ten wins per loss.
    """
    game = current_context().game_in_body(body["game"])
    field, until, seats = Field(game, body["entrants"], "/entrants"), body.get("until"), body["seat_count"]
    options = engine.read_options(game, engine.simulation_options(game, body.get("options", {})), seats)
    called = _names(body["entrants"])
    teams = game.teams(seats)
    a_round = games_a_round(len(called), len(teams))
    games = body["games"] if until is None else until["max_games"]
    if not a_round <= games <= field.most_games:
        pointer = "/games" if until is None else "/until/max_games"
        raise invalid_body(pointer, "out-of-range", low=a_round, high=field.most_games)
    rounds = games // a_round
    payload = {
        "game": game.slug,
        "seats": seats,
        "names": called,
        "bots": field.payload,
        "options": msgspec.to_builtins(options),
        "seed": body.get("seed") or fresh_seed(),
        "rounds": rounds,
        "anchor": _anchor(body, called),
        "half_width": 0.0 if until is None else until["half_width"],
        "seconds": field.seconds,
    }
    games = rounds * a_round
    cost = cost_of_tournament(field.players, games, rounds * seats_a_round(len(called), teams))
    order = Order(function=field.function(queues.TOURNAMENT), payload=payload, items=games, total=games, cost=cost)
    return submit_job(query, lambda: order)


def _names(entrants: list[dict[str, Any]]) -> list[str]:
    called = [str(entered.get("name") or _default_name(entered["bot"])) for entered in entrants]
    for place, name in enumerate(called):
        if name in called[:place]:
            raise invalid_body(f"/entrants/{place}/name", "repeated")
    return called


def _default_name(bot: str | RemoteBot) -> str:
    if isinstance(bot, str):
        return bot
    return bot.url.partition("://")[2].partition("/")[0][:ENTRANT_CHARACTERS] or bot.url[:ENTRANT_CHARACTERS]


def _anchor(body: dict[str, Any], called: list[str]) -> int | None:
    if "anchor" not in body:
        return None
    if body["anchor"] not in called:
        raise invalid_body("/anchor", "choice", choices=", ".join(called))
    return called.index(body["anchor"])
