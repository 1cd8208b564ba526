"""Repeats the recorded moves of a game. Stops before the first move that is not possible.

If random draws were recorded, they replace the draws from a seed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from games.core.bits import members_of
from games.core.checkpoint import checkpoint
from games.core.dice import Dice, FastDice, RecordingDice, ScriptedDice, UnfitOutcome
from games.core.evolution import Chain, UnreadableError
from games.core.game import Draw, Game, Move, Options, Step
from games.core.seeds import move_dice, set_up_dice
from games.core.table import Journal, Table
from service.snapshots.engine import validate_move
from service.snapshots.errors import SnapshotError
from service.snapshots.records import MoveCode, ReplayMove
from service.validation.faults import Fault


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A recorded move."""

    seat: int
    form: Move | MoveCode  # the move as an object or as its code
    outcomes: list[Draw] | None  # its random outcomes, None if they were not recorded


@dataclass(frozen=True, slots=True)
class Play:
    """A replayed move. It has the seat, the code, the table before the move, and the result."""

    seat: int
    code: int
    before: Table
    step: Step


@dataclass(frozen=True, slots=True)
class Replay:
    """The replayed part of a record.

    `misfit` is the error of the first impossible move. It is None if all moves are possible.
    """

    first: Table
    set_up: list[Draw]  # random draws of the set-up
    plays: list[Play]
    misfit: SnapshotError | None

    @property
    def last(self) -> Table:
        """The table after the last replayed move."""
        return self.plays[-1].step.table if self.plays else self.first

    @property
    def continuing_seed(self) -> str:
        """A seed for new moves after the replayed moves. The service uses it if the recorded game has no seed.

        If two replayed games have the same moves and draws, their seeds are equal.
        """
        said = [self.set_up, *([play.seat, play.code, play.step.outcomes] for play in self.plays)]
        return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:32]


def set_up_recorded(
    game: Game, seats: int, options: Options, seed: str | None, outcomes: list[Draw] | None
) -> tuple[Table, list[Draw]]:
    """Set up a table with the recorded random draws `outcomes`. If `outcomes` is None, `seed` determines the draws.

    Return the table and all random draws. Raise SnapshotError if a draw is impossible.
    """
    dice = set_up_dice(seed) if seed and outcomes is None else None
    script = _scripted_dice(game, outcomes, dice, "/draws")
    recorder = RecordingDice(script)
    try:
        table = game.new(seats, options, recorder)
    except UnfitOutcome:
        raise _unfit("/draws", missing=outcomes is None) from None
    if script.used < len(script.script):
        raise _unfit("/draws", missing=False)
    return table, game.name_outcomes(recorder.outcomes)


def replay_moves(
    game: Game, first: Table, set_up: list[Draw], seed: str | None, moves: list[RecordedMove], language: str
) -> Replay:
    """Make the recorded moves, starting at the table `first`. Stop before the first move that is not possible."""
    replay = Replay(first, set_up, [], None)
    for index, move in enumerate(moves):
        checkpoint()
        try:
            replay.plays.append(_play_move(game, replay.last, move, seed, f"/moves/{index}", language))
        except SnapshotError as problem:
            return Replay(first, set_up, replay.plays, problem)
    return replay


def migrate(chain: Chain, body: dict[str, Any]) -> dict[str, Any]:
    """Convert a record to the current ruleset.

    Raise SnapshotError if the record does not fit the ruleset that it names.
    """
    moves = [_modern_move(chain, move, f"/moves/{index}") for index, move in enumerate(body["moves"])]
    options = _modern(chain.options, body.get("options", {}), "/options")
    return {**body, "options": options, "draws": _outcomes(chain, body.get("draws"), "/draws"), "moves": moves}


def _modern_move(chain: Chain, move: ReplayMove, pointer: str) -> ReplayMove:
    face = move.move
    if type(face) is dict and type(face.get("code")) is int:
        face = {**face, "code": _modern(chain.code, face["code"], f"{pointer}/move/code")}
    else:
        face = _modern(chain.move, face, f"{pointer}/move")
    return ReplayMove(move.seat, face, _outcomes(chain, move.draws, f"{pointer}/draws"))


def _outcomes(chain: Chain, outcomes: list[Draw] | None, pointer: str) -> list[Draw] | None:
    if outcomes is None:
        return None
    return msgspec.convert(_modern(chain.outcomes, msgspec.to_builtins(outcomes), pointer), list[Draw])


def _modern(rewrite: Callable[[Any], Any], value: Any, pointer: str) -> Any:
    try:
        return rewrite(value)
    except UnreadableError:
        raise SnapshotError("invalid-body", Fault(pointer, "other-ruleset")) from None


def _play_move(game: Game, table: Table, move: RecordedMove, seed: str | None, pointer: str, language: str) -> Play:
    if move.seat >= table.seats:
        fault = Fault(f"{pointer}/seat", "out-of-range", {"low": 0, "high": table.seats - 1})
        raise SnapshotError("invalid-body", fault)
    code = validate_move(game, table, move.seat, move.form, language, f"{pointer}/move")
    spare = move_dice(seed, table.ply) if seed and move.outcomes is None else None
    step = scripted_step(game, table, (move.seat, code), move.outcomes, spare, f"{pointer}/draws")
    return Play(move.seat, code, table, step)


def scripted_step(
    game: Game, table: Table, made: tuple[int, int], outcomes: list[Draw] | None, spare: Dice | None, pointer: str
) -> Step:
    """Make a move with the recorded random draws `outcomes`. `made` contains the seat and the code of the move.

    If `outcomes` is None, use the dice `spare` instead. Raise SnapshotError if a recorded draw is impossible.
    """
    script = _scripted_dice(game, outcomes, spare, pointer)
    try:
        step = game.step(table, *made, script)
    except UnfitOutcome:
        raise _unfit(pointer, missing=outcomes is None) from None
    if script.used < len(script.script):
        raise _unfit(pointer, missing=False)
    return step


MAX_OUTCOMES: Final = 1_000
"""Maximum number of outcomes of a random draw that are listed by name. Some random draws have a billion outcomes."""


@dataclass(frozen=True, slots=True)
class PossibleDraw:
    """The next random draw of a move.

    The service draws one of several values. All values are equally likely. The field `of` is the number of values.
    Several values can lead to the same outcome. The dict `ways` maps each outcome to the number of values that lead to
    the outcome.
    """

    what: str  # its purpose
    of: int
    # Empty for more than `MAX_OUTCOMES` values. Then each number below `of` is a separate outcome.
    ways: Mapping[int | str, int]


def next_draw(
    game: Game, table: Table, made: tuple[int, int], outcomes: list[Draw], pointer: str = "/draws"
) -> PossibleDraw | None:
    """Return the next random draw of a move. `outcomes` are the move's draws so far.

    `made` contains the seat and the code of the move. Return None if the move needs no more draws. Raise SnapshotError
    if an outcome is impossible.
    """
    script = _scripted_dice(game, outcomes, FastDice(0), pointer)
    recorder = RecordingDice(script)
    try:
        after = table.clone()
        after.apply(*made, recorder, Journal())
    except UnfitOutcome:
        raise _unfit(pointer, missing=False) from None
    if script.used < len(script.script):
        raise _unfit(pointer, missing=False)
    if len(recorder.draws) == len(outcomes):
        return None
    what, limit, members, _ = recorder.draws[len(outcomes)]
    values = members_of(members) if members else range(limit)
    named = values if len(values) <= MAX_OUTCOMES else ()
    ways = Counter(game.name_outcome(what, int(value)) for value in named)
    return PossibleDraw(game.purposes[what], len(values), ways)


def _scripted_dice(game: Game, outcomes: list[Draw] | None, spare: Dice | None, pointer: str) -> ScriptedDice:
    try:
        script = game.read_outcomes(outcomes or [])
    except ValueError:
        raise _unfit(pointer, missing=False) from None
    return ScriptedDice(script, spare)


def _unfit(pointer: str, *, missing: bool) -> SnapshotError:
    return SnapshotError("unfit-draw", Fault(pointer, "draw-not-given" if missing else "cannot-be-drawn"))
