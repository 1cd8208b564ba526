"""Streams listened to while others act in secret: two worlds with one view send the same bytes, chunk by chunk."""

from collections.abc import Sequence
from typing import Any

import pytest
import redis
from flask import Flask

from games.core.table import SPECTATOR
from service.sessions.reading import table_of
from tests.service.kit import PEOPLE, Clock, Sitting, bid, freeze, sit, take
from tests.service.streams.hearing import NDJSON, SSE, listen
from tests.toy import GAME

Act = tuple[int, dict[str, Any], int]
"""A seat, its move, and how many chunks it brings to the listener."""


def stream_of(
    app: Flask, viewer: int, kind: str, acts: Sequence[Act], seed: str = "noon"
) -> tuple[list[Any], list[bytes]]:
    """Return headers and chunks of a viewer's stream while others act, until the owner ends the session."""
    caller = None if viewer == SPECTATOR else viewer
    with freeze(app, Clock()):
        sitting = sit(app, *PEOPLE, {"kind": "human"}, seed=seed)
        frozen = {"Request_Id": "frozen", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
        answer = listen(sitting, caller, Accept=kind, **frozen)
        stream = answer.iter_encoded()
        chunks = [next(stream) for _ in range(3 if kind == SSE else 2)]
        for seat, move, brings in acts:
            assert sitting.move(seat, move).status_code == 201
            chunks += [next(stream) for _ in range(brings)]
        assert sitting.call("owner", "DELETE").status_code == 204
        chunks += stream
        answer.close()
    return sorted(answer.headers.items()), chunks


@pytest.mark.parametrize("kind", [SSE, NDJSON])
@pytest.mark.parametrize("viewer", [0, SPECTATOR])
def test_nobody_hears_what_others_bid_in_secret(app: Flask, redis_client: redis.Redis, viewer: int, kind: str) -> None:
    worlds = []
    for one, other in ((0, 2), (2, 1), (1, 0)):
        redis_client.flushall()
        worlds.append(stream_of(app, viewer, kind, [(1, bid(one), 1), (2, bid(other), 1)]))
    assert worlds[1:] == worlds[:-1]
    assert b"pebble_bid_given" not in b"".join(worlds[0][1])


@pytest.mark.parametrize("viewer", [0, 1, SPECTATOR])
def test_nobody_hears_what_others_hold_and_draw(app: Flask, redis_client: redis.Redis, viewer: int) -> None:
    bids: list[Act] = [(seat, bid(1), 1) for seat in range(2)]
    if viewer in {0, 1}:
        bids[viewer] = (viewer, bid(1), 2)
    acts: list[Act] = [*bids, (2, bid(1), 2), (0, take(1), 2), (1, take(2), 2)]
    worlds: dict[int, list[Any]] = {}
    for number in range(12):
        redis_client.flushall()
        seed = f"world {number}"
        with freeze(app, Clock()):
            hands = held(app, sit(app, *PEOPLE, {"kind": "human"}, seed=seed))
        redis_client.flushall()
        own = 0 if viewer == SPECTATOR else hands[viewer]
        worlds.setdefault(own, []).append((hands, stream_of(app, viewer, SSE, acts, seed)))
    alike = max(worlds.values(), key=len)
    assert len({tuple(hands) for hands, _ in alike}) > 1
    assert all(told == alike[0][1] for _, told in alike)


def held(app: Flask, sitting: Sitting) -> list[int]:
    """Return the truth: which card each seat holds."""
    session = app.extensions["context"].sessions.store.load(sitting.made["id"])
    return list(GAME.write(table_of(GAME, session)).hands)  # type: ignore[attr-defined]
