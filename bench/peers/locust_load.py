"""A load made by Locust, on our service or on boardgame.io's: `python locust_load.py ORDER`, an order in JSON.

It prints `{}` in a line when all users are at work and warm, and the results after the measurement.
"""

import json
import sys
import time
from importlib.metadata import version
from itertools import count
from typing import Any

import gevent  # type: ignore[import-untyped]
from gevent.queue import SimpleQueue  # type: ignore[import-untyped]
from locust import FastHttpUser, constant, task  # type: ignore[import-not-found]
from locust.env import Environment  # type: ignore[import-not-found]

# Locust puts its own sockets into the standard library, so what uses them is loaded after it.
# isort: split
import socketio  # type: ignore[import-not-found]

ORDER: dict[str, Any] = json.loads(sys.argv[1])
SPACE = "/pebbles"
PATIENCE = 60
LOOK_SECONDS = 0.1
AT_WORK: set[int] = set()
"""The users in the measured phase."""

BIDS = 2
"""Number of bids in a match of Pebbles, one of each player."""


class Ours(FastHttpUser):  # type: ignore[misc]
    """One connection that plays all seats of a session, as recorded."""

    abstract = True
    wait_time = constant(0)

    def found(self) -> None:
        """Found a session."""
        made = self.ask("POST", "/v1/sessions", "found", 201, json=ORDER["session"])
        self.path = f"/v1/sessions/{made['id']}"
        self.tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in made["seats"]]

    def move(self, seat: int, seen: int, code: int) -> None:
        """Make a move."""
        headers = {**self.tokens[seat], "If-Match": f'"{seen}"'}
        self.ask("POST", f"{self.path}/moves", "move", 201, json={"move": {"code": code}}, headers=headers)

    def ask(self, method: str, path: str, name: str, expected: int, **more: Any) -> Any:
        """Send a request; any other status is a failure."""
        with self.client.request(method, path, name=name, catch_response=True, **more) as answer:
            if answer.status_code == expected:
                answer.success()
            else:
                answer.failure(f"{answer.status_code} instead of {expected}: {answer.text}")
            return json.loads(answer.text) if answer.text else None


class OurMover(Ours):
    """Plays one session after the other."""

    @task  # type: ignore[untyped-decorator]
    def play(self) -> None:
        """Play a session to its end."""
        AT_WORK.add(id(self))
        self.found()
        for seat, seen, code in ORDER["moves"]:
            self.move(seat, seen, code)


class OurViewer(Ours):
    """Looks at one session again and again."""

    def on_start(self) -> None:
        """Play to the middle of a game."""
        self.found()
        for seat, seen, code in ORDER["moves"][: ORDER["middle"]]:
            self.move(seat, seen, code)
        answer = self.client.get(self.path, name="first look", headers=self.tokens[0])
        known = {"If-None-Match": answer.headers["ETag"]} if ORDER["expected"] == 304 else {}
        self.headers = {**self.tokens[0], **known}

    @task  # type: ignore[untyped-decorator]
    def look(self) -> None:
        """Look once."""
        AT_WORK.add(id(self))
        self.ask("GET", self.path, "view", ORDER["expected"], headers=self.headers)


class Theirs(FastHttpUser):  # type: ignore[misc]
    """One socket that plays both seats of a match of Pebbles."""

    abstract = True
    max_retries = 3  # the lobby closes an idle connection
    wait_time = constant(0)

    def on_start(self) -> None:
        """Connect."""
        self.told: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self.socket = socketio.Client(reconnection=False, handle_sigint=False)
        for event in ("update", "sync"):
            self.socket.on(event, lambda *args: self.told.put(args), namespace=SPACE)
        self.socket.connect(ORDER["url"], transports=["websocket"], namespaces=[SPACE])

    def begin(self) -> None:
        """Have a match made by the lobby, sit down on both seats, and join its room."""
        self.match = self.lobby("create", {"numPlayers": 2})["matchID"]
        seats = [{"playerID": str(seat), "playerName": "bench"} for seat in range(2)]
        self.keys = [self.lobby(f"{self.match}/join", seat)["playerCredentials"] for seat in seats]
        self.state = self.look()["state"]

    def lobby(self, what: str, body: dict[str, Any]) -> Any:
        """Send a request to the lobby."""
        return self.client.post(f"/games/pebbles/{what}", json=body, name="lobby").json()

    def look(self) -> Any:
        """Request the whole view, and return it."""
        return self.ask("view", "sync", (self.match, "0", self.keys[0], 2))[1]

    def move(self, kind: str, seat: int, amount: int) -> None:
        """Make a move, and wait until all clients have received it."""
        told = {"type": kind, "args": [amount], "playerID": str(seat), "credentials": self.keys[seat]}
        known = self.state["_stateID"]
        self.state = self.ask("move", "update", ({"type": "MAKE_MOVE", "payload": told}, known, self.match, str(seat)))[
            1
        ]
        if self.state["_stateID"] <= known:
            raise RuntimeError("a move was not made")

    def ask(self, name: str, event: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Send an event, and return the response."""
        with self.environment.events.request.measure("WS", name):
            self.socket.emit(event, args, namespace=SPACE)
            told: tuple[Any, ...] = self.told.get(timeout=PATIENCE)
            return told

    def moves(self, number: float) -> None:
        """Bid nothing, then take one pebble by turns, until this number of moves is made or the match is over."""
        for made in count():
            if made >= number or "gameover" in self.state["ctx"]:
                return
            if made < BIDS:
                self.move("bid", made, 0)
            else:
                self.move("take", int(self.state["ctx"]["currentPlayer"]), 1)


class TheirMover(Theirs):
    """Plays one match after the other."""

    @task  # type: ignore[untyped-decorator]
    def play(self) -> None:
        """Play a match to its end."""
        AT_WORK.add(id(self))
        self.begin()
        self.moves(float("inf"))


class TheirViewer(Theirs):
    """Looks at one match again and again."""

    def on_start(self) -> None:
        """Play to the middle of a match."""
        super().on_start()
        self.begin()
        self.moves(ORDER["middle"])

    @task  # type: ignore[untyped-decorator]
    def see(self) -> None:
        """Look once."""
        AT_WORK.add(id(self))
        self.look()


COUNTED = {
    "our moves": ("move", "POST"),
    "our views": ("view", "GET"),
    "their moves": ("move", "WS"),
    "their views": ("view", "WS"),
}
USERS = {"our moves": OurMover, "our views": OurViewer, "their moves": TheirMover, "their views": TheirViewer}


def main() -> None:
    """Let all users work, drop the results of the warm-up, and print the rest."""
    users = [USERS[ORDER["users"]]]
    environment = Environment(user_classes=users, host=ORDER["host"], catch_exceptions=False)
    runner = environment.create_local_runner()
    runner.start(ORDER["number"], spawn_rate=ORDER["number"])
    while len(AT_WORK) < ORDER["number"] and not runner.exceptions:
        gevent.sleep(LOOK_SECONDS)
    gevent.sleep(ORDER["warm"])
    environment.stats.reset_all()
    began = time.monotonic()
    print("{}", flush=True)
    gevent.sleep(ORDER["seconds"])
    seconds = time.monotonic() - began
    found = environment.stats.get(*COUNTED[ORDER["users"]])
    errors = [error.to_name() for error in environment.stats.errors.values()]
    told = {
        "per_second": found.num_requests / seconds,
        "p50_ms": found.get_response_time_percentile(0.5),
        "p99_ms": found.get_response_time_percentile(0.99),
        "errors": errors + [str(error["msg"]) for error in runner.exceptions.values()],
        "version": version("locust"),
    }
    print(json.dumps(told), flush=True)
    runner.quit()


if __name__ == "__main__":
    main()
