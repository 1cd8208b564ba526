"""Proofs of fairness. The commitment of a session is a hash that fixes the session's random draws.

The proof of a session shows after the session's end that the draws match the commitment.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from flask import Response
from msgspec import UNSET, Meta, UnsetType

from games.core.checkpoint import checkpoint
from games.core.dice import FastDice
from games.core.game import Game, Move
from games.core.table import Table
from service.api.auth import allow_onlooker, require, revalidate
from service.api.errors import problem_of
from service.contract.json_schemas import Answer, AnyFault
from service.http.blueprint import IF_NONE_MATCH, TABLE_BYTES, Blueprint, answer
from service.http.context import current_context
from service.http.fields import Body, Payload, Rows, Whole, Words
from service.http.problems import Problem, invalid_body, serialize_fault
from service.http.request_context import language, trace_id
from service.sessions.history import history
from service.sessions.reading import game_of
from service.snapshots import engine
from service.snapshots.errors import SnapshotError
from service.snapshots.fairness import (
    ChanceKeys,
    ClientSeed,
    ProvenDraw,
    ProvenMove,
    first_difference,
    is_commitment,
    move,
    record_draws,
    record_proven_draws,
    set_up,
)
from service.snapshots.records import MAX_SEATS
from service.store.sessions import Session
from service.validation import structs
from service.validation.faults import Fault
from service.wire.fields import AnyOptions
from service.wire.session_responses import CLIENT_SEEDS
from service.wire.sessions import client_seeds_of

MAX_MOVES: Final = 5_000
"""Maximum number of moves in a proof to verify. `docs/fairness/verify.py` verifies longer proofs offline."""

blp = Blueprint(
    "fairness",
    __name__,
    url_prefix="/v1",
    description="Provably fair random draws: a commitment at the start, the keys after the end.",
)


class FairnessShown(Answer, frozen=True, kw_only=True):
    """The response with the commitment of a session.

    After the end of the session, the response also contains the proof. Clients can send the complete response to `POST
    /v1/fairness:verify`.
    """

    session: str
    game: str
    ruleset: str
    seat_count: int
    options: AnyOptions
    commitment: str
    client_seeds: Annotated[list[ClientSeed], Meta(description=CLIENT_SEEDS)] | UnsetType = UNSET
    keys: (
        Annotated[ChanceKeys, Meta(description="Keys of the random draws. Set after the end, like all fields below.")]
        | UnsetType
    ) = UNSET
    set_up: (
        Annotated[
            list[ProvenDraw],
            Meta(description="Draws of the set-up. Missing, like `moves`, if nothing was dealt."),
        ]
        | UnsetType
    ) = UNSET
    moves: list[ProvenMove] | UnsetType = UNSET


class Proof(Body):
    """A fairness proof, as a finished session returns it."""

    session = Words(1, 64, required=True)
    game = Words(1, 64, required=True)
    ruleset = Words(1, 64, required=True)
    seat_count = Whole(1, MAX_SEATS, required=True)
    options = Payload(AnyOptions, required=True)
    commitment = Words(64, 64, pattern="[0-9a-f]+", required=True)
    client_seeds = Payload(list[ClientSeed], load_default=(), description=CLIENT_SEEDS)
    keys = Payload(ChanceKeys, required=True)
    set_up = Payload(list[ProvenDraw], required=True)
    moves = Rows(Payload(ProvenMove), 0, MAX_MOVES, required=True)


class Verdict(Answer, frozen=True, kw_only=True):
    """The result of a verification.

    `moves` is the number of verified moves. `draws` is the number of verified random draws. `faults` describes the
    first error in the proof. If the proof has no error, `faults` is empty.
    """

    fair: bool
    moves: Annotated[int, Meta(description="Number of verified moves.")]
    draws: Annotated[int, Meta(description="Number of verified draws, including the set-up.")]
    faults: list[AnyFault]


@blp.get("/sessions/<id>/fairness")
@require(allow_onlooker)
@blp.response(
    200, FairnessShown, not_modified=IF_NONE_MATCH, problems=("nothing-committed", "history-cut", "too-much-work")
)
def get_session_fairness(session: Session, viewer: int) -> Response:
    """Get the fairness proof.

    Return the commitment of the session: a hash that fixes all random draws. After the end or an abort of the session,
    also return the proof. The proof contains all draws, and the secret keys with which the service made them. Save the
    commitment at the start, so that you can check later that it has not changed.
    """
    if session.charter.practice:
        raise Problem("nothing-committed")
    headers = revalidate(session, viewer, "fairness")
    game, keys = game_of(current_context().sessions, session), ChanceKeys.of(session.charter.key)
    value = FairnessShown(
        session=session.id,
        game=game.slug,
        ruleset=game.ruleset,
        seat_count=len(session.seats),
        options=session.charter.options,
        commitment=keys.commitment(session.id),
        client_seeds=client_seeds_of(session) or UNSET,
        **(_revealed(game, session, viewer, keys) if session.over else {}),
    )
    return answer(value, headers=headers)


@blp.post("/fairness:verify")
@blp.arguments(Proof(), size=TABLE_BYTES)
@blp.response(200, Verdict, problems=("unknown-ruleset", "invalid-move"))
def verify_fairness(body: dict[str, Any]) -> Verdict:
    """Verify a fairness proof.

    Check that the proof's `commitment` belongs to its `keys`. Also check that every random draw in the proof follows
    from these keys. For this check, the service sets up the game and repeats the moves. The random draws of this
    repetition come from the keys and from the seeds of the players who claimed open seats. The service compares every
    draw and stops at the first error. The response depends only on the proof, not on stored data.

    Moves marked `undone` were taken back by consent. They stay in the list `moves`. The next move after an undo starts
    from the table before the first undone move. So the next move has the same number (`ply`) as the first undone move.
    The two moves still have different random draws, because the draws depend on a move's position in the list `moves`,
    not on its `ply`.
    """
    game = current_context().game_in_body(body["game"])
    if body["ruleset"] != game.ruleset:
        fault = Fault("/ruleset", "choice", {"choices": game.ruleset})
        raise Problem("unknown-ruleset", errors=[fault], ruleset=body["ruleset"])
    options = engine.read_options(game, body["options"], body["seat_count"])
    table, keys = game.new(body["seat_count"], options, FastDice(0)), body["keys"]
    said = [_read(game, table, told, f"/moves/{number}") for number, told in enumerate(body["moves"])]
    if not is_commitment(body["commitment"], keys, body["session"]):
        return _verdict(0, 0, Fault("/commitment", "other-commitment"))
    keys = keys.mixed(body["client_seeds"])
    table, made = record_draws(game, set_up(game, body["seat_count"], options), keys.set_up_dice())
    if wrong := first_difference(body["set_up"], made, "/set_up"):
        return _verdict(0, 0, wrong)
    draws, going_back, earlier = len(made), _going_back(body["moves"]), dict[int, Table]()
    made_again = {body["moves"][number].ply for number in going_back}
    for number, told in enumerate(body["moves"]):
        here = f"/moves/{number}"
        checkpoint()
        if int(table.ply) in made_again:
            earlier[int(table.ply)] = table
        if number in going_back:
            table = earlier.get(told.ply, table)
        try:
            code = _code(game, table, told, said[number], here)
        except (Problem, SnapshotError) as error:
            problem = problem_of(error)
            detail = problem.document(language(), trace_id())["detail"]
            return _verdict(number, draws, *(problem.errors or [Fault.with_text(here, detail)]))
        table, made = record_draws(game, move(table, told.seat, code), keys.move_dice(number))
        if wrong := first_difference(told.draws, made, f"{here}/draws"):
            return _verdict(number, draws, wrong)
        draws += len(made)
    return _verdict(len(body["moves"]), draws)


def _going_back(moves: list[ProvenMove]) -> set[int]:
    line, found = list[ProvenMove](), set[int]()
    for number, told in enumerate(moves):
        undone = list[bool | UnsetType]()
        while line and line[-1].ply >= told.ply:
            undone.append(line.pop().undone)
        if undone and all(each is True for each in undone):
            found.add(number)
        line.append(told)
    return found


def _read(game: Game, table: Table, told: ProvenMove, here: str) -> Move:
    checkpoint()
    if told.seat >= table.seats:
        raise invalid_body(f"{here}/seat", "out-of-range", low=0, high=table.seats - 1)
    kinds = {str(kind.__struct_config__.tag): kind for kind in game.moves}
    try:
        found: Move = structs.read_tagged(told.move, "kind", kinds)
        game.encode(table, told.seat, found)
    except structs.UnfitError as unfit:
        raise Problem("invalid-body", errors=[unfit.fault.below(f"{here}/move")]) from None
    except ValueError:
        raise Problem("invalid-move", errors=[Fault(f"{here}/move", "no-code")]) from None
    return found


def _code(game: Game, table: Table, told: ProvenMove, said: Move, here: str) -> int:
    if told.ply != table.ply:
        raise invalid_body(f"{here}/ply", "other-ply", ply=int(table.ply))
    return engine.validate_move(game, table, told.seat, said, language(), f"{here}/move")


def _verdict(moves: int, draws: int, *faults: Fault) -> Verdict:
    told = [serialize_fault(fault, language()) for fault in faults]
    return Verdict(fair=not faults, moves=moves, draws=draws, faults=told)


def _revealed(game: Game, session: Session, viewer: int, keys: ChanceKeys) -> dict[str, Any]:
    if not session.dealt:
        return {"keys": keys}
    found, drawn_by = history(current_context().sessions, session, viewer), keys.mixed(client_seeds_of(session))
    options = msgspec.convert(session.charter.options, game.options_type)
    table, dealt = record_proven_draws(
        game, set_up(game, len(session.seats), options), drawn_by.set_up_dice(), found.outcomes
    )
    moves, tables = list[ProvenMove](), {int(table.ply): table}
    for line in found.lines:
        checkpoint()
        if line.played is None:
            continue
        entry, done, before = line.played
        ply, seat = int(before.ply), entry.seat
        table, dice = tables[ply], drawn_by.move_dice(len(moves))
        made = move(table, seat, game.encode(table, seat, done))
        tables[ply + 1], draws = record_proven_draws(game, made, dice, entry.outcomes)
        moves.append(ProvenMove(seat=seat, ply=ply, move=done, draws=draws, undone=line.undone or UNSET))
    return {"keys": keys, "set_up": dealt, "moves": moves}
