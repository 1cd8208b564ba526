"""Rematches. The players of a finished session play again in a new session. Each player takes the next seat."""

from __future__ import annotations

import msgspec

from service.sessions.chance import rematch_id, session_key
from service.sessions.change import PlannedChange, change
from service.sessions.create import KEY_BYTES, ChargeSessions, SessionRequest, plan_session
from service.sessions.errors import SessionWaiting, TooManyWriters
from service.sessions.history import check_over
from service.sessions.reading import find, game_of
from service.sessions.seating import plan_public_change
from service.sessions.services import SessionServices
from service.sessions.session_events import RematchBegun, to_all
from service.sessions.tokens import OWNER
from service.store.sessions import BOT, OPEN, Seat, Session, Written


def rematch(services: SessionServices, session: Session, account: str, charge: ChargeSessions) -> tuple[Session, bool]:
    """Return the rematch of a session. If there is no rematch yet, begin one and notify the viewers of the session.

    The second value is true if an earlier call has notified the viewers. Raise SessionRuns if the session has not
    ended, or SessionWaiting if it ended with open seats. Raise TooManyWriters if the rematch cannot be written.
    """
    check_over(session)
    if any(seat.kind == OPEN for seat in session.seats):
        raise SessionWaiting
    # The rematch's id is derived from the session, so a session has only one rematch.
    begun = find(services, rematch_id(session.charter.key, session.id))
    if begun is None:
        # The account pays for bots that replace persons.
        begun = _begin(services, session, account, charge)
    session_id = begun.id

    def tell(loaded: Session) -> PlannedChange | None:
        if loaded.rematch == session_id:
            return None
        heard = [to_all(RematchBegun(session=session_id))]
        return plan_public_change(services, loaded, msgspec.structs.replace(loaded, rematch=session_id), heard)

    _, outcome = change(services, session, tell, OWNER)
    return begun, outcome is not Written.WRITTEN


def _begin(services: SessionServices, session: Session, account: str, charge: ChargeSessions) -> Session:
    charter, game = session.charter, game_of(services, session)
    session_id = rematch_id(charter.key, session.id)
    wanted = SessionRequest(
        game=game,
        seats=[_moved_up(session.seats[number - 1]) for number in range(len(session.seats))],
        devices=[msgspec.structs.replace(row, code=None) for row in session.devices[-1:] + session.devices[:-1]],
        options=msgspec.convert(charter.options, game.options_type),
        seed=None,
        spectators=charter.spectators,
        clock=charter.clock,
        key=charter.founder,
        bot_ms=charter.bot_ms,
        account=account,
        undo=charter.undo,
        language=charter.language,
        pauses=charter.pauses,
        absence=charter.absence,
    )
    charged = charge({session_id: wanted.bot_costs})
    try:
        key = session_key(services.entropy(KEY_BYTES), session_id).hex()
        planned = plan_session(services, wanted, session_id, (key, services.entropy(KEY_BYTES).hex(), charter.owner))
        is_new = services.store.create([planned.change])
    except BaseException:
        charged.give_back()
        raise
    if is_new:
        if planned.bot_to_move:
            services.enqueue_bot_turn(session_id, planned.change.after.revision)
        return planned.change.after
    charged.give_back(founded=True)
    begun = find(services, session_id)
    if begun is None:
        raise TooManyWriters
    return begun


def _moved_up(seat: Seat) -> Seat:
    if seat.kind == BOT:
        return Seat(kind=BOT, name=seat.name, level=seat.level)
    return Seat(kind=seat.kind, name=seat.name, token=seat.token, key=seat.key)
