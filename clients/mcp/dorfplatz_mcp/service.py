"""The service's HTTP contract as the tools need it. Tokens of seats stay in here."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final
from uuid import uuid4

import httpx

TIMEOUT_SECONDS: Final = 60.0
"""How long an answer may take; a long poll takes up to 25 of them."""

LONGEST_WAIT: Final = 25
TOKENS: Final = frozenset({"owner_token", "token", "secret"})
HINT_ITERATIONS: Final = 2_000
HINT_POLLS: Final = 60
HINT_POLL_SECONDS: Final = 0.5
"""How often, and after how long each time, the tool looks for a hint that the service did not wait for."""

Json = dict[str, Any]


class RefusedError(Exception):
    """What was asked for is refused; the message says why, for the agent to read."""


@dataclass(slots=True)
class Seat:
    """A seat that an agent has taken: its session, its token, and what of it the agent has seen last."""

    session: str
    seat: int
    token: str
    version: int | None = None
    etag: str | None = None


class Service:
    """The tables of one service, each known to agents by a handle that opens it here and nowhere else.

    A handle is drawn at random and is no token of the service. Who has it plays the seat, so it is told to the one who
    opened or joined the table and never again.
    """

    def __init__(self, client: httpx.Client, *, language: str = "en", hint_iterations: int = HINT_ITERATIONS) -> None:
        """Take a client with the service's address, and the header of an API key where it needs one."""
        self._hint_iterations = hint_iterations
        self._client = client
        self._language = language
        self._seats: dict[str, Seat] = {}
        self._lock = Lock()

    def games(self) -> Any:
        """Return every game: its id, names and numbers of seats."""
        return self._call("GET", "/v1/games")

    def rules(self, game: str) -> list[Json]:
        """Return every rule of a game."""
        found: list[Json] = self._call("GET", f"/v1/games/{game}/rules")
        return found

    def open_table(self, game: str, others: list[str], name: str, seed: str | None, seat: int) -> Json:
        """Open a table with a seat for the agent; `others` are levels of bots, or `open` for whom the code invites."""
        if not 0 <= seat <= len(others):
            raise RefusedError(f"There are seats 0 to {len(others)}: yours and one for each of `others`.")
        seats: list[Json] = [
            {"kind": "open"} if other == "open" else {"kind": "bot", "bot": {"level": other}} for other in others
        ]
        seats.insert(seat, {"kind": "human", "name": name})
        body = {"game": game, "seats": seats} | ({} if seed is None else {"seed": seed})
        made = self._call("POST", "/v1/sessions", json=body)
        return self._take(made["id"], seat, made["seats"][seat]["token"], made)

    def join_table(self, session: str, seat: int, code: str | None, name: str) -> Json:
        """Take an open seat of a session."""
        body = {"name": name} | ({} if code is None else {"code": code})
        made = self._call("POST", f"/v1/sessions/{session}/seats/{seat}/claim", json=body)
        return self._take(session, seat, made["token"], made)

    def look(self, table: str, wait: int) -> Json:
        """Return the seat's view; with `wait`, once it changes or after so many seconds."""
        seat = self._seat(table)
        path, bearer = f"/v1/sessions/{seat.session}", self._bearer(seat)
        if wait and seat.etag is not None:
            self._call("GET", path, params={"wait": wait}, headers={**bearer, "If-None-Match": seat.etag})
        answer = _checked(self._send("GET", path, headers=bearer))
        found: Json = answer.json()
        seat.version, seat.etag = found.get("version"), answer.headers.get("etag")
        return _shown(found)

    def legal_moves(self, table: str) -> Json:
        """Return what the seat may do now."""
        found: Json = self._of(self._seat(table), "GET", "/legal-moves")
        return found

    def move(self, table: str, move: Json) -> Json:
        """Make a move at the version that was seen last."""
        seat = self._seat(table)
        found = self._of(seat, "POST", "/moves", json={"move": move}, headers=self._seen(seat))
        seat.version = found["version"]
        return _shown(found)

    def why_not(self, table: str, move: Json) -> Json:
        """Return that a move is legal, or which rule forbids it and why; nothing is played."""
        seat = self._seat(table)
        answer = self._send(
            "POST",
            f"/v1/sessions/{seat.session}/moves/check",
            json={"move": move},
            headers={**self._bearer(seat), **self._seen(seat)},
        )
        if answer.is_success:
            checked: Json = answer.json()
            return {"legal": True, **checked}
        problem = _problem(answer)
        if not problem.get("errors"):
            raise RefusedError(_sentence(problem))
        return {"legal": False, "why": problem["detail"], "errors": problem["errors"]}

    def hint(self, table: str, top: int) -> Json:
        """Return the best moves by a search of what the seat knows."""
        seat = self._seat(table)
        game = self._of(seat, "GET", "")["game"]
        body = {"game": game, "session": seat.session, "budget": {"iterations": self._hint_iterations}, "top": top}
        job = self._of(seat, "POST", None, "/v1/jobs/searches", json=body, headers={"Prefer": f"wait={LONGEST_WAIT}"})
        for _ in range(HINT_POLLS):
            if job["state"] not in {"queued", "running"}:
                break
            time.sleep(HINT_POLL_SECONDS)
            job = self._of(seat, "GET", None, f"/v1/jobs/{job['id']}")
        if "result" not in job:
            raise RefusedError(
                _sentence(job.get("problem", {"detail": f"There is no hint: the search is {job['state']}."}))
            )
        found: Json = job["result"]
        return {name: found[name] for name in ("iterations", "legal_moves", "moves") if name in found}

    def history(self, table: str) -> Json:
        """Return what has happened, as far as the seat knows."""
        found: Json = self._of(self._seat(table), "GET", "/history")
        return _shown(found)

    def _take(self, session: str, number: int, token: str, made: Json) -> Json:
        handle = f"table-{secrets.token_urlsafe(16)}"
        with self._lock:
            self._seats[handle] = Seat(session, number, token)
        shown: Json = {name: made[name] for name in ("game", "ruleset", "status", "practice", "seats") if name in made}
        return {"table": handle, "session": session, "seat": number, **_shown(shown)}

    def _seat(self, table: str) -> Seat:
        with self._lock:
            if (seat := self._seats.get(table)) is None:
                raise RefusedError("There is no such table here: open_table and join_table tell the handle of one.")
            return seat

    def _seen(self, seat: Seat) -> dict[str, str]:
        """Return the version that the agent has seen, which is today's where it has not looked."""
        if seat.version is None:
            seat.version = self._of(seat, "GET", "")["version"]
        return {"If-Match": f'"{seat.version}"'}

    def _bearer(self, seat: Seat) -> dict[str, str]:
        return {"Authorization": f"Bearer {seat.token}"}

    def _of(self, seat: Seat, method: str, part: str | None, path: str = "", **sent: Any) -> Any:
        """Ask for a part of a seat's session, or for something else, as that seat."""
        sent["headers"] = {**self._bearer(seat), **sent.get("headers", {})}
        return self._call(method, path if part is None else f"/v1/sessions/{seat.session}{part}", **sent)

    def _call(self, method: str, path: str, **sent: Any) -> Any:
        """Return the body of an answer, None where it is unchanged; raise RefusedError."""
        answer = self._send(method, path, **sent)
        return None if answer.status_code == httpx.codes.NOT_MODIFIED else _checked(answer).json()

    def _send(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """Send a request, and once more where the connection breaks: with its key a request acts once."""
        headers = {"Accept-Language": self._language, **sent.pop("headers", {})}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid4())
        try:
            try:
                return self._client.request(method, path, headers=headers, **sent)
            except httpx.TransportError:
                return self._client.request(method, path, headers=headers, **sent)
        except httpx.HTTPError as error:
            raise RefusedError(f"The service does not answer ({type(error).__name__}). Try again later.") from None


def _checked(answer: httpx.Response) -> httpx.Response:
    """Return an answer that is no problem; raise RefusedError."""
    if not answer.is_success:
        raise RefusedError(_sentence(_problem(answer)))
    return answer


def _problem(answer: httpx.Response) -> Json:
    """Return the problem document of an answer, or what stands for one."""
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        found: Json = answer.json()
        return found
    return {"detail": f"The service answered {answer.status_code} without a problem document."}


def _sentence(problem: Json) -> str:
    """Return a problem document as text: its code, what is wrong, and for each error where, why and by which rule."""
    code = f"{problem['code']}: " if "code" in problem else ""
    rows = [f"{code}{problem.get('detail') or problem.get('title')}"]
    for error in problem.get("errors", ()):
        rule = f" (rule {error['rule']})" if "rule" in error else ""
        rows.append(f"- {error.get('pointer') or '/'}: {error['detail']}{rule}")
    return "\n".join(rows)


def _shown(answer: Json) -> Json:
    """Return an answer of the service as an agent may read it."""
    shown: Json = _without_tokens(answer)
    return shown


def _without_tokens(value: Any) -> Any:
    """Return an answer without what opens a seat, and without links that carry a ticket."""
    if isinstance(value, dict):
        return {
            name: _without_tokens(part)
            for name, part in value.items()
            if name not in TOKENS and name != "links" and not name.endswith("_url")
        }
    return [_without_tokens(part) for part in value] if isinstance(value, list) else value
