"""The stateless engine: a snapshot and a move in, a snapshot out; nothing is kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import msgspec

from games.core.dice import FastDice, RecordingDice, ScriptedDice, UnfitOutcome
from games.core.game import BrokenRecordError, Game, Move, Options, Outcome, Step, View
from games.core.table import Table
from service.chance import move_dice, set_up_dice
from service.contract import structs
from service.contract.payloads import MoveCode, Snapshot, read_move
from service.contract.problems import Fault, Problem
from service.contract.shapes import ReplayMove


@dataclass(frozen=True, slots=True)
class Play:
    """One move made: the seat, the code, the table it was made at, and what came of it."""

    seat: int
    code: int
    before: Table
    step: Step


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay as far as it fits: what chance answered at the set-up, the plays, and the problem of the next move."""

    first: Table
    set_up: list[Outcome]
    plays: list[Play]
    misfit: Problem | None

    @property
    def last(self) -> Table:
        """Return the table that the plays lead to."""
        return self.plays[-1].step.table if self.plays else self.first


def deal(game: Game, seats: int, options: Options, seed: str) -> Table:
    """Set up a table whose chance is a function of the seed."""
    return game.new(seats, options, set_up_dice(seed))


def written(game: Game, table: Table, seed: str) -> Snapshot:
    """Write a table down as an open snapshot."""
    return Snapshot(
        game=game.slug, ruleset=game.ruleset, ply=table.ply, sealed=False, seed=seed, table=game.write(table)
    )


def read_options(game: Game, given: object, seats: int) -> Options:
    """Return the options of a new table; raise Problem for those, or a number of seats, that the game has not."""
    if seats not in game.seat_numbers:
        allowed = ", ".join(map(str, game.seat_numbers))
        raise Problem("invalid-body", errors=[Fault("/seats", "choice", {"choices": allowed})])
    try:
        options: Options = structs.read(given, game.options_type)
    except structs.UnfitError as unfit:
        raise Problem("invalid-body", errors=[unfit.fault.below("/options")]) from None
    return options


def read_table(game: Game, snapshot: Snapshot, language: str) -> Table:
    """Return the table of a snapshot; raise Problem for one of another game or ruleset, or of no possible table."""
    if snapshot.game != game.slug:
        raise Problem("invalid-body", errors=[Fault("/snapshot/game", "other-game", {"game": game.slug})])
    if snapshot.ruleset != game.ruleset:
        fault = Fault("/snapshot/ruleset", "choice", {"choices": game.ruleset})
        raise Problem("unknown-ruleset", errors=[fault], expected=game.ruleset)
    try:
        table = game.read(structs.read(snapshot.table, game.record_type))
    except structs.UnfitError as unfit:
        raise Problem("broken-snapshot", errors=[unfit.fault.below("/snapshot/table")]) from None
    except BrokenRecordError as broken:
        raise Problem("broken-snapshot", errors=[_breach(game, broken, "/snapshot/table", language)]) from None
    if table.ply != snapshot.ply:
        raise Problem("broken-snapshot", errors=[Fault("/snapshot/ply", "other-ply", {"ply": table.ply})])
    return table


def check_view(game: Game, view: View, language: str) -> None:
    """Raise Problem for a view of another game or ruleset, or one that no table has."""
    if not isinstance(view, game.view_type):
        raise Problem("invalid-body", errors=[Fault("/view/game", "other-game", {"game": game.slug})])
    if view.ruleset != game.ruleset:
        fault = Fault("/view/ruleset", "choice", {"choices": game.ruleset})
        raise Problem("unknown-ruleset", errors=[fault], expected=game.ruleset)
    try:
        game.from_view(view, FastDice(0))
    except BrokenRecordError as broken:
        raise Problem("broken-view", errors=[_breach(game, broken, "/view", language)]) from None


def check_seat(table: Table, seat: int) -> None:
    """Raise Problem for a seat that the table has not."""
    if seat >= table.seats:
        raise Problem("invalid-body", errors=[Fault("/seat", "out-of-range", {"low": 0, "high": table.seats - 1})])


def understood(
    game: Game, table: Table, seat: int, said: Move | MoveCode, language: str, pointer: str = "/move"
) -> int:
    """Return the code of a legal move; raise Problem with rule and place for any other."""
    actors = game.actors(table)
    if not actors:
        raise Problem("game-over")
    if seat not in actors:
        raise Problem("not-your-turn", seat=seat)
    by_code = isinstance(said, MoveCode)
    try:
        move = game.decode(table, said.code) if isinstance(said, MoveCode) else said
        if type(move) not in game.moves:
            raise Problem("invalid-body", errors=[Fault(f"{pointer}/kind", "other-game", {"game": game.slug})])
        code = game.encode(table, seat, move)
    except ValueError:
        raise Problem("invalid-move", errors=[Fault(f"{pointer}/code" if by_code else pointer, "no-code")]) from None
    refusal = game.refuse(table, seat, move)
    if refusal is not None:
        place = f"{pointer}/code" if by_code else pointer + refusal.pointer
        sentence = game.explain(refusal.rule, refusal.reason, refusal.params, language)
        raise Problem("illegal-move", errors=[Fault.said(place, sentence, rule=refusal.rule)])
    return code


def made(game: Game, table: Table, seat: int, code: int, seed: str) -> Step:
    """Make a legal move with the dice of the seed."""
    return game.step(table, seat, code, move_dice(seed, table.ply))


def replayed(
    game: Game,
    seats: int,
    options: Options,
    seed: str | None,
    set_up: list[Outcome] | None,
    moves: list[ReplayMove],
    language: str,
) -> Replay:
    """Play a record again, as far as it fits; recorded outcomes win over the seed.

    Raise Problem where the set-up does not fit, or where a move is none of the game's at all.
    """
    said = [read_move(move.move, f"/moves/{index}/move") for index, move in enumerate(moves)]
    script = ScriptedDice(_script(game, set_up, "/outcomes"), set_up_dice(seed) if seed and set_up is None else None)
    recorder = RecordingDice(script)
    try:
        table = game.new(seats, options, recorder)
    except UnfitOutcome:
        raise _unfit("/outcomes", missing=set_up is None) from None
    if script.used < len(script.script):
        raise _unfit("/outcomes", missing=False)
    replay = Replay(table, game.name_outcomes(recorder.outcomes), [], None)
    for index, (move, face) in enumerate(zip(moves, said, strict=True)):
        try:
            replay.plays.append(_played(game, replay.last, move, face, seed, f"/moves/{index}", language))
        except Problem as problem:
            return Replay(replay.first, replay.set_up, replay.plays, problem)
    return replay


def continuing_seed(replay: Replay) -> str:
    """Return a seed for the table after a replay that had none, the same for the same record."""
    said = [replay.set_up, *([play.seat, play.code, play.step.outcomes] for play in replay.plays)]
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:32]


def _played(
    game: Game, table: Table, move: ReplayMove, face: Move | MoveCode, seed: str | None, pointer: str, language: str
) -> Play:
    """Make one move of a replay."""
    if move.seat >= table.seats:
        fault = Fault(f"{pointer}/seat", "out-of-range", {"low": 0, "high": table.seats - 1})
        raise Problem("invalid-body", errors=[fault])
    code = understood(game, table, move.seat, face, language, f"{pointer}/move")
    spare = move_dice(seed, table.ply) if seed and move.outcomes is None else None
    script = ScriptedDice(_script(game, move.outcomes, f"{pointer}/outcomes"), spare)
    try:
        step = game.step(table, move.seat, code, script)
    except UnfitOutcome:
        raise _unfit(f"{pointer}/outcomes", missing=move.outcomes is None) from None
    if script.used < len(script.script):
        raise _unfit(f"{pointer}/outcomes", missing=False)
    return Play(move.seat, code, table, step)


def _script(game: Game, outcomes: list[Outcome] | None, pointer: str) -> list[tuple[int, int]]:
    """Return recorded outcomes as dice take them."""
    try:
        return game.read_outcomes(outcomes or [])
    except ValueError:
        raise _unfit(pointer, missing=False) from None


def _unfit(pointer: str, *, missing: bool) -> Problem:
    """Return the problem of an outcome that is missing or cannot be drawn."""
    return Problem("unfit-outcome", errors=[Fault(pointer, "outcome-missing" if missing else "cannot-be-drawn")])


def _breach(game: Game, broken: BrokenRecordError, pointer: str, language: str) -> Fault:
    """Return the fault of a broken invariant."""
    sentence = game.explain(broken.rule, broken.reason, broken.params, language)
    return Fault.said(pointer + broken.pointer, sentence, rule=broken.rule)
