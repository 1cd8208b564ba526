"""Schemas of the results of searches, batches, reviews and tournaments.

The module `simulation_results` has the schemas of simulations.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.reasons import CONFIDENCES
from service.contract.json_schemas import AnyMove
from service.jobs.review import VERDICTS
from service.snapshots.records import Seat
from service.wire.simulation_results import (
    FORFEITS_META,
    Count,
    ForfeitCount,
    GameCount,
    Interval,
    Lengths,
    Rate,
    SeatTally,
    SimulationResult,
)

ReviewVerdict = Annotated[str, Meta(extra_json_schema={"enum": list(VERDICTS)})]


ACCURACY_TEXT: Final = "Mean accuracy of the decisions: 1 - regret / `thresholds.blunder`, at least 0."


ConfidenceCode = Annotated[str, Meta(extra_json_schema={"enum": list(CONFIDENCES)})]


class Confidence(msgspec.Struct, frozen=True):
    """Certainty that a move is better or worse than the best other move.

    The difference is the distance between the values of the two moves. The margin is the half-width of the 95 %
    interval of the difference. The first matching code in this list applies:

    - `only`: there is no other move
    - `close`: both the difference and the margin are small
    - `clear_better` or `clear_worse`: the difference is above the margin
    - `likely_better` or `likely_worse`: the difference is above half the margin
    - `open`: the difference is at most half the margin
    """

    code: ConfidenceCode
    text: str


class ReasonGain(msgspec.Struct, frozen=True):
    """A feature of the game that explains a part of the difference between a move and the best other move.

    `value` is the part of the difference in winning chances that the feature explains. `share` is `value` divided by
    the whole difference. `better` is true if, in this feature, the move is better for the seats in `seats`. `amount` is
    the mean of the feature for these seats after the move, minus its mean after the best other move. The search
    computes both means from many continuations of the game.
    """

    code: str
    seats: list[Seat]
    better: bool
    value: float
    share: float
    text: str
    amount: float | UnsetType = UNSET


class ReasonRisk(msgspec.Struct, frozen=True):
    """A hidden fact that lowers the move's value.

    `value` is the move's value if the fact holds, and `otherwise` is the move's value if it does not hold. `margin` is
    the half-width of the 95 % interval of the difference of these two values.
    """

    code: str
    params: Annotated[dict[str, str], Meta(description="Parts of the fact by name, such as `seat`, as text.")]
    chance: Rate
    value: Rate
    otherwise: Rate
    margin: Annotated[float, Meta(ge=0)]
    text: str


class ReasonReply(msgspec.Struct, frozen=True):
    """A move in the continuation that the search visited most often.

    The continuation begins with the explained move, which has the `frequency` 1. At each later point, the search tried
    several moves. `frequency` is the number of visits to this move, divided by the number of visits to all moves at
    the same point. Moves of other seats are guesses, because the search only samples the hidden information.
    """

    seat: Seat
    code: int
    move: AnyMove
    label: str
    frequency: Rate


class Reasons(msgspec.Struct, frozen=True):
    """Reasons for the value of a move. The move is compared with the best other move.

    `against` is the code of the best other move. `difference` is the value of the move minus the value of the best
    other move. Each item in `gains` is a feature of the game that explains a part of `difference`. The `value` of the
    item is this part. `gains` contains enough items to explain at least 60 % of `difference`. If five items do not
    suffice, `gains` is empty. `gains` is also empty if `difference` is very small, or if one of the two moves has few
    visits.
    """

    confidence: Confidence
    gains: list[ReasonGain]
    risks: list[ReasonRisk]
    line: list[ReasonReply]
    against: int | UnsetType = UNSET
    difference: float | UnsetType = UNSET


class AnalysedMove(msgspec.Struct, frozen=True):
    """A legal move and the value that the search estimates for the seat.

    `value` is the mean reward of the samples that begin with this move: 1 for a win, 0 for a loss. `interval` is a
    forecast. With 95 % confidence, it contains the value that a search with a hundred times as many iterations would
    return. As long as the value is stable, more visits make the interval narrower. If more visits change the value, the
    interval becomes wider. The interval does not cover errors of the bots' evaluation. So it does not predict the
    results of real games.
    """

    code: int
    move: AnyMove
    label: str
    visits: Count
    value: Rate
    interval: Interval
    share: Annotated[float, Meta(ge=0, le=1, description="Share of all visits that began with this move.")]
    reasons: Reasons | UnsetType = UNSET


class Guessed(msgspec.Struct, frozen=True):
    """A hypothesis about a hidden item. In Barbarossa, it consists of a riddle's number and a term."""

    about: Count
    guess: str
    chance: Rate


class SearchResult(msgspec.Struct, frozen=True, tag_field="kind", tag="search"):
    """The result of a search: legal moves of a seat, with their values.

    The search visits promising moves more often than other moves. The move with the most visits is the first in the
    list. Two searches with the same seed and the same number of iterations give the same result.
    """

    seat: Seat
    seed: str
    iterations: Annotated[
        int,
        Meta(
            ge=0, description=("Iterations of the search. As a budget with the same seed they reproduce this result.")
        ),
    ]
    worlds: Annotated[int, Meta(ge=0, description="Number of sampled deals of the information hidden from the seat.")]
    legal_moves: Count
    moves: list[AnalysedMove]
    hunches: Annotated[
        list[Guessed],
        Meta(description="Likely values of hidden items, likeliest first. Not available in every game."),
    ] = []
    compared: Annotated[AnalysedMove, Meta(description="The move of `compare`, searched alone.")] | UnsetType = UNSET


Points = Annotated[float, Meta(description="Points on the Elo scale: a difference of 400 means ten wins per loss.")]


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """Rating of an entrant in Elo points, with its 95 % confidence interval.

    A bound of the interval is null if no result limits the rating on this side. For example, the upper bound is null if
    the entrant has won all its games.

    A block consists of all games with the same deal and the same entrants. `variance_ratio` is the quotient of two
    estimates of the rating's variance. The first estimate takes into account that the games of a block have the same
    deal. The second estimate assumes that all games are independent. If `variance_ratio` is above 1, the interval is
    widened accordingly. A value below 1 does not make the interval narrower. `variance_ratio` is null while there are
    few blocks. It is also null if the rating is fixed at 0, for example for an anchor.
    """

    elo: Points
    interval: Annotated[list[Points | None], Meta(min_length=2, max_length=2)]
    variance_ratio: Annotated[float, Meta(ge=0)] | None


class Encounter(GameCount, frozen=True, kw_only=True):
    """Games in which an entrant met another one, and the score that the ratings predict."""

    name: str
    expected_score: Rate | None


class EntrantCount(GameCount, frozen=True, kw_only=True):
    """An entrant of a tournament: its place, its rating and its games.

    Entrants are in the order of the request. A side of a game is one seat or one team of seats. If an entrant plays
    several sides of a game, the game counts once for each of these sides. In `by_seat`, all seats of a team have the
    same counts, because they win together.
    """

    name: str
    bot: str
    place: Annotated[int, Meta(ge=1, description="Rank by rating. Equal ratings share a rank.")]
    rating: Rating
    by_seat: list[SeatTally]
    against: list[Encounter]
    forfeits: Annotated[list[ForfeitCount], FORFEITS_META] | UnsetType = UNSET


class TournamentResult(msgspec.Struct, frozen=True, tag_field="kind", tag="tournament"):
    """Results and ratings of the entrants. The same seed gives the same result.

    `zero` contains the names of one or more entrants. The mean of the ratings of these entrants is 0. If the request
    names an anchor, `zero` contains only the anchor. Otherwise, `zero` contains the largest linked group of entrants.
    In a linked group, a chain of wins leads from each entrant to every other entrant. For example, A has won against B,
    and B has won against C. This chain of wins leads from A to C.
    """

    seed: str
    games: Count
    rounds: Annotated[int, Meta(ge=0, description="Number of complete rounds.")]
    zero: list[str]
    entrants: list[EntrantCount]
    by_seat: list[SeatTally]
    plies: Lengths


class BatchResult(msgspec.Struct, frozen=True, tag_field="kind", tag="search_batch"):
    """The size of a search batch. The operation `results` returns the searched positions."""

    positions: Count
    refused: Count
    iterations: Annotated[int, Meta(ge=0)]


class ReviewedMove(msgspec.Struct, frozen=True, kw_only=True):
    """A move and its value for the seat.

    Usually, this value comes from a separate search, in which the seat always begins with this move. `interval` has the
    same meaning as in `AnalysedMove`.
    """

    code: int
    move: AnyMove
    label: str
    visits: Count
    value: Annotated[float, Meta(ge=0, le=1, description="Mean reward: 1 for a win, 0 for a loss.")]
    interval: Interval


class ReviewedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, rated from the information that its seat had.

    `played` is the move that the player made. `best` is the best move that the review found. `best` may be the same
    move as `played`. `regret` is the value of `best` minus the value of `played`. `interval` is the 95 % confidence
    interval of `regret`.

    The review compares `played` with the best other move. If the other move has the higher value, `best` is the other
    move. Otherwise, `best` is `played`, and `regret` is 0. Usually, the review searches both moves with the same number
    of iterations and the same seed.
    """

    line: Annotated[
        int, Meta(ge=0, description=("Line of the session's history that contains the move, counted from 0."))
    ]
    seat: Seat
    legal_moves: Count
    played: ReviewedMove
    best: ReviewedMove
    regret: Annotated[float, Meta(ge=0, le=1, description="Difference in winning chances.")]
    interval: Interval
    verdict: ReviewVerdict
    reasons: Annotated[Reasons, Meta(description="Reasons against a mistake or a blunder.")] | UnsetType = UNSET


class ReviewedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """Quality of a seat's decisions. The means are null if no decision is rated."""

    seat: Seat
    decisions: Annotated[int, Meta(ge=0, description="Number of rated decisions.")]
    forced: Annotated[int, Meta(ge=0, description="Number of decisions with one legal move, which are not rated.")]
    own_content: Annotated[
        int, Meta(ge=0, description="Number of moves with the player's own content, which are not rated.")
    ]
    accuracy: Annotated[Rate, Meta(description=ACCURACY_TEXT)] | None
    mean_regret: Annotated[Rate, Meta(description="Mean regret of the decisions.")] | None
    mistakes: Annotated[int, Meta(ge=0, description="Number of mistakes.")]
    blunders: Annotated[int, Meta(ge=0, description="Number of blunders.")]


class ReviewThresholds(msgspec.Struct, frozen=True, kw_only=True):
    """Thresholds for the verdict on a decision.

    The regret of a decision is the chance of winning that the decision lost. The verdict is a blunder if the regret is
    at least `blunder`. Otherwise, the verdict is a mistake if the regret is at least `mistake`.
    """

    mistake: Annotated[float, Meta(ge=0, le=1, description="Minimum regret of a mistake.")]
    blunder: Annotated[float, Meta(ge=0, le=1, description="Minimum regret of a blunder.")]


class ReviewResult(msgspec.Struct, frozen=True, tag_field="kind", tag="review"):
    """Ratings of the decisions of a finished session. The same seed and number of iterations give the same result."""

    session: str
    seed: str
    iterations: Annotated[int, Meta(ge=0, description="Search iterations per decision.")]
    thresholds: ReviewThresholds
    seats: Annotated[list[ReviewedSeat], Meta(description="Result of each seat, in order.")]
    decisions: Annotated[list[ReviewedDecision], Meta(description="Rated decisions, in order.")]


JobResult = SearchResult | BatchResult | ReviewResult | SimulationResult | TournamentResult
