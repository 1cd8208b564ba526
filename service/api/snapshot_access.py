"""Who holds a snapshot: of an open one anybody may ask anything; of a sealed one a seat needs its `Seat-Key`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from flask import request
from msgspec import UNSET, UnsetType

from games.core.game import Draw, Game, Step
from games.core.table import SPECTATOR, Table
from service.api.callers import charge_fresh_table
from service.context import current_context
from service.http.blueprint import note
from service.http.idempotency import SEAT_KEY
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.sessions.create import Start
from service.snapshots import engine
from service.snapshots.errors import SnapshotError
from service.snapshots.records import SealedSnapshot, Snapshot
from service.snapshots.sealing import Seal, expiry
from service.store.clock import rfc3339
from service.validation.faults import Fault
from service.wire.moves import HeardEvent, serialize_heard_events, serialize_outcome
from service.wire.snapshots import MoveMade, SeatKeyGiven, SnapshotMade

SEAT_KEY_OR_NONE: Final[list[dict[str, list[str]]]] = [{"seat_key": []}, {}]
SEALED_PROBLEMS: Final = ("seat-key-needed", "wrong-seat-key", "broken-seal", "unknown-sealing-key", "seal-expired")
CHALLENGE: Final = {"WWW-Authenticate": f'{SEAT_KEY} realm="snapshot"'}


def reads_snapshot(*problems: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that documents what all operations at a snapshot have in common, and further problems."""
    common = ("unknown-game", "unknown-ruleset", "broken-snapshot", *SEALED_PROBLEMS)
    return lambda function: note(function, problems=(*common, *problems), security=SEAT_KEY_OR_NONE)


@dataclass(frozen=True, slots=True)
class OpenedSnapshot:
    """A snapshot as its holder may use it: itself, its table, the seed of its chance, and its seal if it has one."""

    snapshot: Snapshot | SealedSnapshot
    table: Table
    seed: str
    seal: Seal | None

    def unchanged(self, game: Game, seat: int, code: int) -> MoveMade:
        """Return that a seat may make this move, and nothing else."""
        self._sealed_after(game, seat, code)
        draws: list[Draw] | UnsetType = [] if self.seal is None else UNSET
        shown = serialize_snapshot(game, self.snapshot, self.table, seat, self.seal)
        return MoveMade(**shown, events=[], draws=draws)

    def go_on(self, game: Game, seat: int, code: int) -> None:
        """Note at a fresh table that a seat's move is made here; raise Problem where another was, or none is known.

        Comes before the move is made, so that a refusal takes no time that would tell of it. Where the same move was
        noted before, its answer was lost, and it may be made again.
        """
        following = self._sealed_after(game, seat, code)
        if self.seal is None or following is None or not self.seal.state_id:
            return
        tables = current_context().fresh_tables
        if not tables.advance(self.seal.table_id, self.seal.state_id, following.state_id):
            raise Problem("stale-snapshot")

    def after(self, game: Game, seat: int, code: int, step: Step) -> MoveMade:
        """Return what came of a seat's move: all of it at an open snapshot, what the seat hears at a sealed one."""
        events = serialize_heard_events(game, step.table, step.heard, language(), None if self.seal is None else seat)
        over = serialize_outcome(game, step.table, language())
        seal = self._sealed_after(game, seat, code)
        snapshot: Snapshot | SealedSnapshot
        if seal is None:
            snapshot = engine.write_snapshot(game, step.table, self.seed)
        else:
            snapshot = current_context().sealer.seal(game, step.table, seal)
        return MoveMade(
            **serialize_snapshot(game, snapshot, step.table, seat, seal),
            events=events,
            draws=step.outcomes if self.seal is None else UNSET,
            outcome=over or UNSET,
        )

    def _sealed_after(self, game: Game, seat: int, code: int) -> Seal | None:
        """Return the seal after a seat's move; raise Problem where a sealed table has no room for it."""
        return None if self.seal is None else self.seal.after(game, seat, game.decode(self.table, code))


def open_snapshot(game: Game, snapshot: Snapshot | SealedSnapshot, seat: int | None) -> OpenedSnapshot:
    """Return a snapshot as it may be used for a seat, or for spectators; raise Problem where it may not.

    A sealed one needs the seat's key in the header: 401 without, 422 where the seal is broken, 403 for another's key.
    """
    if isinstance(snapshot, Snapshot):
        table = engine.read_table(game, snapshot, language())
        _check_seat(table, seat)
        return OpenedSnapshot(snapshot, table, snapshot.seed, None)
    engine.check_game(game, snapshot.game)
    key = request.headers.get(SEAT_KEY)
    if seat is not None and key is None:
        raise Problem("seat-key-needed", headers=CHALLENGE)
    opened, seal = current_context().sealer.unseal(snapshot)
    table = engine.read_table(game, opened, language())
    if len(seal.spent) != table.seats:
        raise SnapshotError("broken-snapshot", Fault("/snapshot/token", "invalid"))
    _check_seat(table, seat)
    if seat is not None and not seal.admits(seat, key or ""):
        raise Problem("wrong-seat-key")
    return OpenedSnapshot(snapshot, table, opened.seed, seal)


def start_of(game: Game, snapshot: Snapshot | SealedSnapshot, seats: int, keys: Sequence[str]) -> Start:
    """Return the table of a snapshot for a session of so many seats to go on from; raise Problem where there is none.

    Whoever founds a session hands out all its seats and sees all of it after the end, so for a sealed snapshot the keys
    of all its seats are asked for.
    """
    if isinstance(snapshot, Snapshot):
        opened = snapshot
    else:
        engine.check_game(game, snapshot.game)
        opened, seal = current_context().sealer.unseal(snapshot)
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


def deal_sealed(game: Game, body: dict[str, Any], *, fresh: bool) -> SnapshotMade:
    """Set up a table whose truth nobody gets, and return it sealed with a key for each seat.

    A fresh one takes no move but at its latest snapshot, which the store knows; it counts as a session.
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
    shown = serialize_snapshot(game, snapshot, table, SPECTATOR, seal)
    return SnapshotMade(**shown, events=heard_by(SPECTATOR), seat_keys=keys)


def serialize_snapshot(
    game: Game, snapshot: Snapshot | SealedSnapshot, table: Table, viewer: int, seal: Seal | None = None
) -> dict[str, Any]:
    """Return the fields of a snapshot and who may move; at a sealed one as far as the viewer knows."""
    if isinstance(snapshot, Snapshot):
        return {"snapshot": snapshot, "actors": game.actors(table)}
    until = rfc3339(expiry(snapshot))
    shown = {"snapshot": snapshot, "actors": game.view(table, viewer).actors, "expires_at": until}
    return {**shown, "fresh": True} if seal is not None and seal.state_id else shown


def _check_seat(table: Table, seat: int | None) -> None:
    """Raise Problem for a seat that the table has not."""
    if seat is not None:
        engine.check_seat(table, seat)
