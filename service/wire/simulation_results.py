"""Schemas of simulation results: games, and their counts by bot, seat and group."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.contract.json_schemas import AnyMove
from service.snapshots.records import Seat

Rate = Annotated[float, Meta(ge=0, le=1)]


Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]


Interval = Annotated[list[Rate], Meta(min_length=2, max_length=2)]


ForfeitCause = Annotated[str, Meta(extra_json_schema={"enum": ["timeout", "unreachable", "malformed", "illegal"]})]


FORFEITS_META: Final = Meta(description="Games that a remote bot forfeited, most frequent cause first.")


class PointsCount(msgspec.Struct, frozen=True):
    """Points of the games that were played to the end: mean and standard deviation."""

    mean: float
    deviation: Annotated[float, Meta(ge=0)]


class GameCount(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of games. `interval` is Wilson's 95 % interval of `win_rate`. A shared win adds a fraction to `score`."""

    games: Count
    wins: Count
    shared: Count
    win_rate: Rate
    interval: Interval
    score: Rate
    points: Annotated[PointsCount, Meta(description="Points, in games that have points.")] | UnsetType = UNSET


class SeatTally(GameCount, frozen=True, kw_only=True):
    """Counts of games for one seat."""

    seat: Seat


class ForfeitCount(msgspec.Struct, frozen=True, kw_only=True):
    """Games that a remote bot forfeited for one reason.

    Illegal moves are counted separately for each violated rule. `GET /v1/jobs/{id}/games` returns the details.
    """

    cause: ForfeitCause
    rule: str | UnsetType = UNSET
    games: Count
    first_game: Annotated[int, Meta(ge=0, description="Number of the first game in this count.")]


class BotCount(GameCount, frozen=True, kw_only=True):
    """Games of one bot, over all seats and for each seat.

    Bots are in the order of the request. In a full seat rotation, the bot plays the same deal once in every seat.
    `interval` is computed as if each game had its own deal.

    `variance_ratio` compares two estimates of the variance of the bot's score. The first estimate takes into account
    that all games of a seat rotation have the same deal. The second estimate assumes that each game has its own deal.
    `variance_ratio` is the first estimate divided by the second. If it is below 1, `interval` is wider than necessary.
    `variance_ratio` is null if the bots do not change seats. It is also null if fewer than two rotations are complete,
    or if all rewards are equal.
    """

    bot: Annotated[str, Meta(description="Level of the bot, or address of a remote bot without its query.")]
    variance_ratio: Annotated[float, Meta(ge=0)] | None
    by_seat: list[SeatTally]
    forfeits: Annotated[list[ForfeitCount], FORFEITS_META] | UnsetType = UNSET


class LengthBar(msgspec.Struct, frozen=True, kw_only=True):
    """Number of games that had at least `from` moves and at most `to` moves."""

    low: Annotated[int, Meta(ge=0)] = msgspec.field(name="from")
    high: Annotated[int, Meta(ge=0)] = msgspec.field(name="to")
    games: Count


class Lengths(msgspec.Struct, frozen=True, kw_only=True):
    """Distribution of the number of moves per game."""

    mean: Annotated[float, Meta(ge=0)]
    median: Count
    shortest: Count
    longest: Count
    histogram: list[LengthBar]


GroupKey = Annotated[
    dict[str, str],
    Meta(
        description="Fields of the outcome with their values as text, such as `0,2` for seats. Fields may be missing."
    ),
]


class OpeningMove(msgspec.Struct, frozen=True):
    """One of the first moves of a game.

    `code` identifies the move. `move` is the same move as an object. The result of the job contains `move`, but the
    response of `GET /v1/jobs/{id}/games` omits it. `move` is also missing if it would contain a text or a drawing by
    the player.
    """

    seat: Seat
    code: int
    move: AnyMove | UnsetType = UNSET


class GroupRow(msgspec.Struct, frozen=True, kw_only=True):
    """A group of games, with the number of its games.

    The request names fields of the outcome, or the length of the opening, or both. All games of a group agree in these
    fields, and begin with the same moves.
    """

    key: GroupKey
    opening: list[OpeningMove] | UnsetType = UNSET
    games: Count


class GroupsFound(msgspec.Struct, frozen=True, kw_only=True):
    """The largest groups of games, largest first.

    If there are at most 10,000 groups, all of them are in the result, and `share` is 1. If there are more groups, the
    result has only a sample of them. Then `share` is the fraction of all groups that is in the sample. The number of
    games of a group is always exact.
    """

    outcome: Annotated[list[str], Meta(description="The requested fields.")]
    opening: Annotated[int, Meta(ge=1, description="Number of first moves.")] | UnsetType = UNSET
    rows: list[GroupRow]
    other: Count
    share: Annotated[float, Meta(gt=0, le=1, description="Share of the groups that are counted.")]


class SimulationResult(msgspec.Struct, frozen=True, tag_field="kind", tag="simulation"):
    """Counts per bot and per seat. The same seed gives the same result."""

    seed: str
    games: Count
    bots: list[BotCount]
    by_seat: list[SeatTally]
    plies: Lengths
    groups: Annotated[GroupsFound, Meta(description="The games by `group_by`.")] | UnsetType = UNSET


class ForfeitShown(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why a remote bot forfeited a game."""

    seat: Seat
    cause: ForfeitCause
    rule: Annotated[str, Meta(description="Id of the rule that the bot's move violates.")] | UnsetType = UNSET
    detail: str | UnsetType = UNSET


class GameGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The group of a game."""

    key: GroupKey | UnsetType = UNSET
    opening: list[OpeningMove] | UnsetType = UNSET


class GameLine(msgspec.Struct, frozen=True, kw_only=True):
    """One game with its result.

    `bots` contains a number for each seat. This number is the index of the seat's bot or entrant in the request, from
    0. Games with the same `deal` start from the same random set-up. In all these games, a seat has the same random
    sequence for each kind of draw. For example, the seat throws the same sequence of dice.
    """

    game: Count
    deal: Count
    bots: list[Count]
    rewards: list[Rate]
    plies: Count
    forfeit: ForfeitShown | UnsetType = UNSET
    points: (
        Annotated[
            list[int], Meta(description=("Points of each seat, if the game has points and was played to the end."))
        ]
        | UnsetType
    ) = UNSET
    group: Annotated[GameGroup, Meta(description="Its group, if the job has `group_by`.")] | UnsetType = UNSET
