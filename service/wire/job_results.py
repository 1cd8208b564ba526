"""Schemas of job results: searches, batches, reviews, simulations and tournaments."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.http.json_schemas import AnyMove
from service.jobs.review import VERDICTS
from service.snapshots.records import Seat

Rate = Annotated[float, Meta(ge=0, le=1)]


ReviewVerdict = Annotated[str, Meta(extra_json_schema={"enum": list(VERDICTS)})]


Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]


Interval = Annotated[list[Rate], Meta(min_length=2, max_length=2)]


ACCURACY_TOLD: Final = (
    "The mean over its decisions of 1 without regret, 0 for a blunder, and evenly in between: 1 - regret / "
    "`thresholds.blunder`, at least 0."
)


class AnalysedMove(msgspec.Struct, frozen=True):
    """A legal move and what the search thinks of it, from the seat's side.

    `value` is the mean reward of the samples behind this move, 1 a win and 0 a loss. `interval` is meant to hold, in 95
    of 100 cases, the value that a search a hundred times as long would give this move: it covers the chance of what was
    sampled, and what the search has still to learn. It says nothing of how well bots play in truth, since it does not
    cover an evaluation that errs. It narrows with the visits, and widens where the search changes its mind.
    """

    code: int
    move: AnyMove
    label: str
    visits: Count
    value: Rate
    interval: Interval
    share: Annotated[float, Meta(ge=0, le=1, description="The part of all visits that went to this move.")]


class Guessed(msgspec.Struct, frozen=True):
    """What something hidden may be: in Barbarossa a riddle's number and a term."""

    about: Count
    guess: str
    chance: Rate


class SearchResult(msgspec.Struct, frozen=True, tag_field="kind", tag="search"):
    """The legal moves of a seat, the most visited first; the same seed and iterations find the same again."""

    seat: Seat
    seed: str
    iterations: Annotated[int, Meta(ge=0, description="As a budget, with the seed, it repeats this result.")]
    worlds: Annotated[int, Meta(ge=0, description="How many deals of what the seat cannot know were sampled.")]
    legal_moves: Count
    moves: list[AnalysedMove]
    hunches: Annotated[
        list[Guessed],
        Meta(description="What the seat may take hidden things for, the likeliest first; not in every game."),
    ] = []


ForfeitCause = Annotated[str, Meta(extra_json_schema={"enum": ["timeout", "unreachable", "malformed", "illegal"]})]


FORFEITS_TOLD: Final = Meta(description="Of a remote bot: what it has forfeited, the most frequent first.")


class PointsCount(msgspec.Struct, frozen=True):
    """The points of games that were played to the end: their mean, and their standard deviation."""

    mean: float
    deviation: Annotated[float, Meta(ge=0)]


class GameCount(msgspec.Struct, frozen=True, kw_only=True):
    """Games counted: undivided wins with Wilson's 95 % interval, and the score, which counts shared wins in parts."""

    games: Count
    wins: Count
    shared: Count
    win_rate: Rate
    interval: Interval
    score: Rate
    points: Annotated[PointsCount, Meta(description="In games that count points.")] | UnsetType = UNSET


class SeatTally(GameCount, frozen=True, kw_only=True):
    """The games in one seat."""

    seat: Seat


class ForfeitCount(msgspec.Struct, frozen=True, kw_only=True):
    """Games that a remote bot forfeited by one cause.

    `illegal` moves are counted by the rule that forbids them, where one does. The job's `games` tell the details.
    """

    cause: ForfeitCause
    rule: str | UnsetType = UNSET
    games: Count
    first_game: Annotated[int, Meta(ge=0, description="The number of the first such game.")]


class BotCount(GameCount, frozen=True, kw_only=True):
    """The games of one bot, in the order asked for; over all seats, and in each.

    `variance_ratio` compares the variance of the score, over whole turns of seats with one deal each, with that of as
    many games with a deal each: below 1 the intervals are wider than they need be. It is null where bots do not rotate.
    """

    bot: Annotated[str, Meta(description="The level, or a remote bot's address without the query.")]
    variance_ratio: Annotated[float, Meta(ge=0)] | None
    by_seat: list[SeatTally]
    forfeits: Annotated[list[ForfeitCount], FORFEITS_TOLD] | UnsetType = UNSET


class LengthBar(msgspec.Struct, frozen=True, kw_only=True):
    """How many games took from so many moves to so many."""

    low: Annotated[int, Meta(ge=0)] = msgspec.field(name="from")
    high: Annotated[int, Meta(ge=0)] = msgspec.field(name="to")
    games: Count


class Lengths(msgspec.Struct, frozen=True, kw_only=True):
    """How many moves the games took."""

    mean: Annotated[float, Meta(ge=0)]
    median: Count
    shortest: Count
    longest: Count
    histogram: list[LengthBar]


class SimulationResult(msgspec.Struct, frozen=True, tag_field="kind", tag="simulation"):
    """Games counted, per bot and per seat; the same seed counts the same again."""

    seed: str
    games: Count
    bots: list[BotCount]
    by_seat: list[SeatTally]
    plies: Lengths


Points = Annotated[float, Meta(description="Points on the Elo scale: 400 more are ten wins for one.")]


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """How strong an entrant is, compared with those at zero, and between which ends that lies with 95 %.

    An end is null where no result bounds it: who has won everything may be stronger than any number says.
    `variance_ratio` compares the variance of the rating, as blocks of games with one deal each tell it, with that of as
    many independent games that nobody shares: above 1 the interval is wider for it, below 1 it is wider than it need
    be. It is null as long as there are few blocks.
    """

    elo: Points
    interval: Annotated[list[Points | None], Meta(min_length=2, max_length=2)]
    variance_ratio: Annotated[float, Meta(ge=0)] | None


class Encounter(GameCount, frozen=True, kw_only=True):
    """An entrant's games in which another had a part, and what score the ratings expect there."""

    name: str
    expected_score: Rate | None


class EntrantCount(GameCount, frozen=True, kw_only=True):
    """An entrant of a tournament, in the order asked for: its place and rating, and its games over all seats.

    A game counts once for each side that the entrant played. The seats of a team have the same counts.
    """

    name: str
    bot: str
    place: Annotated[int, Meta(ge=1, description="By rating; equals have the same.")]
    rating: Rating
    by_seat: list[SeatTally]
    against: list[Encounter]
    forfeits: Annotated[list[ForfeitCount], FORFEITS_TOLD] | UnsetType = UNSET


class TournamentResult(msgspec.Struct, frozen=True, tag_field="kind", tag="tournament"):
    """Who is how strong; the same seed finds the same again.

    `zero` are the names of the entrants whose mean rating is 0: the anchor, or without one the largest group whose
    members have won from each other, directly or by way of others.
    """

    seed: str
    games: Count
    rounds: Annotated[int, Meta(ge=0, description="How many rounds are whole.")]
    zero: list[str]
    entrants: list[EntrantCount]
    by_seat: list[SeatTally]
    plies: Lengths


class ForfeitShown(msgspec.Struct, frozen=True, kw_only=True):
    """How a remote bot lost a game other than by playing."""

    seat: Seat
    cause: ForfeitCause
    rule: Annotated[str, Meta(description="The rule that forbids its move.")] | UnsetType = UNSET
    detail: str | UnsetType = UNSET


class GameLine(msgspec.Struct, frozen=True, kw_only=True):
    """One game: which bot or entrant sat in each seat (its place in the list asked for), and what came of it.

    Games of one deal began with the same deal, and have the same draws for the same purpose at the same seat.
    """

    game: Count
    deal: Count
    bots: list[Count]
    rewards: list[Rate]
    plies: Count
    forfeit: ForfeitShown | UnsetType = UNSET
    points: Annotated[list[int], Meta(description="Per seat, where the game scores and was ended.")] | UnsetType = UNSET


class BatchResult(msgspec.Struct, frozen=True, tag_field="kind", tag="search_batch"):
    """How many positions there were, at how many no search was possible, and all iterations; `results` has the rest."""

    positions: Count
    refused: Count
    iterations: Annotated[int, Meta(ge=0)]


class ReviewedMove(msgspec.Struct, frozen=True, kw_only=True):
    """A move and what it is worth to the seat, searched for itself; intervals mean what those of searches mean."""

    code: int
    move: AnyMove
    label: str
    visits: Count
    value: Annotated[float, Meta(ge=0, le=1, description="The mean reward behind it, 1 a win and 0 a loss.")]
    interval: Interval


class ReviewedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision rated from what its seat knew then.

    `played` is the move that was made. `best` is the best that was found, which may be that one. `regret` is how many
    shares of winning `best` is worth more; its interval is that of the difference to the best other move, which was
    searched as long and in the same worlds.
    """

    line: Annotated[int, Meta(ge=0, description="Which line of the session's history tells the move, from 0.")]
    seat: Seat
    legal_moves: Count
    played: ReviewedMove
    best: ReviewedMove
    regret: Annotated[float, Meta(ge=0, le=1, description="Shares of winning that were given away.")]
    interval: Interval
    verdict: ReviewVerdict


class ReviewedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """How well a seat decided. The means are null where none of its decisions is rated."""

    seat: Seat
    decisions: Annotated[int, Meta(ge=0, description="How many are rated.")]
    forced: Annotated[int, Meta(ge=0, description="Those with one legal move; they are not rated.")]
    own_content: Annotated[
        int, Meta(ge=0, description="Those whose move brought content of the player's own; they are not rated.")
    ]
    accuracy: Annotated[Rate, Meta(description=ACCURACY_TOLD)] | None
    mean_regret: Annotated[Rate, Meta(description="The mean regret of its decisions.")] | None
    mistakes: Annotated[int, Meta(ge=0, description="How many mistakes it made.")]
    blunders: Annotated[int, Meta(ge=0, description="How many blunders it made.")]


class ReviewThresholds(msgspec.Struct, frozen=True, kw_only=True):
    """How much regret makes a mistake, and how much a blunder; a blunder is no mistake besides."""

    mistake: Annotated[float, Meta(ge=0, le=1, description="From how much regret on a decision is a mistake.")]
    blunder: Annotated[float, Meta(ge=0, le=1, description="From how much on it is a blunder.")]


class ReviewResult(msgspec.Struct, frozen=True, tag_field="kind", tag="review"):
    """How well everybody decided at a session that is over; the same seed and iterations find the same again."""

    session: str
    seed: str
    iterations: Annotated[int, Meta(ge=0, description="What each decision was searched with.")]
    thresholds: ReviewThresholds
    seats: Annotated[list[ReviewedSeat], Meta(description="Each seat, in order.")]
    decisions: Annotated[list[ReviewedDecision], Meta(description="In the order in which they were made.")]


JobResult = SearchResult | BatchResult | ReviewResult | SimulationResult | TournamentResult
