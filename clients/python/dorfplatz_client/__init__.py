"""A client of Dorfplatz: `Client(url).play("hoher-rat", bots=["hard"])`, and the same with `await` and AsyncClient."""

from dorfplatz_client.asynchronous.client import AsyncClient, AsyncJob, AsyncSeat
from dorfplatz_client.generated.contract import CONTRACT_VERSION
from dorfplatz_client.generated.synchronous.client import Client, Job, Seat
from dorfplatz_client.problems import IllegalMoveError, ProblemError, StaleVersionError
from dorfplatz_client.retries import Message

__all__ = [
    "CONTRACT_VERSION",
    "AsyncClient",
    "AsyncJob",
    "AsyncSeat",
    "Client",
    "IllegalMoveError",
    "Job",
    "Message",
    "ProblemError",
    "Seat",
    "StaleVersionError",
]
