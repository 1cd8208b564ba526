"""Agents that are MCP clients: the arena is an MCP server for each of them, and serves its decisions one by one."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Annotated, Any, Final, NotRequired

import msgspec
import uvicorn
from mcp.server.mcpserver import MCPServer
from pydantic import Field
from typing_extensions import TypedDict

from dorfplatz_arena.agents import GoneError, Question
from dorfplatz_mcp import __version__
from dorfplatz_mcp.answers import Check, Rules
from dorfplatz_mcp.compact import LIST_CHARACTERS, VIEW_CHARACTERS, page, written
from dorfplatz_mcp.server import (
    PLAYS,
    READS,
    First,
    GameId,
    MoveWanted,
    Table,
    add_rules,
    add_tool,
    chosen,
    page_of_rules,
)
from dorfplatz_mcp.service import MARGIN_CHARACTERS, MAX_WAIT_SECONDS, Json, RefusedError, view_of
from games.core.registry import registered
from workers.simulate.remote import ILLEGAL
from workers.simulate.tally import Forfeit

URL: Final = "DORFPLATZ_MCP_URL"
"""Environment variable with the address of the tools, for an agent's command."""

LANGUAGE: Final = "en"

INSTRUCTIONS = """\
You play German board games in an arena. Call `next_decision` again and again: it waits for your next decision and tells
the table's handle, what your seat knows and what it may do, until it says that the arena is over. Answer each with
`move`. `rules` tells a game's rules, and `why_not` explains by its rule why a move is illegal. An illegal move may
lose the game."""


class Decision(TypedDict):
    """A decision: its table, seat, view and a page of legal moves; or that there is none, now or ever again."""

    table: NotRequired[str]
    game: NotRequired[str]
    number: NotRequired[int]
    seat: NotRequired[int]
    view: NotRequired[dict[str, Any]]
    left_out: NotRequired[list[str]]
    part: NotRequired[Any]
    legal_moves: NotRequired[dict[str, str]]
    total: NotRequired[int]
    next: NotRequired[int]
    refused: NotRequired[Any]
    waiting: NotRequired[bool]
    over: NotRequired[bool]


class Answered(TypedDict):
    """The move that was made."""

    played: dict[str, Any]


@dataclass(slots=True)
class Pending:
    """A pending decision of an agent: the answer, and then its outcome."""

    question: Question
    answer: bytes | None = None
    settled: bool = False
    refused: Forfeit | None = None


class McpAgent:
    """An agent that calls tools. It has one table with a handle for each pending decision."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._pending: dict[str, Pending] = {}
        self._over = False

    def ask(self, question: Question) -> bytes:
        """Wait until the agent has moved; raise TimeoutError."""
        table, pending = f"table-{secrets.token_urlsafe(8)}", Pending(question)
        with self._changed:
            self._pending[table] = pending
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._over or pending.answer is not None, question.seconds)
            if pending.answer is not None:
                return pending.answer
            del self._pending[table]
            if self._over:
                raise GoneError("the arena is over")
            raise TimeoutError

    def settle(self, question: Question, refused: Forfeit | None) -> None:
        """Send the outcome of its move to the agent."""
        with self._changed:
            for table, pending in [*self._pending.items()]:
                if pending.question is question:
                    pending.refused, pending.settled = refused, True
                    del self._pending[table]
            self._changed.notify_all()

    def close(self) -> None:
        """Notify the agent of the end of the arena."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def next_decision(
        self,
        wait: Annotated[
            int, Field(description="Wait so many seconds for one.", ge=0, le=MAX_WAIT_SECONDS)
        ] = MAX_WAIT_SECONDS,
    ) -> Decision:
        """Wait for your next decision: its table's handle, your seat, your view and your legal moves."""
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._waiting() is not None, wait)
            if (table := self._waiting()) is not None:
                return decision(table, self._pending[table].question.data)
            return {"over": True} if self._over else {"waiting": True}

    def look(
        self,
        table: Table,
        first: First = 0,
        part: Annotated[str | None, Field(description="The path of one part of the view, in its place.")] = None,
    ) -> Decision:
        """Show a decision again: your seat's view, and a page of its legal moves."""
        with self._changed:
            return decision(table, self._at(table).question.data, first, part)

    def move(self, table: Table, move: MoveWanted) -> Answered:
        """Make a move for your seat. An illegal one may be tried again or loses the game, as the arena is set up."""
        with self._changed:
            pending = self._at(table)
            pending.answer = msgspec.json.encode(answered(move))
            self._changed.notify_all()
            self._changed.wait_for(lambda: pending.settled)
            if (refused := pending.refused) is not None:
                rule = f" (rule {refused.rule})" if refused.rule else ""
                then = (
                    "The game is lost."
                    if pending.question.last or refused.cause != ILLEGAL
                    else "Ask for the decision again."
                )
                raise RefusedError(f"{refused.cause}: {refused.detail}{rule}\n{then}")
        return {"played": move}

    def why_not(self, table: Table, move: MoveWanted) -> Check:
        """Explain by its rule why your seat may not make a move now, or confirm that it may. Nothing is played."""
        with self._changed:
            refused = self._at(table).question.explain(answered(move))
        if refused is None:
            return {"legal": True}
        errors = [{"rule": refused.rule}] if refused.rule else []
        return {"legal": False, "why": refused.detail, "errors": errors}

    def rules(
        self,
        game: GameId,
        ids: Annotated[list[str] | None, Field(description="Only these; all if left out.")] = None,
        first: First = 0,
    ) -> Rules:
        """Read rules of a game by their ids, such as HR-43, or all of them by pages."""
        return page_of_rules(chosen(rules_of(game), ids), first)

    def server(self) -> MCPServer:
        """Return the MCP server for this agent."""
        server: MCPServer = MCPServer(
            "dorfplatz-arena", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
        )
        for tool in (self.next_decision, self.look, self.why_not, self.rules):
            add_tool(server, tool, READS)
        add_tool(server, self.move, PLAYS)
        add_rules(server, rules_of)
        return server

    def _waiting(self) -> str | None:
        return next((table for table, pending in self._pending.items() if pending.answer is None), None)

    def _at(self, table: str) -> Pending:
        pending = self._pending.get(table)
        if pending is None or pending.answer is not None:
            raise RefusedError("No decision of yours waits there: next_decision tells where one does.")
        return pending


class McpServer:
    """The server of one agent, on loopback."""

    def __init__(self, agent: McpAgent, port: int = 0) -> None:
        """Serve on a port, or on any free one if it is 0."""
        self._socket = socket.create_server(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/mcp"
        config = uvicorn.Config(agent.server().streamable_http_app(), log_level="warning", lifespan="on")
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment for an agent's command."""
        return {**os.environ, URL: self.url}

    def close(self) -> None:
        """Stop the server."""
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()


def answered(move: Any) -> Any:
    """Return a move in the form of a remote bot's answer."""
    return move if set(move) == {"code"} else {"move": move}


def decision(table: str, data: Json, first: int = 0, part: str | None = None) -> Decision:
    """Return a question in the form for an agent: a summary of the view, or one part of it, and a page of the moves."""
    plain: Json = msgspec.to_builtins({name: each for name, each in data.items() if name not in {"job", "deadline_ms"}})
    view, moves = plain.pop("view"), plain.pop("legal_moves", None)
    shown: Any = {"table": table, **plain, **view_of(view, part, VIEW_CHARACTERS - len(written(plain)))}
    if moves is not None:
        rows = [(str(each["code"]), written(each["move"])) for each in moves]
        taken = page(rows, first, LIST_CHARACTERS - MARGIN_CHARACTERS, cost=lambda row: len(written(row)))
        shown |= {"legal_moves": dict(taken), "total": len(rows)}
        if first + len(taken) < len(rows):
            shown["next"] = first + len(taken)
    decided: Decision = shown
    return decided


def rules_of(game: str) -> list[Json]:
    """Return the rules of a game in the form of the service; raise RefusedError."""
    if (found := registered().get(game)) is None:
        raise RefusedError(f"There is no game {game}: there are {', '.join(registered())}.")
    return [
        {"id": rule.id, "sentence": found.sentence(rule, LANGUAGE), "decision": rule.decision} for rule in found.rules
    ]
