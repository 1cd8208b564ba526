"""The fast path of long polls: looks that wait until something is new for the caller, and are answered as looks are.

A poll has two turns. In the first it is counted and takes a wait slot, and is answered by a Wait, for which the server
holds no thread. In the second, when that is over, its session is loaded once more, and it is a look like others.
Whatever has another answer is left to Flask, which neither counts nor waits a second time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from games.core.table import SPECTATOR
from service.api.auth import LOADED, VIEW, etag_of, matches
from service.api.fast_paths import Counted, Environ
from service.api.looks import Look, LookPath
from service.api.subscribers import Poll, WaitingPoll, wait_for_changes
from service.http.fast_reply import Answer
from service.http.handover import WAITED
from service.http.problems import Problem
from service.http.request_context import SPAN, RequestSpan
from service.sessions.errors import TokenReplaced
from service.sessions.listening import is_replaced
from service.store.sessions import Session
from service.waiting import Wait

_QUERY: Final = "wait="
_SECONDS: Final = re.compile(r"[1-9][0-9]{0,3}\Z")

_FIRST_TURN: Final = "dorfplatz.first-turn"
"""Where the environment of a poll that waits has what its first turn leaves to the second."""


class _FirstTurn(NamedTuple):
    """A poll that waits: by which viewer, with the hash of which token; its span, how it was counted, what ends it."""

    viewer: int
    token: str | None
    span: RequestSpan
    counted: Counted
    end: Callable[[], None]


class PollPath(LookPath):
    """Answers long polls, where the server waits for answers without a thread."""

    def takes(self, environ: Environ) -> bool:
        """Tell whether a request is for a session once it is new, and for nothing else."""
        return "HTTP_IF_NONE_MATCH" in environ and super().takes(environ)

    def takes_query(self, query: str) -> bool:
        """Tell whether a query asks for nothing but a wait that may be."""
        seconds = query.removeprefix(_QUERY)
        if seconds == query or not _SECONDS.match(seconds):
            return False
        return int(seconds) <= self.context.settings.limits.wait_seconds

    def answer(self, _environ: Environ) -> None:
        """Leave a poll to Flask: this thread is all that could wait."""

    def answer_together(self, environs: Sequence[Environ]) -> Sequence[Answer]:
        """Return the answers to polls; in a first turn that is a wait where nothing is new."""
        began = time.perf_counter()
        firsts = [self._end_wait(environ) for environ in environs]
        self._load(environs, began)
        looks = [
            self._look_again(environ, first) if first else self._first_look(environ)
            for environ, first in zip(environs, firsts, strict=True)
        ]
        waits = [look if look and self._has_to_wait(look) else None for look in looks]
        told = self.answer_looks(
            [None if wait else look for look, wait in zip(looks, waits, strict=True)], began, together=True
        )
        begun = iter(self._begin_waits([look for look in waits if look], began))
        return [next(begun) if wait else reply for wait, reply in zip(waits, told, strict=True)]

    def _first_look(self, environ: Environ) -> Look | None:
        """Return the look of a poll that has not waited; None where Flask has to answer."""
        self._trust_proxies(environ, None)
        return self.look(environ)

    def _has_to_wait(self, look: Look) -> bool:
        """Tell whether nothing is new for a caller that has not waited yet, and something may come."""
        return look.is_known and look.counted is None and not look.environ[LOADED].over

    def _begin_waits(self, looks: Sequence[Look], began: float) -> list[Wait | None]:
        """Return the wait of each poll; None for one that may not wait, and Flask says why."""
        with self.app.app_context():
            found = wait_for_changes([self._poll(look) for look in looks])
        return [self._begun(look, waiting, began) for look, waiting in zip(looks, found, strict=True)]

    def _poll(self, look: Look) -> Poll:
        """Return for what a look waits."""
        seconds = int(look.environ["QUERY_STRING"].removeprefix(_QUERY))
        return Poll(look.environ[LOADED], look.viewer, seconds, self.account_of(look.environ).name)

    def _begun(self, look: Look, found: WaitingPoll | Exception, began: float) -> Wait | None:
        """Return the wait of a poll that has begun, and let it know of its second turn; None where it may not wait."""
        environ, viewer = look.environ, look.viewer
        if isinstance(found, Exception):
            if not isinstance(found, Problem):  # else Flask finds out by itself
                environ[LOADED] = found
            return None
        counted = self.count(environ, together=True)
        if counted is None:
            found.end()
            return None
        session: Session = environ.pop(LOADED)  # one for each who waits would take memory
        token = None if viewer == SPECTATOR else session.seats[viewer].token
        environ[_FIRST_TURN] = _FirstTurn(viewer, token, self.begin_span(environ, began), counted, found.end)
        return found.wait

    def _end_wait(self, environ: Environ) -> _FirstTurn | None:
        """End a poll's wait, if it has waited, and let Flask know of that; return what its first turn has left."""
        first: _FirstTurn | None = environ.pop(_FIRST_TURN, None)
        if first is not None:
            environ[SPAN], environ[WAITED] = first.span, first.counted
            first.end()
        return first

    def _look_again(self, environ: Environ, first: _FirstTurn) -> Look | None:
        """Return the look of a poll that has waited; None where Flask has to answer."""
        session: Session | Exception = environ[LOADED]
        if isinstance(session, Exception):
            return None
        if is_replaced(session, first.viewer, first.token):
            environ[LOADED] = TokenReplaced()
            return None
        tag = etag_of(session, first.viewer, VIEW, first.span.language)
        return Look(environ, first.viewer, tag, matches(environ, tag), first.span, first.counted)
