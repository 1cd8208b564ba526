"""Liveness of a simulated session: how long each change may take to reach its readers, and each bot to move.

A delay counts from the change or from the end of the last fault before its effect, whichever is later. So the bounds
hold for any schedule.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

from service.store.sessions import LogEntry
from tests.faults.receiver import PushReceiver
from tests.faults.simulated_web import Look, SimulatedEar
from tests.faults.simulation import FOREVER_MS, World

STREAM_MS: Final = 5_000
"""Maximum delay of an event in a stream: the reader looks every second, and a listener that hung up comes back."""

POLL_MS: Final = 3_500
"""Maximum time after a change until a long poll that waits for it is answered."""

BOT_MS: Final = 14_000
"""Maximum time after which a bot moves. A dead worker has its lease for eight seconds."""

PUSH_MS: Final = 10_000
"""Maximum time after which a push message about an open decision has been sent."""


class Late(AssertionError):
    """Something happened too late, or has not happened."""


def check_stream(world: World, lines: Sequence[LogEntry], ear: SimulatedEar) -> None:
    """Check that each event reached a listener in time."""
    written = {line.versions[ear.viewer]: line.at for line in lines if line.versions[ear.viewer]}
    for (_, version), at in zip(ear.heard, ear.times, strict=True):
        late = world.lateness(max(written[version], ear.began), at)
        if late > STREAM_MS:
            raise Late(f"version {version} reached the stream of {ear.viewer} after {late} ms")


def check_polls(world: World, lines: Sequence[LogEntry], viewer: int, polls: Sequence[Look]) -> None:
    """Check that each long poll was answered soon after the change for which it waited."""
    for poll in polls:
        written = next((line.at for line in lines if line.versions[viewer] > poll.version), None)
        if written is None or written > poll.ended:
            continue
        late = world.lateness(max(written, poll.began), poll.ended)
        if late > POLL_MS:
            raise Late(f"a poll of {viewer} at version {poll.version} was answered {poll.status} after {late} ms")


def check_bots(world: World, lines: Sequence[LogEntry], bots: Collection[int]) -> None:
    """Check that each bot moved soon after the change before its move."""
    for before, line in pairwise(lines):
        if line.entry is not None and line.entry.seat in bots:
            late = world.lateness(before.at, line.at)
            if late > BOT_MS:
                raise Late(f"the bot of seat {line.entry.seat} moved after {late} ms")


def check_pushes(
    world: World, lines: Sequence[LogEntry], receiver: PushReceiver, since: Mapping[int, int], until: Mapping[int, int]
) -> None:
    """Check that a seat that took long to move got a push message for its new decision.

    Requests for an undo, answers to them, pauses and votes open no decision.
    `since` has the time of each seat's subscription, and `until` the time from which it may have ended.
    """
    for seat, subscribed in since.items():
        moved, known = subscribed, subscribed
        for line in lines:
            is_own = line.entry is not None and line.entry.seat == seat
            late = world.lateness(max(known, subscribed), min(line.at, until.get(seat, FOREVER_MS)))
            if is_own and known > subscribed and late > PUSH_MS:
                arrived = [each for each in receiver.sent if each.seat == seat and moved <= each.at <= line.at]
                if not any(each.arrived for each in arrived):
                    raise Late(f"seat {seat} decided for {late} ms without a push message")
            if is_own:
                moved = line.at
            opens = line.entry is not None or line.dealt or line.back_to is not None
            if line.versions[seat] and opens:
                known = line.at
