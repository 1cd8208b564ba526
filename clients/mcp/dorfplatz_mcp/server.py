"""The MCP server: tools and resources in front of whoever keeps the tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, ParamSpec

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from pydantic import Field

from dorfplatz_mcp.service import LONGEST_WAIT, Json, RefusedError, Service

INSTRUCTIONS = """\
You play German board games. `list_games` names them, `rules` tells one's rules, each with an id. `open_table` seats you
against bots and tells a handle that every other tool takes. `look` shows what your seat knows and, in `actors`, whose
decision it is; with `wait` it returns once something happens. `move` plays for your seat. A refused move costs nothing:
`why_not` explains one by its rule. Nothing here tells what your seat cannot know."""

Table = Annotated[str, Field(description="The table's handle.")]
GameId = Annotated[str, Field(description="The game's id, such as hoher-rat.")]
MoveWanted = Annotated[
    dict[str, Any],
    Field(description='A move with its kind, such as {"kind": "end_turn"}, or {"code": n} of a listed legal move.'),
]
Arguments = ParamSpec("Arguments")


class Tools:
    """The tools; each is called as its method, and what the method says is what an agent reads."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def list_games(self) -> str:
        """List the games: each one's id, names and possible numbers of seats."""
        return told(self._service.games())

    def rules(
        self, game: GameId, ids: Annotated[list[str] | None, Field(description="Which; all where left out.")] = None
    ) -> str:
        """Tell rules of a game by their ids, such as HR-43, or all of them."""
        return told(chosen(self._service.rules(game), ids))

    def open_table(
        self,
        game: GameId,
        others: Annotated[
            list[str],
            Field(description="Who else sits there: levels such as easy, hard, expert or random, or open to invite."),
        ],
        seat: Annotated[int, Field(description="Your seat, from 0.", ge=0)] = 0,
        name: Annotated[str, Field(description="What you are called there.")] = "Agent",
        seed: Annotated[str | None, Field(description="Decides all chance, for practice.")] = None,
    ) -> str:
        """Open a table of a game, take a seat there, and get the table's handle. Keep it to yourself."""
        return told(self._service.open_table(game, others, name, seed, seat))

    def join_table(
        self,
        session: Annotated[str, Field(description="The session's id, from whoever opened the table.")],
        seat: Annotated[int, Field(description="The open seat.", ge=0)],
        code: Annotated[str | None, Field(description="The seat's invite code.")] = None,
        name: Annotated[str, Field(description="What you are called there.")] = "Agent",
    ) -> str:
        """Take an open seat at somebody else's table, and get the table's handle. Keep it to yourself."""
        return told(self._service.join_table(session, seat, code, name))

    def look(
        self,
        table: Table,
        wait: Annotated[int, Field(description="Wait so many seconds for news.", ge=0, le=LONGEST_WAIT)] = 0,
    ) -> str:
        """Show what your seat knows: the view, whose decision it is (`actors`), and what came of the game."""
        return told(self._service.look(table, wait))

    def list_legal_moves(self, table: Table) -> str:
        """List what your seat may do now, each move with a code and a sentence."""
        return told(self._service.legal_moves(table))

    def move(self, table: Table, move: MoveWanted) -> str:
        """Make a move for your seat and see what came of it. An illegal one is refused and changes nothing."""
        return told(self._service.move(table, move))

    def why_not(self, table: Table, move: MoveWanted) -> str:
        """Explain by its rule why your seat may not make a move now, or say that it may. Nothing is played."""
        return told(self._service.why_not(table, move))

    def hint(self, table: Table, top: Annotated[int, Field(description="How many moves.", ge=1, le=20)] = 3) -> str:
        """Search for the best moves by what your seat knows, each with its value between 0 and 1."""
        return told(self._service.hint(table, top))

    def history(self, table: Table) -> str:
        """Tell what has happened at the table, as far as your seat knows."""
        return told(self._service.history(table))


def build_server(service: Service, *, legal_moves: bool = True, hints: bool = True) -> MCPServer:
    """Return a server of a service's tables; `legal_moves` and `hints` say whether there are these tools."""
    server: MCPServer = MCPServer("dorfplatz", instructions=INSTRUCTIONS)
    tools = Tools(service)
    offered: list[Callable[..., str]] = [tools.list_games, tools.rules, tools.open_table, tools.join_table]
    offered += [tools.look, tools.move, tools.why_not, tools.history]
    if legal_moves:
        offered.append(tools.list_legal_moves)
    if hints:
        offered.append(tools.hint)
    for tool in offered:
        server.add_tool(refusing(tool), structured_output=False)
    add_rules(server, service.rules)
    return server


def add_rules(server: MCPServer, rules_of: Callable[[str], list[Json]]) -> None:
    """Add the rules of games as resources: all of one, and each by its id."""

    def found(game: str, ids: list[str] | None) -> str:
        try:
            return told(chosen(rules_of(game), ids))
        except RefusedError as refused:
            raise ResourceError(str(refused)) from None

    @server.resource("dorfplatz://games/{game}/rules", mime_type="application/json")
    def rules_of_game(game: str) -> str:
        """Every rule of a game, with its id, its sentence and its source."""
        return found(game, None)

    @server.resource("dorfplatz://games/{game}/rules/{rule}", mime_type="application/json")
    def rule_of_game(game: str, rule: str) -> str:
        """One rule of a game."""
        return found(game, [rule])


def chosen(rules: list[Json], ids: list[str] | None) -> list[Json]:
    """Return the rules of some ids, all where there are none; raise RefusedError for an id that is no rule's."""
    if ids is None:
        return rules
    known = {rule["id"]: rule for rule in rules}
    if unknown := [each for each in ids if each not in known]:
        raise RefusedError(f"There is no rule {', '.join(unknown)}.")
    return [known[each] for each in ids]


def told(value: Any) -> str:
    """Return what a tool answers, as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def refusing(function: Callable[Arguments, Any]) -> Callable[Arguments, Any]:
    """Return a tool that tells its caller why it refuses."""

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
        try:
            return function(*args, **kwargs)
        except RefusedError as refused:
            raise ToolError(str(refused)) from None

    return call
