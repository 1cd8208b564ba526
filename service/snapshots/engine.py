"""The stateless engine. It takes a snapshot and a move, and returns the next snapshot. It stores nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import UNSET

from games.core.dice import FastDice
from games.core.evolution import Chain, UnknownRulesetError, UnreadableError
from games.core.game import BrokenRecordError, Game, Move, Options, Refusal, Step, View
from games.core.seeds import move_dice, set_up_dice
from games.core.table import Table
from service.snapshots.errors import SnapshotError
from service.snapshots.records import MoveCode, Snapshot
from service.validation import structs
from service.validation.faults import Fault


def deal(game: Game, seats: int, options: Options, seed: str) -> Table:
    return game.new(seats, options, set_up_dice(seed))


def write_snapshot(game: Game, table: Table, seed: str) -> Snapshot:
    return Snapshot(
        game=game.slug, ruleset=game.ruleset, ply=table.ply, sealed=False, seed=seed, table=game.write(table)
    )


def simulation_options(game: Game, given: object) -> object:
    """Return the options in `given`. If an option is missing, add the game's default for simulations."""
    return {**game.simulated, **given} if isinstance(given, dict) else given


def read_options(game: Game, given: object, seats: int, pointer: str = "/seat_count") -> Options:
    """Return the options of a new table. Raise SnapshotError if an option or the number of seats is not allowed.

    `pointer` is a JSON pointer to the request field that determines `seats`. An error about `seats` contains `pointer`.
    """
    allowed = ", ".join(map(str, game.seat_numbers))
    found = [] if seats in game.seat_numbers else [Fault(pointer, "choice", {"choices": allowed})]
    try:
        options: Options = structs.read(given, game.options_type)
    except structs.UnfitError as unfit:
        raise SnapshotError("invalid-body", *found, unfit.fault.below("/options")) from None
    if found:
        raise SnapshotError("invalid-body", *found)
    return options


def migrations_since(game: Game, ruleset: str, pointer: str) -> Chain:
    """Return the conversions from the ruleset `ruleset` to the current one.

    Raise SnapshotError if `ruleset` is unknown.
    """
    try:
        return game.since(ruleset)
    except UnknownRulesetError:
        fault = Fault(pointer, "choice", {"choices": ", ".join(game.rulesets)})
        raise SnapshotError("unknown-ruleset", fault, ruleset=ruleset) from None


def read_table(game: Game, snapshot: Snapshot, language: str) -> Table:
    """Return a snapshot's table, converted to the current ruleset.

    Raise SnapshotError if the snapshot belongs to a game other than `game`. Raise it also if the table is impossible or
    cannot be converted.
    """
    check_game(game, snapshot.game)
    chain = migrations_since(game, snapshot.ruleset, "/snapshot/ruleset")
    try:
        table = game.read(structs.read(chain.record(snapshot.table), game.record_type))
    except UnreadableError:
        raise SnapshotError("broken-snapshot", Fault("/snapshot/table", "other-ruleset")) from None
    except structs.UnfitError as unfit:
        raise SnapshotError("broken-snapshot", unfit.fault.below("/snapshot/table")) from None
    except BrokenRecordError as broken:
        raise SnapshotError("broken-snapshot", _breach(game, broken, "/snapshot/table", language)) from None
    if table.ply != snapshot.ply:
        raise SnapshotError("broken-snapshot", Fault("/snapshot/ply", "other-ply", {"ply": table.ply}))
    return table


def check_game(game: Game, slug: str) -> None:
    if slug != game.slug:
        raise SnapshotError("invalid-body", Fault("/snapshot/game", "other-game", {"game": game.slug}))


def check_view(game: Game, view: View, language: str) -> Table:
    """Return a table that is consistent with a view. Raise SnapshotError if there is no such table.

    Raise SnapshotError also if the view is not of `game` or not of the game's current ruleset.
    """
    if not isinstance(view, game.view_type):
        raise SnapshotError("invalid-body", Fault("/view/game", "other-game", {"game": game.slug}))
    if view.ruleset != game.ruleset:
        fault = Fault("/view/ruleset", "choice", {"choices": game.ruleset})
        raise SnapshotError("unknown-ruleset", fault, ruleset=view.ruleset)
    try:
        return game.from_view(view, FastDice(0))
    except BrokenRecordError as broken:
        raise SnapshotError("broken-view", _breach(game, broken, "/view", language)) from None


def check_decision(game: Game, view: View, language: str) -> Table:
    """Return a table that is consistent with a view.

    Raise SnapshotError if there is no such table, or if the view's seat has nothing to decide.
    """
    table = check_view(game, view, language)
    if view.seat is None:
        raise SnapshotError("invalid-body", Fault("/view/seat", "null"))
    if not view.actors:
        raise SnapshotError("game-over")
    if not game.legal(table, view.seat):
        raise SnapshotError("not-your-turn", seat=view.seat)
    return table


def validate_move(
    game: Game,
    table: Table,
    seat: int,
    said: Move | MoveCode,
    language: str,
    pointer: str = "/move",
    names: Callable[[], Sequence[str]] | None = None,
) -> int:
    """Return a move's code. Raise SnapshotError if the move is illegal.

    `pointer` is a JSON pointer to the move in the request. The error contains `pointer`. `names` returns the players'
    names for the error message.
    """
    actors = game.actors(table)
    names = names or partial(game.seat_names, table.seats, language)
    if not actors:
        raise SnapshotError("game-over")
    if seat not in actors:
        refusal = game.refuse(table, seat, said) if isinstance(said, game.moves) else None
        faults = [] if refusal is None else [_refused(game, refusal, pointer, language, names())]
        raise SnapshotError("not-your-turn", *faults, seat=seat)
    by_code = isinstance(said, MoveCode)
    try:
        move = game.decode(table, said.code) if isinstance(said, MoveCode) else said
        if type(move) not in game.moves:
            raise SnapshotError("invalid-body", Fault(f"{pointer}/kind", "other-game", {"game": game.slug}))
        code = game.encode(table, seat, move)
    except ValueError:
        raise SnapshotError("invalid-move", Fault(f"{pointer}/code" if by_code else pointer, "no-code")) from None
    refusal = game.refuse(table, seat, move)
    if refusal is not None:
        place = f"{pointer}/code" if by_code else pointer + refusal.pointer
        raise SnapshotError("illegal-move", _refused(game, refusal, place, language, names()))
    return code


def validate_compared(game: Game, table: Table, seat: int, said: Move | MoveCode, language: str) -> int:
    """Validate the move `said`, and return the code of this move. A later search compares this move with other moves.

    Raise SnapshotError if the move is illegal. Raise it also if the move contains a text or a drawing by the player,
    because a code cannot contain them.
    """
    code = validate_move(game, table, seat, said, language, "/compare")
    if game.content(table) is not UNSET:
        raise SnapshotError("invalid-move", Fault("/compare", "no-code"))
    return code


def draw_draft(game: Game, said: Move | MoveCode, language: str, theme: str, angle: int) -> str:
    """Return a picture of a move that is not made yet.

    Raise SnapshotError if the move is illegal or the game has no picture of it.
    """
    if isinstance(said, MoveCode) or type(said) not in game.moves:
        raise SnapshotError("invalid-body", Fault("/draft/kind", "other-game", {"game": game.slug}))
    drawn = game.draft(said, language, theme, angle)
    if drawn is None:
        raise SnapshotError("invalid-move", Fault("/draft", "no-draft"))
    if isinstance(drawn, Refusal):
        raise SnapshotError("illegal-move", _refused(game, drawn, "/draft" + drawn.pointer, language, ()))
    return drawn


def _refused(game: Game, refusal: Refusal, place: str, language: str, names: Sequence[str]) -> Fault:
    sentence = game.explain(refusal.rule, refusal.reason, refusal.params, language, names)
    return Fault.with_text(place, sentence, rule=refusal.rule)


def apply_move(game: Game, table: Table, seat: int, code: int, seed: str) -> Step:
    return game.step(table, seat, code, move_dice(seed, table.ply))


def _breach(game: Game, broken: BrokenRecordError, pointer: str, language: str) -> Fault:
    sentence = game.explain(broken.rule, broken.reason, broken.params, language)
    return Fault.with_text(pointer + broken.pointer, sentence, rule=broken.rule)
