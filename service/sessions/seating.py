"""Changes of a seat's player: a person claims an open seat, a bot replaces a person, or a person comes back."""

from __future__ import annotations

import hmac
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from games.core.game import Draw, Heard
from service.sessions.chance import claim_token, drawn_client_seed, set_up_dice
from service.sessions.change import PlannedChange, change, change_once, plan
from service.sessions.charging import affordable_level
from service.sessions.create import deal
from service.sessions.errors import NoClientSeed, SeatAlreadyTaken, SessionOver, WrongInvite
from service.sessions.play import check_running, stood_in
from service.sessions.reading import game_of
from service.sessions.services import SessionServices
from service.sessions.session_events import SeatClaimed, SeatLeft, SeatTakenBack, SeatTakenOver, SessionStarted, to_all
from service.sessions.states import current_state, state_at
from service.sessions.tokens import hashed
from service.store.sessions import OPEN, PERSON, RUNNING, Seat, Session, Written
from service.validation.names import distinct


@dataclass(frozen=True, slots=True)
class Claimed:
    """A session after the claim of a seat, with the seat's token in plain text."""

    session: Session
    token: str
    # The seed that the claim added to the session's random draws, None if the session takes no client seeds.
    client_seed: str | None
    repeated: bool  # whether an earlier request made the claim


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest:
    """The claim of a seat. Repeated claims with the same `secret` get the same token."""

    # The token is derived from this secret of the claimer, so stored data cannot reveal the token.
    secret: str
    code: str | None = None  # the invite code; unnecessary for a publicly listed seat
    name: str | None = None
    key: str | None = None  # the id of the token's API key
    client_seed: str | None = None


def claim(services: SessionServices, session: Session, number: int, wanted: ClaimRequest, operation: str) -> Claimed:
    """Claim an open seat. The last claim starts the session. A repeated operation returns the same token.

    Raise WrongInvite, SeatAlreadyTaken, SessionOver or NoClientSeed if the claim is not possible.
    """
    token = claim_token(session.charter.key, number, operation, wanted.secret)
    added = wanted.client_seed or drawn_client_seed(session.charter.key, number, operation, wanted.secret)

    def make(loaded: Session) -> PlannedChange | None:
        seat = _invited(loaded, number, wanted.code)
        if seat.kind != OPEN:
            if hmac.compare_digest(seat.token or "", hashed(token)):
                return None
            raise SeatAlreadyTaken(number)
        if loaded.over:
            raise SessionOver
        takes_seeds = not (loaded.dealt or loaded.charter.practice)
        if wanted.client_seed is not None and not takes_seeds:
            raise NoClientSeed
        digest = hashed(added) if takes_seeds else None
        filled = {
            "kind": PERSON,
            "name": free_name(loaded, number, wanted.name or seat.name),
            "token": hashed(token),
            "key": wanted.key,
        }
        taken = with_seats(loaded, [number], **filled, client_seed=digest)
        heard = [to_all(SeatClaimed(seat=number))]
        if any(other.kind == OPEN for other in taken.seats):
            return plan_public_change(services, loaded, taken, heard)
        return plan_start(services, loaded, taken, heard)

    after, outcome = change(services, session, make, number, operation)
    repeated = outcome is not Written.WRITTEN
    claimed = _as_claimed(services, after, number, operation) if repeated else after
    mixed_in = claimed.seats[number].client_seed is not None
    return Claimed(claimed, token, added if mixed_in else None, repeated=repeated)


def free_name(session: Session, number: int, name: str | None) -> str | None:
    """Return the name `name` for a seat. Append a number if the name resembles the name of another seat."""
    others = (seat.name for other, seat in enumerate(session.seats) if other != number)
    return None if name is None else distinct(name, others)


def plan_start(services: SessionServices, before: Session, full: Session, heard: list[Heard]) -> PlannedChange:
    """Plan the start of a session whose seats are all taken. If the session has no table, deal one."""
    game = game_of(services, before)
    state = current_state(game, before)
    table, drawn, begun = state.dealt, list[Draw](), list[Heard]()
    if table is None:
        options = msgspec.convert(full.charter.options, game.options_type)
        dice = set_up_dice(full.charter.key, full.client_seeds)
        table, drawn = deal(game, len(full.seats), options, dice)
        begun = game.opening(table)
        full = msgspec.structs.replace(full, record=msgspec.json.encode(game.write(table)))
    after = replace(state, session=msgspec.structs.replace(full, status=RUNNING), dealt=table)
    learnt = [True] * len(before.versions)
    planned = plan(game, state, after, [*heard, to_all(SessionStarted()), *begun], learnt, services.now())
    line = msgspec.structs.replace(planned.change.log_entry, outcomes=drawn)
    return replace(planned, change=replace(planned.change, log_entry=line))


def hand_over(services: SessionServices, session: Session, number: int, level: str, operation: str) -> None:
    """Let a bot of level `level` replace the person of the seat `number`.

    Do nothing if the session is not running, or if the seat's version has changed since `session` was loaded.
    """
    # If the session's account has too few playouts left, the level is `greedy`.
    level = affordable_level(services, session, number, level)

    def make(loaded: Session) -> PlannedChange | None:
        if loaded.status != RUNNING or loaded.versions[number] != session.versions[number]:
            return None
        heard = [to_all(SeatTakenOver(seat=number, level=level))]
        return plan_public_change(services, loaded, with_seats(loaded, [number], level=level), heard)

    change(services, session, make, number, operation)


def leave(services: SessionServices, session: Session, number: int, level: str, operation: str) -> tuple[Session, bool]:
    """Let a bot replace a person who leaves the session.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    SessionWaiting or SessionOver if the session is not running. Raise TooManyWriters, UnknownSession or TokenReplaced
    if the change cannot be written.
    """

    def make(loaded: Session) -> PlannedChange | None:
        check_running(loaded)
        if loaded.seats[number].level is not None:
            return None
        # If the session's account has too few playouts left, the level is `greedy`.
        paid = affordable_level(services, loaded, number, level)
        heard = [to_all(SeatLeft(seat=number, level=paid))]
        return plan_public_change(services, loaded, with_seats(loaded, [number], level=paid), heard)

    return change_once(services, session, make, number, operation)


def take_back(services: SessionServices, session: Session, number: int) -> Session:
    """Remove the bot that replaces the person of a seat. The person then plays again.

    Return the session. Do not change the session if no bot replaces the person. Raise SessionOver if the session has
    ended.
    """

    def make(loaded: Session) -> PlannedChange | None:
        if loaded.over:
            raise SessionOver
        if not stood_in(loaded.seats[number]):
            return None
        return plan_public_change(
            services, loaded, with_seats(loaded, [number], level=None), [to_all(SeatTakenBack(seat=number))]
        )

    return change(services, session, make, number)[0]


def plan_public_change(services: SessionServices, before: Session, after: Session, heard: list[Heard]) -> PlannedChange:
    """Plan a change that leaves the game state unchanged, for example a new player. All viewers are notified."""
    game = game_of(services, before)
    state = current_state(game, before)
    return plan(game, state, replace(state, session=after), heard, [True] * len(before.versions), services.now())


def _as_claimed(services: SessionServices, session: Session, number: int, operation: str) -> Session:
    revision = services.store.operation(session.id, number, operation)
    then = None if revision is None else state_at(services, game_of(services, session), session, revision)
    return session if then is None else then.session


def _invited(session: Session, number: int, code: str | None) -> Seat:
    """Return the seat `number`. Raise WrongInvite if the invite code `code` is not valid for this seat.

    A publicly listed seat needs no code. Codes are compared in constant time, so that the duration reveals nothing
    about the right code.
    """
    seat = session.seats[number] if number < len(session.seats) else None
    kept = seat.invite if seat else None
    if code is None and session.charter.listed and kept is not None and seat is not None:
        return seat
    if code is None or not hmac.compare_digest(hashed(code), kept or "") or seat is None:
        raise WrongInvite
    return seat


def with_seats(session: Session, numbers: Collection[int], **changes: Any) -> Session:
    seats = [
        msgspec.structs.replace(seat, **changes) if number in numbers else seat
        for number, seat in enumerate(session.seats)
    ]
    return msgspec.structs.replace(session, seats=tuple(seats))


def persons(session: Session) -> list[int]:
    """Return the seats that persons play. Omit the seats where a bot has replaced the person."""
    return [number for number, seat in enumerate(session.seats) if seat.kind == PERSON and seat.level is None]
