"""Access to snapshots. An open snapshot needs no credential; a sealed snapshot needs the seat's key in `Seat-Key`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from flask import request
from msgspec import UNSET

from games.core.game import Draw, Game, Move, Step, View
from games.core.table import SPECTATOR, Table
from service.api.callers import charge_fresh_table
from service.http.blueprint import note
from service.http.context import current_context
from service.http.idempotency import SEAT_KEY
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.sessions.create import Start
from service.snapshots import engine
from service.snapshots import replay as replays
from service.snapshots.errors import SnapshotError
from service.snapshots.records import MoveCode, SealedSnapshot, Snapshot
from service.snapshots.replay import PossibleDraw
from service.snapshots.sealing import Seal, expiry
from service.snapshots.seeds import fresh_seed
from service.store.clock import rfc3339
from service.validation.faults import Fault
from service.wire.moves import (
    HeardEvent,
    LegalMoves,
    legal_moves,
    serialize_heard_events,
    serialize_outcome,
)
from service.wire.snapshots import MoveMade, SeatKeyGiven, SnapshotMade

SEAT_KEY_OR_NONE: Final[list[dict[str, list[str]]]] = [{"seat_key": []}, {}]
SEALED_PROBLEMS: Final = ("seat-key-needed", "wrong-seat-key", "broken-seal", "unknown-sealing-key", "seal-expired")
CHALLENGE: Final = {"WWW-Authenticate": f'{SEAT_KEY} realm="snapshot"'}


def reads_snapshot(*problems: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that documents the error responses of an operation on snapshots.

    `problems` contains the error codes of this operation. The decorator adds the error codes that all operations on
    snapshots share.
    """
    common = ("unknown-game", "unknown-ruleset", "broken-snapshot", *SEALED_PROBLEMS)
    return lambda function: note(function, problems=(*common, *problems), security=SEAT_KEY_OR_NONE)


class OpenedSnapshot:
    """A snapshot that was opened for a seat or a spectator. Its methods make moves and build responses."""

    def __init__(self, game: Game, snapshot: Snapshot | SealedSnapshot, seat: int | None) -> None:
        """Open a snapshot for a seat. If `seat` is None, open it for a spectator.

        Raise Problem if the header `Seat-Key` is missing (401) or wrong (403). Raise SnapshotError if the snapshot was
        modified (422).
        """
        self._game, self._snapshot, self._seat = game, snapshot, seat
        record, self._seal = self._decrypt()
        self._seed = record.seed
        self.table = engine.read_table(game, record, language())
        self._check_seat()

    def view(self) -> View:
        return self._game.view(self.table, self._viewer)

    def legal_moves(self) -> LegalMoves:
        """Return the response that lists the seat's legal moves."""
        return legal_moves(self._game, self.table, self._viewer, language())

    def next_draw(self, said: Move | MoveCode, draws: list[Draw]) -> PossibleDraw | None:
        """Return the next random draw of a move. Return None if the move needs no more draws.

        `draws` contains the results of the move's earlier draws. Raise SnapshotError if the move is illegal.
        """
        return replays.next_draw(self._game, self.table, (self._viewer, self._code_of(said)), draws)

    def make_move(self, said: Move | MoveCode, draws: list[Draw] | None, *, validate_only: bool) -> MoveMade:
        """Make a move. If `validate_only` is true, only check whether the move is legal.

        `draws` contains the results of the move's random draws. If it is None, the seed determines these results. Raise
        Problem or SnapshotError if the move is illegal, or if `draws` does not fit the move.

        A table that was created with `fresh=true` accepts new moves only from its latest snapshot. From the snapshot
        before the latest, it accepts only the move that led to the latest snapshot. So a client can repeat a move if
        the response was lost. Raise Problem for any other move from an earlier snapshot.
        """
        code = self._code_of(said)
        if draws is not None and self._seal is not None and not validate_only:
            raise invalid_body("/draws", "sealed")
        seal = self._seal and self._seal.after(self._game, self._viewer, self._game.decode(self.table, code))
        if validate_only:
            shown = _shown(self._game, self._snapshot, self.table, self._viewer, self._seal)
            return MoveMade(**shown, events=[], draws=[] if seal is None else UNSET)
        if draws is None:
            # This check comes before the move. After the move, the duration of a rejection would depend on the hidden
            # result.
            self._advance_to(seal)
            step = engine.apply_move(self._game, self.table, self._viewer, code, self._seed)
        else:
            step = replays.scripted_step(self._game, self.table, (self._viewer, code), draws, None, "/draws")
        return self._after(step, seal)

    @property
    def _viewer(self) -> int:
        return SPECTATOR if self._seat is None else self._seat

    def _decrypt(self) -> tuple[Snapshot, Seal | None]:
        if isinstance(self._snapshot, Snapshot):
            return self._snapshot, None
        engine.check_game(self._game, self._snapshot.game)
        if self._seat is not None and SEAT_KEY not in request.headers:
            raise Problem("seat-key-needed", headers=CHALLENGE)
        return current_context().sealer.unseal(self._snapshot)

    def _check_seat(self) -> None:
        if self._seal is not None and len(self._seal.spent) != self.table.seats:
            raise SnapshotError("broken-snapshot", Fault("/snapshot/token", "invalid"))
        if self._seat is None:
            return
        if self._seat >= self.table.seats:
            raise invalid_body("/seat", "out-of-range", low=0, high=self.table.seats - 1)
        if self._seal is not None and not self._seal.admits(self._seat, request.headers.get(SEAT_KEY, "")):
            raise Problem("wrong-seat-key")

    def _code_of(self, said: Move | MoveCode) -> int:
        return engine.validate_move(self._game, self.table, self._viewer, said, language())

    def _advance_to(self, following: Seal | None) -> None:
        """Store `following` as the latest state of a fresh table. Do nothing for other tables.

        A fresh table is a table that was created with `fresh=true`. It accepts moves only from its latest state. Raise
        Problem if this snapshot contains an earlier state of a fresh table. There is one exception: a client can repeat
        its last move if the response to this move was lost. Then `following` is already the table's latest state.
        """
        if self._seal is None or following is None or not self._seal.state_id:
            return
        tables = current_context().fresh_tables
        if not tables.advance(self._seal.table_id, self._seal.state_id, following.state_id):
            raise Problem("stale-snapshot")

    def _after(self, step: Step, seal: Seal | None) -> MoveMade:
        snapshot: Snapshot | SealedSnapshot
        if seal is None:
            snapshot = engine.write_snapshot(self._game, step.table, self._seed)
        else:
            snapshot = current_context().sealer.seal(self._game, step.table, seal)
        hearer = None if seal is None else self._viewer
        return MoveMade(
            **_shown(self._game, snapshot, step.table, self._viewer, seal),
            events=serialize_heard_events(self._game, step.table, step.heard, language(), hearer),
            draws=step.outcomes if seal is None else UNSET,
            outcome=serialize_outcome(self._game, step.table, language()) or UNSET,
        )


def start_of(game: Game, snapshot: Snapshot | SealedSnapshot, seats: int, keys: Sequence[str]) -> Start:
    """Return the start of a session that continues from a snapshot.

    Raise Problem if the table does not have `seats` seats. For a sealed snapshot, also raise Problem if `keys` do not
    open all seats.
    """
    if isinstance(snapshot, Snapshot):
        opened = snapshot
    else:
        engine.check_game(game, snapshot.game)
        opened, seal = current_context().sealer.unseal(snapshot)
        # The owner of the session can assign every seat, and can see everything after the end.
        if len(keys) != seats:
            raise invalid_body("/seat_keys", "items", low=seats, high=seats)
        if not all(seal.admits(seat, key) for seat, key in enumerate(keys)):
            raise Problem("wrong-seat-key")
        if seal.state_id:
            raise invalid_body("/snapshot", "fresh-snapshot")
    table = engine.read_table(game, opened, language())
    if table.seats != seats:
        raise invalid_body("/seats", "items", low=table.seats, high=table.seats)
    text = msgspec.json.encode(snapshot, order="sorted")
    return Start(table, "sealed" if snapshot.sealed else "open", hashlib.sha256(text).hexdigest())


def deal_open(game: Game, body: dict[str, Any]) -> SnapshotMade:
    options = engine.read_options(game, body.get("options", {}), body["seat_count"])
    seed = body.get("seed") or fresh_seed()
    table = engine.deal(game, body["seat_count"], options, seed)
    events = serialize_heard_events(game, table, game.opening(table), language())
    return SnapshotMade(**_shown(game, engine.write_snapshot(game, table, seed), table, SPECTATOR), events=events)


def deal_sealed(game: Game, body: dict[str, Any], *, fresh: bool) -> SnapshotMade:
    """Set up a table. Return its sealed snapshot with the keys of all seats.

    If `fresh` is true, the service accepts moves only at the table's latest snapshot. The set-up of such a table counts
    towards the caller's quota of sessions.
    """
    if "seed" in body:
        raise invalid_body("/seed", "own-seed")
    seats = body["seat_count"]
    options = engine.read_options(game, body.get("options", {}), seats)
    seal = current_context().sealer.fresh(seats)
    if fresh:
        charge_fresh_table()
        seal = seal.fresh()
        current_context().fresh_tables.begin(seal.table_id, seal.state_id)
    table = engine.deal(game, seats, options, seal.seed)
    snapshot = current_context().sealer.seal(game, table, seal)
    opening = game.opening(table)

    def heard_by(viewer: int) -> list[HeardEvent]:
        return serialize_heard_events(game, table, opening, language(), viewer)

    keys = [SeatKeyGiven(seat=seat, key=seal.seat_key(seat), events=heard_by(seat)) for seat in range(seats)]
    shown = _shown(game, snapshot, table, SPECTATOR, seal)
    return SnapshotMade(**shown, events=heard_by(SPECTATOR), seat_keys=keys)


def _shown(
    game: Game, snapshot: Snapshot | SealedSnapshot, table: Table, viewer: int, seal: Seal | None = None
) -> dict[str, Any]:
    if isinstance(snapshot, Snapshot):
        return {"snapshot": snapshot, "actors": game.actors(table)}
    until = rfc3339(expiry(snapshot))
    shown = {"snapshot": snapshot, "actors": game.view(table, viewer).actors, "expires_at": until}
    return {**shown, "fresh": True} if seal is not None and seal.state_id else shown
