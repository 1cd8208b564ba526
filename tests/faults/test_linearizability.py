"""The checker of histories: it takes what can be, and refuses each thing that a service must not do."""

from __future__ import annotations

from typing import Any, Final

import pytest

from games.core.game import Entry
from games.core.table import SPECTATOR
from service.store.sessions import LogEntry
from tests.faults.caller import Answer, Exchange
from tests.faults.linearizability import Client, NotLinearizable, check

HERE: Final = "/v1/sessions/x"
LINES: Final = [
    LogEntry(at=1, versions=[1, 1, 1]),
    LogEntry(at=2, versions=[2, 0, 0], entry=Entry(seat=0, move=7)),  # sealed: the others hear of it later
    LogEntry(at=3, versions=[3, 2, 2], entry=Entry(seat=1, move=8)),
    LogEntry(at=4, versions=[0, 0, 3]),
]
"""Two seats and the spectators: revisions 1 to 4, and the versions that each moved."""


def look(began: float, ended: float, version: int) -> Exchange:
    shown = Answer(200, {}, {"status": "running", "version": version})
    return Exchange("GET", HERE, None, {}, began, ended, shown)


def unchanged(began: float, ended: float, version: int) -> Exchange:
    """Return a look that found nothing new."""
    return Exchange("GET", HERE, None, {"If-None-Match": f'"{version}.en.view"'}, began, ended, Answer(304, {}, None))


def move(began: float, ended: float, version: int, code: int, status: int = 201, key: str | None = None) -> Exchange:
    headers = {"If-Match": f'"{version}"'} | ({} if key is None else {"Idempotency-Key": key})
    body: dict[str, Any] = {"version": version + 1} if status == 201 else {"code": "version-mismatch"}
    path = f"{HERE}/moves"
    return Exchange("POST", path, {"move": {"code": code}}, headers, began, ended, Answer(status, {}, body))


def lost(began: float, version: int, code: int, key: str) -> Exchange:
    """Return a move whose answer did not come."""
    sent = move(began, began, version, code, key=key)
    return Exchange(sent.method, sent.path, sent.body, sent.headers, began)


ORDERED: Final[dict[str, list[Client]]] = {
    "one after the other": [
        Client(0, [look(0, 1, 1), move(2, 3, 1, 7), look(4, 5, 2)]),
        Client(1, [look(6, 7, 1), move(8, 9, 1, 8)]),
        Client(SPECTATOR, [look(10, 11, 2), look(12, 13, 3)], [(10.5, 2), (14, 3)]),
    ],
    "a look while another moves sees either": [
        Client(1, [move(8, 20, 1, 8)]),
        Client(0, [look(9, 10, 2), look(11, 12, 3)]),
    ],
    "a move is done before its answer comes": [Client(0, [move(0, 9, 1, 7)], [(1, 2)]), Client(1, [move(2, 3, 1, 8)])],
    "a move whose answer was lost is done at its first sending": [
        Client(0, [lost(0, 1, 7, "a"), look(1, 2, 2), move(3, 4, 1, 7, key="a"), move(5, 6, 1, 7, key="a")])
    ],
    "a move whose answer was lost was not done": [Client(0, [lost(0, 2, 9, "b")])],
    "a move is refused since another came before": [Client(SPECTATOR, [move(0, 1, 1, 7, 412)])],
    "nothing new": [Client(1, [unchanged(0, 1, 1)]), Client(0, [unchanged(2, 3, 2)])],
}

BROKEN: Final[dict[str, list[Client]]] = {
    "a view older than what its caller had seen": [Client(0, [look(0, 1, 3), look(2, 3, 2)])],
    "a view older than what another had seen": [Client(0, [look(0, 1, 3)]), Client(1, [look(2, 3, 1)])],
    "a view older than the own move": [Client(0, [move(0, 1, 1, 7), look(2, 3, 1)])],
    "a view older than what a stream has told": [Client(0, [], [(1, 3)]), Client(1, [look(2, 3, 1)])],
    "a stream that leaves out a version": [Client(0, [], [(1, 1), (2, 3)])],
    "a stream that tells of a version again": [Client(0, [], [(1, 2), (2, 2)])],
    "nothing new, where there was": [Client(0, [move(0, 1, 1, 7), unchanged(2, 3, 1)])],
    "a move that is seen before it is sent": [Client(SPECTATOR, [look(0, 1, 2)]), Client(1, [move(2, 3, 1, 8)])],
    "an acknowledged move that is not there": [Client(0, [move(0, 1, 1, 9)])],
    "an acknowledged move of another seat's": [Client(1, [move(0, 1, 1, 7)])],
    "a move at a version that was over": [Client(0, [move(0, 1, 2, 7)])],
    "a version that never was": [Client(0, [look(0, 1, 4)])],
    "a move refused for a version that never came": [Client(0, [move(0, 1, 3, 7, 412)])],
    "a refusal that comes before its reason": [Client(0, [move(0, 1, 1, 7, 412), move(2, 3, 1, 7)])],
    "two answers to one key": [Client(0, [move(0, 1, 1, 7, key="a"), move(2, 3, 1, 7, key="a")])],
}


@pytest.mark.parametrize("clients", ORDERED.values(), ids=ORDERED.keys())
def test_what_fits_into_one_order_is_taken(clients: list[Client]) -> None:
    done = {
        (number, exchange.headers.get("Idempotency-Key", str(at)))
        for number, client in enumerate(clients)
        for at, exchange in enumerate(client.exchanges)
        if exchange.answer is not None
    }
    assert check(LINES, clients) == len(done) + sum(len(client.heard) for client in clients)


@pytest.mark.parametrize("clients", BROKEN.values(), ids=BROKEN.keys())
def test_what_fits_into_no_order_is_refused(clients: list[Client]) -> None:
    if clients is BROKEN["two answers to one key"]:
        clients[0].exchanges[1].answer = Answer(201, {}, {"version": 3})
    with pytest.raises(NotLinearizable):
        check(LINES, clients)


def test_a_log_that_misses_a_version_is_refused() -> None:
    with pytest.raises(NotLinearizable, match="audience 1 has the versions"):
        check([*LINES[:2], LogEntry(at=3, versions=[3, 3, 2])], [])
