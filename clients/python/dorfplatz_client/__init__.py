"""A client of Dorfplatz: `Client(url).play("hoher-rat", bots=["hard"])`."""

from dorfplatz_client.client import Client, Job, Seat
from dorfplatz_client.contract import CONTRACT_VERSION
from dorfplatz_client.problems import IllegalMoveError, ProblemError, StaleVersionError
from dorfplatz_client.transport import Message

__all__ = [
    "CONTRACT_VERSION",
    "Client",
    "IllegalMoveError",
    "Job",
    "Message",
    "ProblemError",
    "Seat",
    "StaleVersionError",
]
