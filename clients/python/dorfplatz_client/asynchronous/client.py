"""The high-level layer: a client, a seat and a job."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final, Self, cast
from urllib.parse import quote

import httpx

from dorfplatz_client.asynchronous.transport import AsyncTransport
from dorfplatz_client.generated.contract import (
    GameCard,
    GameDescription,
    JobShown,
    KeyShown,
    LegalMoves,
    ListedMove,
    MoveChecked,
    MovePlayed,
    OpenSession,
    PuzzleCard,
    PuzzleShown,
    PuzzleVerdict,
    RematchGiven,
    RuleLine,
    SeatTaken,
    SessionCreated,
    SessionHistory,
    SessionShown,
)
from dorfplatz_client.problems import ProblemError
from dorfplatz_client.retries import Message

TIMEOUT_SECONDS: Final = 60.0
"""Timeout of a response; a long poll takes up to 25 s of it."""

LONG_POLL_SECONDS: Final = 25
GOING_ON: Final = frozenset({"waiting", "running"})
PAGE: Final = 100


class AsyncClient:
    """A client of one service; use it in a `with` statement, or close it."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        language: str = "en",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        headers = {} if api_key is None else {"Api-Key": api_key}
        self._http = httpx.AsyncClient(base_url=url, headers=headers, timeout=TIMEOUT_SECONDS, transport=transport)
        self._transport = AsyncTransport(self._http, language)

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def games(self) -> list[GameCard]:
        """Return every game."""
        return cast("list[GameCard]", (await self._transport.send("GET", "/v1/games")).json())

    async def game(self, game: str) -> GameDescription:
        """Return the description of a game."""
        return cast("GameDescription", (await self._transport.send("GET", f"/v1/games/{quote(game, safe='')}")).json())

    async def rules(self, game: str) -> list[RuleLine]:
        """Return every rule of a game with its id."""
        return cast(
            "list[RuleLine]", (await self._transport.send("GET", f"/v1/games/{quote(game, safe='')}/rules")).json()
        )

    async def puzzles(self, game: str, **filters: Any) -> AsyncGenerator[PuzzleCard]:
        """Yield the puzzles of a game; `filters` are `theme` and `difficulty`, or `day` for the one of a day."""
        path = f"/v1/games/{quote(game, safe='')}/puzzles"
        params = {"limit": str(PAGE)} | {name: str(value) for name, value in filters.items()}
        while True:
            page = (await self._transport.send("GET", path, params=params)).json()
            for puzzle in page["puzzles"]:
                yield puzzle
            if "next" not in page:
                return
            params["after"] = page["puzzles"][-1]["id"]

    async def puzzle(self, game: str, puzzle: str) -> PuzzleShown:
        """Return a puzzle with the view of its seat and the legal moves."""
        path = f"/v1/games/{quote(game, safe='')}/puzzles/{quote(puzzle, safe='')}"
        return cast("PuzzleShown", (await self._transport.send("GET", path)).json())

    async def answer(self, game: str, puzzle: str, move: Mapping[str, Any]) -> PuzzleVerdict:
        """Answer a puzzle with a move; return whether it is the best one, and the best one."""
        path = f"/v1/games/{quote(game, safe='')}/puzzles/{quote(puzzle, safe='')}/answers"
        return cast("PuzzleVerdict", (await self._transport.send("POST", path, body=chosen(move))).json())

    async def play(
        self,
        game: str,
        bots: Sequence[str] = ("medium",),
        *,
        seat: int = 0,
        name: str | None = None,
        **settings: Any,
    ) -> AsyncSeat:
        """Open a table with bots of these levels and return one's own seat there.

        `open` in place of a level is a seat to claim with a code of `seat.invites`, or by anyone with `listed=True`.
        `settings` are additional fields of NewSession.
        """
        person: dict[str, Any] = {"kind": "human"} | ({} if name is None else {"name": name})
        seats: list[dict[str, Any]] = [
            {"kind": "open"} if level == "open" else {"kind": "bot", "bot": {"level": level}} for level in bots
        ]
        if not 0 <= seat <= len(seats):
            raise ValueError(f"There are seats 0 to {len(seats)}: yours and one for each of `bots`.")
        seats.insert(seat, person)
        answer = await self._transport.send("POST", "/v1/sessions", body={"game": game, "seats": seats, **settings})
        made = cast("SessionCreated", answer.json())
        invites = {each["seat"]: each["invite"] for each in made["seats"] if "invite" in each}
        return await self._seated(made["id"], made["seats"][seat]["token"], invites)

    async def tables(self, game: str | None = None, language: str | None = None) -> AsyncGenerator[OpenSession]:
        """Yield the listed tables that wait for players; `claim` takes an open seat there."""
        wanted = {"game": game, "language": language, "open": "true", "limit": str(PAGE)}
        params = {name: value for name, value in wanted.items() if value is not None}
        while True:
            page = (await self._transport.send("GET", "/v1/sessions", params=params)).json()
            for table in page["sessions"]:
                yield table
            if "next" not in page:
                return
            params["after"] = page["next"]

    async def claim(
        self, session: str, seat: int, *, code: str | None = None, name: str | None = None, **settings: Any
    ) -> AsyncSeat:
        """Claim an open seat, with its invite code unless the table is listed; `settings` go to SeatClaim."""
        body = {key: value for key, value in {"code": code, "name": name}.items() if value is not None} | settings
        answer = await self._transport.send(
            "POST", f"/v1/sessions/{quote(session, safe='')}/seats/{seat}/claim", body=body
        )
        return await self._seated(session, cast("SeatTaken", answer.json())["token"], {})

    async def seat(self, session: str, token: str) -> AsyncSeat:
        """Return a seat of a session by its token."""
        return await self._seated(session, token, {})

    async def simulate(self, game: str, bots: Sequence[str], *, games: int, **settings: Any) -> AsyncJob:
        """Simulate games between bots of these levels; `settings` are additional fields of SimulationRequest."""
        seats = [{"bot": {"level": level}} for level in bots]
        return await self._job("simulations", {"game": game, "seats": seats, "games": games, **settings})

    async def search(self, game: str, *, budget: Mapping[str, Any], **position: Any) -> AsyncJob:
        """Search a position, given as a `view`, or as a `snapshot` and a `seat`."""
        return await self._job("searches", {"game": game, "budget": dict(budget), **position})

    async def cost(self, kind: str, **body: Any) -> int:
        """Return the maximum cost of a job in playouts, without starting it.

        `kind` is the last part of its path, such as `simulations`, and `body` contains the fields of its request.
        """
        params = {"validate_only": "true"}
        answer = await self._transport.send("POST", f"/v1/jobs/{kind}", body=body, params=params)
        return cast("JobShown", answer.json())["cost"]["playouts"]

    async def key(self) -> KeyShown:
        """Return the scopes, limits and remaining quotas of the client's API key."""
        return cast("KeyShown", (await self._transport.send("GET", "/v1/keys/current")).json())

    async def job(self, job: str) -> AsyncJob:
        """Return a job by its id."""
        answer = await self._transport.send("GET", f"/v1/jobs/{quote(job, safe='')}")
        return AsyncJob(self._transport, cast("JobShown", answer.json()), None)

    async def _job(self, kind: str, body: dict[str, Any]) -> AsyncJob:
        answer = await self._transport.send("POST", f"/v1/jobs/{kind}", body=body)
        return AsyncJob(self._transport, cast("JobShown", answer.json()), None)

    async def _seated(self, session: str, token: str, invites: dict[int, str]) -> AsyncSeat:
        seat = AsyncSeat(self._transport, session, token, invites)
        await seat.look()
        return seat


class AsyncSeat:
    """A person's seat: its view, its legal moves and its actions.

    `state` is the state that the seat saw last, `invites` the codes of the open seats at a table that it has opened.
    """

    state: SessionShown | MovePlayed

    def __init__(self, transport: AsyncTransport, session: str, token: str, invites: dict[int, str]) -> None:
        self._transport = transport
        self._path = f"/v1/sessions/{quote(session, safe='')}"
        self._etag: str | None = None
        self.session = session
        self.token = token
        self.invites = invites

    @property
    def is_over(self) -> bool:
        """Return whether the session had ended in the state seen last."""
        return self.state["status"] not in GOING_ON

    @property
    def is_asked(self) -> bool:
        """Return whether the seat had to move in the state seen last."""
        you = self.state["you"]
        return not self.is_over and you is not None and you["seat"] in self.state["actors"]

    async def look(self, wait: int = 0, *, legal_moves: bool = False) -> SessionShown | MovePlayed:
        """Return the seat's view; with `wait`, once it changes or after this many seconds, at most 25.

        With `legal_moves` the result contains the legal moves of the same version.
        """
        headers = {"If-None-Match": self._etag} if wait and self._etag is not None else {}
        params = {"wait": str(wait)} if headers else {}
        if legal_moves:
            params["expand"] = "legal_moves"
        answer = await self._transport.send("GET", self._path, token=self.token, headers=headers, params=params)
        if answer.status_code != httpx.codes.NOT_MODIFIED:
            self._etag, self.state = answer.headers.get("ETag"), cast("SessionShown", answer.json())
        return self.state

    async def decisions(self) -> AsyncGenerator[SessionShown | MovePlayed]:
        """Yield the seat's view each time it must move, until the session ends."""
        await self.look()
        while not self.is_over:
            if self.is_asked:
                version = self.state["version"]
                yield self.state
                if self.state["version"] != version:
                    continue
            await self.look(wait=LONG_POLL_SECONDS)

    async def legal_moves(self) -> list[ListedMove]:
        """Return every legal move of the seat with its label."""
        answer = await self._transport.send("GET", f"{self._path}/legal-moves", token=self.token)
        return cast("LegalMoves", answer.json())["moves"]

    async def move(self, move: Mapping[str, Any]) -> MovePlayed:
        """Make a move in the state seen last; raise IllegalMoveError, StaleVersionError or ProblemError."""
        answer = await self._transport.send("POST", f"{self._path}/moves", body=chosen(move), **self._as_seen())
        self._etag, self.state = None, (played := cast("MovePlayed", answer.json()))
        return played

    async def check(self, move: Mapping[str, Any]) -> MoveChecked:
        """Check that a move is legal without making it; raise the same errors as `move`."""
        answer = await self._transport.send("POST", f"{self._path}/moves/check", body=chosen(move), **self._as_seen())
        return cast("MoveChecked", answer.json())

    async def history(self, first: int = 0, limit: int | None = None) -> SessionHistory:
        """Return a page of the history that the seat knows, from the line `first` on."""
        params = {"first": str(first)} | ({} if limit is None else {"limit": str(limit)})
        answer = await self._transport.send("GET", f"{self._path}/history", token=self.token, params=params)
        return cast("SessionHistory", answer.json())

    async def hint(
        self,
        *,
        iterations: int | None = None,
        milliseconds: int | None = None,
        half_width: float | None = None,
        **settings: Any,
    ) -> AsyncJob:
        """Search from the seat's view within a budget; `settings` are fields of SearchRequest, such as `top`."""
        budget = {"iterations": iterations, "milliseconds": milliseconds, "half_width": half_width}
        budget = {name: value for name, value in budget.items() if value is not None}
        body = {"game": self.state["game"], "session": self.session, "budget": budget, **settings}
        answer = await self._transport.send("POST", "/v1/jobs/searches", body=body, token=self.token)
        return AsyncJob(self._transport, cast("JobShown", answer.json()), self.token)

    def events(self) -> AsyncGenerator[Message]:
        """Yield the seat's events until the session ends; a lost connection resumes where it broke."""
        return self._transport.stream(f"{self._path}/events", token=self.token)

    async def resign(self, *, forfeit: bool = False) -> None:
        """Leave the seat to a bot, which plays on; with `forfeit`, lose at once and end the session for all."""
        body = {"then": "forfeit"} if forfeit else {}
        await self._transport.send("POST", f"{self._path}/resign", body=body, token=self.token)
        await self.look()

    async def rematch(self) -> AsyncSeat:
        """Return the seat in a rematch of the same players, each one seat further; the session must have ended."""
        answer = await self._transport.send("POST", f"{self._path}/rematch", token=self.token)
        made = cast("RematchGiven", answer.json())
        seat = AsyncSeat(self._transport, made["id"], made.get("token", self.token), {})
        await seat.look()
        return seat

    def _as_seen(self) -> dict[str, Any]:
        return {"token": self.token, "headers": {"If-Match": f'"{self.state["version"]}"'}}


class AsyncJob:
    """A search, a simulation or a tournament."""

    def __init__(self, transport: AsyncTransport, shown: JobShown, token: str | None) -> None:
        self._transport = transport
        self._token = token
        self.shown = shown

    @property
    def id(self) -> str:
        """The job's id."""
        return self.shown["id"]

    async def progress(self) -> AsyncGenerator[tuple[int, int]]:
        """Yield the done and total amounts of work until the job ends."""
        async with aclosing(self._transport.stream(f"/v1/jobs/{self.id}/events", token=self._token)) as messages:
            async for message in messages:
                told = json.loads(message.data)
                if progress := told.get("progress", told if "total" in told else None):
                    yield progress["done"], progress["total"]
        await self.look()

    async def look(self) -> JobShown:
        """Return the current state of the job."""
        answer = await self._transport.send("GET", f"/v1/jobs/{self.id}", token=self._token)
        self.shown = cast("JobShown", answer.json())
        return self.shown

    async def result(self, on_progress: Callable[[int, int], object] | None = None) -> Any:
        """Wait for the result and return it; raise ProblemError if the job failed, RuntimeError if it was cancelled."""
        async for done, total in self.progress():
            if on_progress is not None:
                on_progress(done, total)
        if "problem" in self.shown:
            raise ProblemError(self.shown["problem"])
        if "result" not in self.shown:
            raise RuntimeError(f"The job was {self.shown['state']}.")
        return self.shown["result"]

    async def cancel(self) -> None:
        """Cancel the job."""
        answer = await self._transport.send("DELETE", f"/v1/jobs/{self.id}", token=self._token)
        self.shown = cast("JobShown", answer.json())


def chosen(move: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body for a move: a listed move, an object, or `{"code": …}`."""
    return {"move": move["move"] if "move" in move else dict(move)}
