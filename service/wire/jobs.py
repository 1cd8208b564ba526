"""Jobs: what a search found, what games counted, the job itself, and serializers of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Game, Move
from games.core.levels import LEVELS, LEVELS_TOLD
from service.http.fields import Payload
from service.http.json_schemas import SCHEMAS, Answer, AnyMove, AnyProblem, Time
from service.http.problems import Problem
from service.jobs.players import RemoteBot
from service.jobs.review import VERDICTS
from service.jobs.store import JOB_STATES, Job
from service.jobs.submit import JOB_KINDS
from service.snapshots.records import Seat
from service.store.clock import rfc3339
from service.validation import structs
from service.validation.faults import Fault

Rate = Annotated[float, Meta(ge=0, le=1)]
JobKind = Annotated[str, Meta(extra_json_schema={"enum": list(dict.fromkeys(JOB_KINDS.values()))})]
JobState = Annotated[str, Meta(extra_json_schema={"enum": list(JOB_STATES)})]
ReviewVerdict = Annotated[str, Meta(extra_json_schema={"enum": list(VERDICTS)})]
BotLevel = Annotated[str, Meta(description=LEVELS_TOLD, extra_json_schema={"enum": list(LEVELS)})]
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


class JobProgress(msgspec.Struct, frozen=True):
    """How far a job is: iterations, milliseconds, positions, decisions or games, as it was asked for."""

    done: Count
    total: Count


JobResult = SearchResult | BatchResult | ReviewResult | SimulationResult | TournamentResult


class Cost(msgspec.Struct, frozen=True):
    """What a job costs at most, in playouts: iterations of a search, and games between bots that do not search.

    Time counts as the iterations it is usually enough for, a bot that searches by the decisions it usually has.
    """

    playouts: Annotated[int, Meta(ge=0)]


HalfWidth = Annotated[
    float,
    Meta(
        gt=0,
        lt=0.5,
        description=(
            "The search ends earlier once the interval of the first move listed reaches no farther than this from its "
            "value, which is looked for every hundred iterations."
        ),
    ),
]


class IterationBudget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So many iterations; with a seed the result can be repeated."""

    iterations: Annotated[int, Meta(ge=1)]
    half_width: HalfWidth | UnsetType = UNSET


class TimeBudget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So much time; the result tells the iterations that repeat it."""

    milliseconds: Annotated[int, Meta(ge=1)]
    half_width: HalfWidth | UnsetType = UNSET


def _read_budget(value: object) -> IterationBudget | TimeBudget:
    """Read a budget of either kind."""
    timed = type(value) is dict and "milliseconds" in value
    found: IterationBudget | TimeBudget = structs.read(value, TimeBudget if timed else IterationBudget)
    return found


BudgetField = partial(Payload, Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Budget"})], _read_budget)
"""How long a search may run: iterations or milliseconds."""


class BotByLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot as sessions name it."""

    level: BotLevel


def _read_bot(value: object) -> str | RemoteBot:
    """Read a level or a remote bot."""
    if type(value) is dict and "url" in value:
        remote: RemoteBot = structs.read(value, RemoteBot)
        return remote
    level: str = structs.read(value, BotByLevel).level
    if level not in LEVELS:
        raise structs.UnfitError(Fault("/level", "choice", {"choices": ", ".join(LEVELS)}))
    return level


BotField = partial(Payload, Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Bot"})], _read_bot)
"""Who plays a seat: a bot of a level, or a remote one; loads as the level's name or the bot."""


class JobListed(Answer, frozen=True, kw_only=True):
    """A job in a list, without what it found."""

    id: str
    kind: JobKind
    game: str
    state: JobState
    progress: JobProgress
    cost: Cost
    created_at: Time
    expires_at: Time


class JobList(Answer, frozen=True, kw_only=True):
    """Jobs of a key, the newest first."""

    jobs: list[JobListed]
    next: Annotated[str, Meta(description="Where more are, if there may be any.")] | UnsetType = UNSET


class JobShown(JobListed, frozen=True, kw_only=True):
    """A job; `result` once it succeeded, `problem` once it failed, `partial_result` as long as there is no result."""

    result: JobResult | UnsetType = UNSET
    partial_result: JobResult | UnsetType = UNSET
    problem: AnyProblem | UnsetType = UNSET


def serialize_listed_job(job: Job) -> JobListed:
    """Return a job as a list has it."""
    return JobListed(
        id=job.id,
        kind=JOB_KINDS[job.function],
        game=job.game,
        state=job.state,
        progress=JobProgress(job.done, job.total),
        cost=Cost(job.cost),
        created_at=rfc3339(job.made),
        expires_at=rfc3339(job.expires),
    )


def serialize_job(job: Job, game: Game, language: str, trace_id: str) -> JobShown:
    """Return a job as its owner sees it."""
    found = {"result": job.result, "partial_result": job.partial}
    results: dict[str, Any] = {
        name: serialize_result(result, game, language) for name, result in found.items() if result is not None
    }
    return JobShown(
        **msgspec.structs.asdict(serialize_listed_job(job)),
        **results,
        problem=UNSET if job.problem is None else problem_document(job.problem, language, trace_id),
    )


def problem_document(stored: dict[str, Any], language: str, trace_id: str) -> dict[str, Any]:
    """Return the document of a problem that a worker or an operation has stored."""
    errors = [Fault(**error) for error in stored.get("errors", ())]
    return Problem(stored["code"], errors=errors, **stored["params"]).document(language, trace_id)


def serialize_result(found: Mapping[str, Any], game: Game, language: str) -> JobResult:
    """Return a result with its moves' labels in the reader's language, in place of the view that was searched."""
    shown = dict(found)
    if "moves" in shown:
        shown["moves"] = _searched_moves(shown["moves"], game, language, shown.pop("view", None))
    if "decisions" in shown:
        shown["decisions"] = [_reviewed_decision(row, language) for row in shown["decisions"]]
    told: JobResult = msgspec.convert(shown, JobResult)
    return told


def _searched_moves(rows: list[dict[str, Any]], game: Game, language: str, seen: Any) -> list[dict[str, Any]]:
    """Return the moves of a search with their labels; `seen` is the view that was searched."""
    kinds = {str(kind.__struct_config__.tag): kind for kind in game.moves}
    view = None if seen is None else msgspec.convert(seen, game.view_type)

    def label(row: dict[str, Any]) -> str:
        move: Move = structs.read_tagged(row["move"], "kind", kinds)
        # a worker of an earlier version has not kept the view
        return msgspec.json.encode(move).decode() if view is None else game.label(move, language, view)

    return [{**row, "label": label(row)} for row in rows]


def _reviewed_decision(row: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a decision with its moves' labels, of which it has those of all languages, in one."""
    labelled = {name: {**row[name], "label": row[name]["labels"][language]} for name in ("played", "best")}
    return {**row, **labelled}
