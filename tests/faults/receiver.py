"""Receivers of webhooks and push messages that lose responses, and the messages that they must have received."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Self

from service.sessions.services import SessionServices
from service.sessions.turns import decision
from service.store.hooks import DELIVERED, DELIVERY_FAILED, TIMED_OUT, UNREACHABLE, Attempt, HookMessage
from service.store.pushes import PushStore
from service.store.sessions import Session
from service.webhooks.messages import SEAT_ASKED_EVENT, SESSION_ENDED
from service.webhooks.push import PushSubscription, Vapid
from service.webhooks.target import Target
from tests.faults.simulation import REVIVAL_MS, Killed, World, current_actor
from workers.webhooks.deliver import PAUSES_MS
from workers.webhooks.push import PushSender

LOSS_RATE: Final = 0.1
"""Probability that a message does not arrive, and that its response does not."""

DEATH_RATE: Final = 0.4
"""Probability that the worker is killed after it has sent a push message, or before the message arrives."""

ANSWER_SECONDS: Final = 0.05

NO_MESSAGE: Final = "no message arrives"
NO_ANSWER: Final = "no answer arrives"
DIED: Final = "killed while sending"


@dataclass
class Receiver:
    """Takes messages for one webhook of a key that has all seats of a session. It may refuse the first one for ever."""

    world: World
    choice: Random
    refuses: bool = False
    refused: str = ""
    arrived: list[tuple[str, bytes]] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)

    def take(self, _target: Target, headers: Mapping[str, str], body: bytes) -> Attempt:
        """Return the sender's result of sending a message."""
        world, name = self.world, headers["webhook-id"]
        self.tried.append(name)
        if self.refuses:
            self.refused = self.refused or name
        world.sleep(ANSWER_SECONDS)
        point = 1.0 if world.is_calm else self.choice.random()
        if point < LOSS_RATE:
            world.disturb(NO_MESSAGE, world.now)
            return Attempt(at=world.now, milliseconds=0, problem=UNREACHABLE)
        if name == self.refused:
            return Attempt(at=world.now, milliseconds=0, status=500)
        self.arrived.append((name, body))
        if point < 2 * LOSS_RATE:
            world.disturb(NO_ANSWER, world.now)
            return Attempt(at=world.now, milliseconds=0, problem=TIMED_OUT)
        return Attempt(at=world.now, milliseconds=0, status=204)

    def check(self, session: str, kept: Sequence[HookMessage], moved: Mapping[int, int]) -> None:
        """Check that every message came at least once, under one id, and was first sent in the order of the events.

        `kept` are the messages in the store. `moved` is the number of acknowledged moves of each seat of the session.
        Each of these moves had a message. A message that is refused for ever is given up.
        """
        bodies = dict(self.arrived)
        assert all(bodies[name] == body for name, body in self.arrived), "one id has two bodies"
        taken = [message for message in kept if message.id != self.refused]
        assert {message.id for message in taken} == set(bodies), "a message did not arrive, or is unknown"
        assert {message.state for message in taken} <= {DELIVERED}
        given_up = [(each.state, each.tries) for each in kept if each.id == self.refused]
        assert given_up in ([], [(DELIVERY_FAILED, len(PAUSES_MS) + 1)]), given_up
        made = {message.id: message.made for message in kept}
        first = [made[name] for name in dict.fromkeys(self.tried)]
        assert first == sorted(first), f"first sent in the order {first}"
        told = [each for message in kept if (each := json.loads(message.body))["data"]["session"] == session]
        asked = Counter(each["data"]["seat"] for each in told if each["type"] == SEAT_ASKED_EVENT)
        assert all(asked[seat] >= number for seat, number in moved.items()), f"asked {asked}, moved {moved}"
        assert [each["type"] for each in told].count(SESSION_ENDED) == 1


@dataclass(frozen=True)
class Sent:
    """A push message that was sent: its seat and decision, its time, and whether it arrived and was answered."""

    seat: int
    decision: str
    at: int
    arrived: bool
    answered: bool


@dataclass
class PushReceiver:
    """Takes the push messages of all seats of a session."""

    world: World
    choice: Random
    sent: list[Sent] = field(default_factory=list)

    def take(self, _target: Target, _headers: Mapping[str, str], body: bytes) -> Attempt:
        """Return the sender's result of sending a message."""
        world = self.world
        world.sleep(ANSWER_SECONDS)
        point = 1.0 if world.is_calm else self.choice.random()
        if not world.has_calmed and self.choice.random() < DEATH_RATE:
            world.disturb(DIED, world.now + REVIVAL_MS)
            actor = current_actor()
            assert actor is not None
            actor.dead = True
            raise Killed
        seat, _, matter = body.decode().partition(" ")
        self.sent.append(Sent(int(seat), matter, world.now, point >= LOSS_RATE, point >= 2 * LOSS_RATE))
        if self.sent[-1].answered:
            return Attempt(at=world.now, milliseconds=0, status=201)
        world.disturb(NO_ANSWER if self.sent[-1].arrived else NO_MESSAGE, world.now)
        return Attempt(at=world.now, milliseconds=0, problem=TIMED_OUT if self.sent[-1].arrived else UNREACHABLE)

    def check_once(self) -> None:
        """Check that a message whose response arrived is not sent again, unless its sender failed afterwards."""
        last = dict[str, Sent]()
        for each in self.sent:
            before = last.get(each.decision)
            if before is not None and before.answered:
                assert self.world.was_disturbed(before.at, each.at), f"push of {each.decision} was sent twice"
            last[each.decision] = each


@dataclass(frozen=True)
class SimulatedPush(PushSender):
    """Sends push messages without encryption, which would take longer than the rest of a schedule."""

    @classmethod
    def begin(cls, services: SessionServices, store: PushStore, receiver: PushReceiver) -> Self:
        """Return a sender to a receiver."""
        return cls(services, store, Vapid(b"", b"", "", ""), receiver.take)

    def _message(self, session: Session, seat: int, _subscription: PushSubscription) -> tuple[dict[str, str], bytes]:
        return {}, f"{seat} {decision(session, seat)}".encode()
