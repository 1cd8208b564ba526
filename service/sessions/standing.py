"""Standing answers. A person chooses an answer in advance, and the service gives it when a fitting decision opens.

Each game defines the names of its answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from service.sessions.change import write_beside
from service.sessions.errors import SessionOver
from service.sessions.reading import game_of
from service.sessions.services import SessionServices
from service.sessions.states import current_state
from service.sessions.turns import turns
from service.store.sessions import Session, Written


def leave_answers(services: SessionServices, session: Session, seat: int, answers: Sequence[str]) -> Session:
    """Replace the answers that a seat has chosen in advance.

    When a decision opens later, the service gives the first answer that fits it.

    Raise SessionOver if the session has ended. Raise TooManyWriters, UnknownSession or TokenReplaced if the answers
    cannot be stored.
    """

    def attempt(loaded: Session) -> tuple[Session, Written] | None:
        if loaded.over:
            raise SessionOver
        standing = tuple(tuple(answers) if other == seat else kept for other, kept in enumerate(loaded.standing))
        if standing == loaded.standing:
            return None
        game = game_of(services, loaded)
        after = msgspec.structs.replace(loaded, standing=standing)
        coming = turns(game, current_state(game, loaded).dealt, after)
        return after, services.store.stand(loaded, standing, coming[0].due if coming else None)

    return write_beside(services, session, seat, attempt)
