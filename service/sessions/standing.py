"""Standing answers: answers that a person gives in advance. The service uses them after the decision has opened.

Each game defines the names of its answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from service.sessions.change import CHANGE_TRIES
from service.sessions.errors import SessionOver, TooManyWriters, UnknownSession
from service.sessions.reading import game_of, load_again
from service.sessions.services import SessionServices
from service.sessions.states import current_state
from service.sessions.turns import turns
from service.store.sessions import Session, Written


def leave_answers(services: SessionServices, session: Session, seat: int, answers: Sequence[str]) -> Session:
    """Replace a seat's standing answers. The service uses the first answer that fits a decision.

    No audience is notified. Raise SessionOver, TooManyWriters or UnknownSession.
    """
    for _ in range(CHANGE_TRIES):
        if session.over:
            raise SessionOver
        standing = tuple(tuple(answers) if other == seat else kept for other, kept in enumerate(session.standing))
        if standing == session.standing:
            return session
        game = game_of(services, session)
        after = msgspec.structs.replace(session, standing=standing)
        coming = turns(game, current_state(game, session).dealt, after)
        match services.store.stand(session, standing, coming[0].due if coming else None):
            case Written.WRITTEN:
                return after
            case Written.GONE:
                raise UnknownSession
        session = load_again(services, session, seat)
    raise TooManyWriters
