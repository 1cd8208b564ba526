"""Plays whole games by the tools alone and counts the text: `whole_games.py` prints a table for every game."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
from flask import Flask

import dorfplatz_client
from dorfplatz_mcp.compact import written
from dorfplatz_mcp.service import Service

CHARACTERS_PER_TOKEN: Final = 4
MAX_TOKENS: Final = 60_000
SEEDS: Final = (1, 2, 3, 4, 5)


@dataclass
class Reader:
    """An agent that plays at random by the tools, and the text that went to and fro."""

    service: Service
    total: int = 0
    longest: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    sums: dict[str, int] = field(default_factory=dict)

    def call(self, tool: str, **arguments: Any) -> Any:
        answer = getattr(self, f"_{tool}", getattr(self.service, tool))(**arguments)
        told = len(written(answer))
        self.longest[tool] = max(self.longest.get(tool, 0), told)
        self.total += told + len(written(arguments)) + len(tool)
        self.sums[tool] = self.sums.get(tool, 0) + told
        self.calls += 1
        return answer

    def _rules(self, game: str, first: int) -> Any:
        from dorfplatz_mcp.server import chosen, page_of_rules  # noqa: PLC0415 -- every process collects

        return page_of_rules(chosen(self.service.rules(game), None), first)

    def read_rules(self, game: str) -> None:
        first: int | None = 0
        while first is not None:
            first = self.call("rules", game=game, first=first).get("next")


@contextmanager
def tables(app: Flask) -> Iterator[Service]:
    transport = httpx.WSGITransport(app=app)
    with dorfplatz_client.Client("http://dorfplatz.test", transport=transport) as client:
        yield Service(client)


def play(service: Service, game: str, seats: int, seed: int) -> Reader:
    """Play a whole game at random; one seat by the tools alone, the others by the client."""
    draw, agent = random.Random(seed), Reader(service)
    agent.call("games")
    agent.read_rules(game)
    bots = ["open"] * (seats - 1)
    opened = agent.call("open_table", game=game, bots=bots, name="Agent", seed=str(seed), number=0)
    client = service.client  # the others play beside the agent
    others = {
        each["seat"]: client.claim(opened["session"], each["seat"], code=each["code"]) for each in opened["invites"]
    }
    seen: Any = {"your_turn": False}
    while True:
        if not seen["your_turn"]:
            seen = agent.call("look", handle=opened["table"], wait=1)
        if seen.get("status", "waiting") != "waiting":
            break
        if seen["your_turn"]:
            listed = agent.call("legal_moves", handle=opened["table"])
            code = int(draw.choice([*listed["moves"]]))
            seen = agent.call("move", handle=opened["table"], move={"code": code})
        play_others(others, draw)
    read = Reader(service)
    first: int | None = 0
    while first is not None:
        first = read.call("history", handle=opened["table"], first=first).get("next")
    agent.longest |= read.longest
    return agent


def play_others(others: dict[int, Any], draw: random.Random) -> None:
    while True:
        moved = False
        for seat in others.values():
            seat.look()
            if seat.is_asked and (listed := seat.legal_moves()):
                seat.move(draw.choice(listed))
                moved = True
        if not moved:
            return


def main(games: list[str]) -> None:
    """Print the longest view, list and history, and the text of whole games, for every number of seats."""
    from games.core.registry import registered  # noqa: PLC0415 -- a command of its own
    from service.launch.redis import launch  # noqa: PLC0415
    from tests.contract.scenes import application  # noqa: PLC0415

    with TemporaryDirectory() as folder:
        server = launch(Path(folder), {"appendfsync": "no"})
        try:
            with tables(application(server.url)) as service:
                for slug in games or registered():
                    for seats in registered()[slug].seat_numbers:
                        print(row(slug, seats, [play(service, slug, seats, seed) for seed in SEEDS]), flush=True)  # noqa: T201
        finally:
            server.stop()


def row(slug: str, seats: int, played: list[Reader]) -> str:
    """Return a row of the table: maxima over some games, in characters, and the tokens of the longest game."""
    longest = [max(each.longest[tool] for each in played) for tool in ("look", "legal_moves", "history", "rules")]
    total = max(each.total for each in played)
    calls = max(each.calls for each in played)
    return (
        f"| {slug} | {seats} | " + " | ".join(map(str, [*longest, calls, total, total // CHARACTERS_PER_TOKEN])) + " |"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
