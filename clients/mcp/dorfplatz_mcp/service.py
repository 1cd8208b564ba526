"""The tables of one service, as the tools need them. Tokens of seats stay in here."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import httpx

from dorfplatz_client import Client, Job, ProblemError, Seat

LONGEST_WAIT: Final = 25
TOKENS: Final = frozenset({"owner_token", "token", "secret"})
HINT_ITERATIONS: Final = 2_000
HINT_SECONDS: Final = 55.0
"""How long the tool waits for a hint; an agent's client gives up after a minute."""

FIRST_PAUSE_SECONDS: Final = 0.05
LONGEST_PAUSE_SECONDS: Final = 1.0
GOING_ON: Final = frozenset({"queued", "running"})
SHOWN: Final = ("game", "ruleset", "status", "practice", "seats")

Json = dict[str, Any]


class RefusedError(Exception):
    """What was asked for is refused; the message says why, for the agent to read."""


@dataclass(slots=True)
class Table:
    """A seat that an agent has taken, and whether the agent has looked at the table."""

    seat: Seat
    looked: bool = False


class Service:
    """The tables of one service, each known to agents by a handle that opens it here and nowhere else.

    A handle is drawn at random and is no token of the service. Who has it plays the seat, so it is told to the one who
    opened or joined the table and never again. Every method raises RefusedError.
    """

    def __init__(self, client: Client, *, hint_iterations: int = HINT_ITERATIONS) -> None:
        """Take a client of the service, with an API key where that needs one."""
        self._client = client
        self._hint_iterations = hint_iterations
        self._tables: dict[str, Table] = {}
        self._lock = Lock()

    def games(self) -> list[Any]:
        """Return every game: its id, names and numbers of seats."""
        with as_refusals():
            return list(self._client.games())

    def rules(self, game: str) -> list[Json]:
        """Return every rule of a game."""
        with as_refusals():
            return [{**rule} for rule in self._client.rules(game)]

    def open_table(self, game: str, others: list[str], name: str, seed: str | None, number: int) -> Json:
        """Open a table with a seat for the agent; `others` are levels of bots, or `open` for whom the code invites."""
        if not 0 <= number <= len(others):
            raise RefusedError(f"There are seats 0 to {len(others)}: yours and one for each of `others`.")
        settings = {} if seed is None else {"seed": seed}
        with as_refusals():
            return self._take(self._client.play(game, others, seat=number, name=name, **settings), number)

    def join_table(self, session: str, number: int, code: str | None, name: str) -> Json:
        """Take an open seat of a session."""
        with as_refusals():
            return self._take(self._client.claim(session, number, code=code, name=name), number)

    def look(self, handle: str, wait: int) -> Json:
        """Return the seat's view; with `wait`, once it changes or after so many seconds."""
        table = self._table(handle)
        with as_refusals():
            found = table.seat.look(wait=wait if table.looked else 0)
        table.looked = True
        return shown({**found})

    def legal_moves(self, handle: str) -> Json:
        """Return what the seat may do now."""
        with as_refusals():
            return {"moves": self._table(handle).seat.legal_moves()}

    def move(self, handle: str, move: Json) -> Json:
        """Make a move at the version that was seen last."""
        with as_refusals():
            return shown({**self._seen(handle).move(move)})

    def why_not(self, handle: str, move: Json) -> Json:
        """Return that a move is legal, or which rule forbids it and why; nothing is played."""
        with as_refusals():
            try:
                return {"legal": True, **self._seen(handle).check(move)}
            except ProblemError as problem:
                if not problem.errors:
                    raise
                return {"legal": False, "why": problem.detail, "errors": problem.errors}

    def hint(self, handle: str, top: int) -> Json:
        """Return the best moves by a search of what the seat knows."""
        with as_refusals():
            job = self._table(handle).seat.hint(iterations=self._hint_iterations, top=top)
            found = ended(job)
        return {name: found[name] for name in ("iterations", "legal_moves", "moves") if name in found}

    def history(self, handle: str) -> Json:
        """Return what has happened, as far as the seat knows."""
        with as_refusals():
            return shown({**self._table(handle).seat.history()})

    def _take(self, seat: Seat, number: int) -> Json:
        """Return what an agent learns of the seat that it has taken, its handle first."""
        handle = f"table-{secrets.token_urlsafe(16)}"
        with self._lock:
            self._tables[handle] = Table(seat)
        told = {name: part for name, part in seat.state.items() if name in SHOWN}
        invites = {"invites": [{"seat": each, "code": code} for each, code in seat.invites.items()]}
        return {
            "table": handle,
            "session": seat.session,
            "seat": number,
            **shown(told),
            **(invites if seat.invites else {}),
        }

    def _table(self, handle: str) -> Table:
        with self._lock:
            if (table := self._tables.get(handle)) is None:
                raise RefusedError("There is no such table here: open_table and join_table tell the handle of one.")
            return table

    def _seen(self, handle: str) -> Seat:
        """Return a seat at the version that the agent has seen, which is today's where it has not looked."""
        table = self._table(handle)
        if not table.looked:
            table.seat.look()
            table.looked = True
        return table.seat


def ended(job: Job) -> Any:
    """Return a job's result once there is one; raise ProblemError or RefusedError."""
    began, pause = time.monotonic(), FIRST_PAUSE_SECONDS
    while job.shown["state"] in GOING_ON and time.monotonic() < began + HINT_SECONDS:
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        job.look()
    if "problem" in job.shown:
        raise ProblemError(job.shown["problem"])
    if "result" not in job.shown:
        raise RefusedError(f"There is no hint: the search is {job.shown['state']}.")
    return job.shown["result"]


@contextmanager
def as_refusals() -> Iterator[None]:
    """Tell the agent what the service refuses, or that it does not answer."""
    try:
        yield
    except ProblemError as problem:
        raise RefusedError(sentence(problem)) from None
    except httpx.HTTPError as error:
        raise RefusedError(f"The service does not answer ({type(error).__name__}). Try again later.") from None


def sentence(problem: ProblemError) -> str:
    """Return a problem document as text: its code, what is wrong, and for each error where, why and by which rule."""
    rows = [f"{problem.code}: {problem.detail}" if problem.code else problem.detail]
    for error in problem.errors:
        rule = f" (rule {error['rule']})" if "rule" in error else ""
        rows.append(f"- {error.get('pointer') or '/'}: {error['detail']}{rule}")
    return "\n".join(rows)


def shown(answer: Json) -> Json:
    """Return an answer of the service as an agent may read it."""
    told: Json = without_tokens(answer)
    return told


def without_tokens(value: Any) -> Any:
    """Return an answer without what opens a seat, and without links that carry a ticket."""
    if isinstance(value, dict):
        return {
            name: without_tokens(part)
            for name, part in value.items()
            if name not in TOKENS and name != "links" and not name.endswith("_url")
        }
    return [without_tokens(part) for part in value] if isinstance(value, list) else value
