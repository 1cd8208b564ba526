"""Sends one message in a single request with limited time and size.

The request follows no redirects, uses no proxy and stores no cookies.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio
import httpcore

from service.store.hooks import BAD_ANSWER, NO_PUBLIC_ADDRESS, TIMED_OUT, UNREACHABLE, UNTRUSTED, Attempt
from service.webhooks.guard import Guard, NotPublic
from service.webhooks.target import Target

SECONDS: Final = 10.0
"""Maximum duration of an attempt, from name resolution to the response headers."""

AGENT: Final = "Dorfplatz-Webhooks/1"


@dataclass(frozen=True, slots=True)
class Post:
    """Sends a message in a single POST request."""

    guard: Guard
    seconds: float = SECONDS
    trust: ssl.SSLContext = field(default_factory=httpcore.default_ssl_context)

    def __call__(self, target: Target, headers: Mapping[str, str], body: bytes) -> Attempt:
        """Send a message. Return an `Attempt`, which contains the status of the response.

        If there is no response, the `Attempt` contains the reason. The body of the response is not read.
        """
        at, began = time.time_ns() // 1_000_000, time.monotonic()
        status: int | None = None
        problem: str | None = None
        try:
            status = anyio.run(self._send, target, headers, body)
        except NotPublic:
            problem = NO_PUBLIC_ADDRESS
        except (TimeoutError, httpcore.TimeoutException):
            problem = TIMED_OUT
        except httpcore.ConnectError as error:
            problem = UNTRUSTED if _came_of(error, ssl.SSLError) else UNREACHABLE
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError):
            problem = BAD_ANSWER
        return Attempt(at=at, milliseconds=round((time.monotonic() - began) * 1000), status=status, problem=problem)

    async def _send(self, target: Target, headers: Mapping[str, str], body: bytes) -> int:
        url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
        sent = {"host": target.netloc, "user-agent": AGENT, "content-type": "application/json", **headers}
        pool = httpcore.AsyncConnectionPool(ssl_context=self.trust, network_backend=self.guard)
        with anyio.fail_after(self.seconds):
            async with pool, pool.stream("POST", url, headers=list(sent.items()), content=body) as answer:
                return int(answer.status)


def _came_of(error: BaseException | None, kind: type[BaseException]) -> bool:
    return error is not None and (isinstance(error, kind) or _came_of(error.__context__, kind))
