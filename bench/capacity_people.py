"""People who play against bots of a service, for `bench.capacity_load`."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any, Final

from bench.capacity_phases import CALLED, CHOICES, MOVE, SESSION, UNCHANGED, YARDSTICK, bot
from bench.load import Line, timed
from bench.sessions import create_session, move, view
from bench.town import Town
from service.store import keys

EXPAND: Final = "?expand=legal_moves"
POLL_SECONDS: Final = 0.25
"""Pause between two requests of a client that waits."""


class People:
    """Plays games of the yardstick as clients of people do, and counts each activity."""

    def __init__(self, town: Town) -> None:
        """Take the service."""
        self._town = town
        self._choice = Random("capacity")  # noqa: S311 -- plays at random, not in secret

    async def play(self, level: str, until: float, counts: Counter[str]) -> None:
        """Play games against a bot of a level, one after the other, until a time of the monotonic clock."""
        async with await Line.to(self._town.port) as line:
            while time.monotonic() < until:
                await self._game(line, level, until, counts)

    async def _game(self, line: Line, level: str, until: float, counts: Counter[str]) -> None:
        seats = [{"kind": "human"}, {"kind": "bot", "bot": {"level": level}}]
        made = await create_session(line, {"game": YARDSTICK[0], "seats": seats})
        counts[SESSION] += 1
        own, called = 0, -1
        while time.monotonic() < until:
            answer = await timed(line, view(made, query=EXPAND), 200, [])
            counts[CHOICES] += 1
            shown = answer.body
            if shown["status"] != "running":
                break
            if 0 in shown["actors"] and (listed := shown["legal_moves"]["moves"]):
                code = self._choice.choice(listed)["code"]
                await timed(line, move(made, 0, shown["version"], code), 201, [])
                counts[MOVE] += 1
                own += 1
                continue
            counts[CALLED] += called != own
            called = own
            await _await_bot(line, made, etag(answer.head), until, counts)
        mine = [made["id"]]
        counts[bot(YARDSTICK[0], level)] += played(self._town, mine) + chosen(self._town, mine) - own


async def _await_bot(line: Line, made: dict[str, Any], tag: str, until: float, counts: Counter[str]) -> None:
    sent = view(made, query=EXPAND, If_None_Match=tag)
    while time.monotonic() < until:
        await asyncio.sleep(POLL_SECONDS)
        status = (await line.ask(sent)).status
        counts[UNCHANGED if status == 304 else CHOICES] += 1
        if status != 304:
            return


def played(town: Town, sessions: Iterable[str]) -> int:
    """Return the number of moves in the logs of sessions; the first entry of a log is the start."""
    return sum(int(town.redis.xlen(keys.log(name))) - 1 for name in sessions)


def chosen(town: Town, sessions: Iterable[str]) -> int:
    """Return the number of moves that bots have chosen but not made, because of their pauses."""
    fields = [field for name in sessions for field in town.redis.hkeys(keys.decisions(name))]
    return sum(b"/" not in field for field in fields)


def etag(head: bytes) -> str:
    """Return the ETag in the headers of a response."""
    return head.decode().lower().partition("etag: ")[2].partition("\r\n")[0]
