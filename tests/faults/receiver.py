"""A receiver of webhooks that loses responses, with the messages that it must have received in the end."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from service.store.hooks import DELIVERED, TIMED_OUT, UNREACHABLE, Attempt, HookMessage
from service.webhooks.messages import SEAT_ASKED_EVENT, SESSION_ENDED
from service.webhooks.target import Target
from tests.faults.simulation import World

LOSS_RATE: Final = 0.1
"""Probability that a message does not arrive, and that its response does not."""

ANSWER_SECONDS: Final = 0.05


@dataclass
class Receiver:
    """Takes messages for one webhook of a key that has all seats of a session."""

    world: World
    choice: Random
    arrived: list[tuple[str, bytes]] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)

    def take(self, _target: Target, headers: Mapping[str, str], body: bytes) -> Attempt:
        """Return the sender's result of sending a message."""
        name = headers["webhook-id"]
        self.tried.append(name)
        self.world.sleep(ANSWER_SECONDS)
        point = 1.0 if self.world.peace else self.choice.random()
        if point < LOSS_RATE:
            return Attempt(at=self.world.now, milliseconds=0, problem=UNREACHABLE)
        self.arrived.append((name, body))
        if point < 2 * LOSS_RATE:
            return Attempt(at=self.world.now, milliseconds=0, problem=TIMED_OUT)
        return Attempt(at=self.world.now, milliseconds=0, status=204)


def check_deliveries(
    sent: Sequence[str], arrived: Sequence[tuple[str, bytes]], kept: Sequence[HookMessage], moved: Mapping[int, int]
) -> None:
    """Check that every message came at least once, under one id, and was first sent in the order of the events.

    `sent` are the ids of the sent messages, in order, and `arrived` the received ones with their bodies. `kept` are the
    messages in the store, and `moved` the number of acknowledged moves of each seat, each of which had a message.
    """
    bodies = dict(arrived)
    assert all(bodies[name] == body for name, body in arrived), "one id has two bodies"
    assert {message.id for message in kept} == set(bodies), "a message did not arrive, or is unknown"
    assert {message.state for message in kept} <= {DELIVERED}
    made = {message.id: message.made for message in kept}
    first = [made[name] for name in dict.fromkeys(sent)]
    assert first == sorted(first), f"first sent in the order {first}"
    told: list[Any] = [json.loads(body) for body in bodies.values()]
    asked = Counter(each["data"]["seat"] for each in told if each["type"] == SEAT_ASKED_EVENT)
    assert all(asked[seat] >= number for seat, number in moved.items()), f"asked {asked}, moved {moved}"
    assert [each["type"] for each in told].count(SESSION_ENDED) == 1
