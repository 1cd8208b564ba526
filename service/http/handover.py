"""Handing an answer that waits over to the server, which then waits for it without a thread.

A stream yields `service.waiting.Wait` between its chunks. A request that waits for one thing ends its turn by
`HandOver` and has another once the wait is over, in which nothing is counted or checked a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import thread_time
from typing import Any, Final

from flask import Response, g, request

from service.waiting import Wait

GONE: Final = "dorfplatz.gone"
"""The key in a request's environment of a function that says whether the client has hung up, if the server knows."""

WAITS: Final = "dorfplatz.waits"
"""The key that is there where the server waits for answers without a thread."""

RESUMED: Final = "dorfplatz.resumed"
"""The key of the HandOver with which a request's first turn ended."""


WAITED: Final = "dorfplatz.waited"
"""Where a request's environment has how it was counted, if it has waited before it came to Flask."""


class HandOver(BaseException):
    """Ends a request's turn, until a wait is over; no error, so that nobody takes it for one."""

    def __init__(self, wait: Wait, answer: Callable[[], Response]) -> None:
        """Take what is waited for, and the function that answers afterwards."""
        super().__init__()
        self.wait, self._answer = wait, answer
        self._known = dict(vars(g))
        self._spent = thread_time()

    def resume(self) -> Response:
        """Answer, in the second turn, as the caller of the first."""
        vars(g).update(self._known)
        if "cpu_began" in g:  # each turn has a thread of its own
            g.cpu_began += thread_time() - self._spent
        g.span.enter()
        return self._answer()


def answer_after(wait: Wait, answer: Callable[[], Response]) -> Response:
    """Answer a request after a wait: in another turn, or in this thread where the server cannot wait."""
    if WAITS in request.environ:
        raise HandOver(wait, answer)
    for _ in wait:
        pass
    return answer()


def resumed() -> HandOver | None:
    """Return with what the request's first turn ended; None where this is the first."""
    found: HandOver | None = request.environ.pop(RESUMED, None)
    return found


def as_body(parts: Iterable[bytes | Wait]) -> Iterable[Any]:
    """Return the body of a response, with its waits where the server understands them."""
    return parts if WAITS in request.environ else _in_thread(parts)


def _in_thread(parts: Iterable[bytes | Wait]) -> Iterator[bytes]:
    """Yield chunks, and hold the thread where they are waited for."""
    for part in parts:
        if isinstance(part, Wait):
            yield from part
        else:
            yield part
