"""The MCP server: tools and resources on top of a store of tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Annotated, Any, Final, ParamSpec, cast, get_type_hints

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from dorfplatz_mcp import __version__, answers
from dorfplatz_mcp.compact import LIST_CHARACTERS, page, written
from dorfplatz_mcp.puzzles import Puzzles
from dorfplatz_mcp.service import MARGIN_CHARACTERS, MAX_WAIT_SECONDS, RefusedError, Service

INSTRUCTIONS = """\
You play German board games. `list_games` names them, and `rules` tells one's rules by pages, each with an id.
`open_table` seats you against bots and returns a handle that every other tool takes. `look` with `wait` returns once
your seat is asked or the game is over; it shows the news and what your seat knows. In a view, null, false and empty
parts and counts of 0 are left out; `part` shows a part that is named in `left_out`. `list_legal_moves` lists codes and
sentences, and `move` takes a code. A refused move costs nothing: `why_not` explains one by its rule. Nothing here tells
what your seat cannot know. `puzzle` shows a position with one best move, and `answer_puzzle` takes your move."""

Table = Annotated[str, Field(description="The table's handle.")]
GameId = Annotated[str, Field(description="The game's id, such as hoher-rat.")]
First = Annotated[int, Field(description="The first of the page, from 0; `next` of the page before.", ge=0)]
Wait = Annotated[int, Field(description="Wait up to so many seconds.", ge=0, le=MAX_WAIT_SECONDS)]
MoveWanted = Annotated[
    dict[str, Any],
    Field(description='{"code": n} of a listed legal move, or a move with its kind, such as {"kind": "end_turn"}.'),
]
Arguments = ParamSpec("Arguments")

READS: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
SEARCHES: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=False, open_world_hint=False)
ADDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
PLAYS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)


class Tools:
    """The tools; each method is a tool, and its docstring is the description for agents."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._puzzles = Puzzles(service.client)

    def list_games(self) -> answers.Games:
        """List the games: each one's id, name and possible numbers of seats."""
        return self._service.games()

    def rules(
        self,
        game: GameId,
        ids: Annotated[list[str] | None, Field(description="Only these; all if left out.")] = None,
        first: First = 0,
    ) -> answers.Rules:
        """Read rules of a game by their ids, such as HR-43, or all of them by pages."""
        return page_of_rules(chosen(self._service.rules(game), ids), first)

    def open_table(
        self,
        game: GameId,
        bots: Annotated[
            list[str],
            Field(description="The other seats: levels such as easy, hard, expert or random, or open to invite."),
        ],
        seat: Annotated[int, Field(description="Your seat, from 0.", ge=0)] = 0,
        name: Annotated[str, Field(description="Your name at the table.")] = "Agent",
        seed: Annotated[str | None, Field(description="Decides all chance, for practice.")] = None,
    ) -> answers.TableOpened:
        """Open a table of a game, take a seat, and get the table's handle. Keep it to yourself."""
        return self._service.open_table(game, bots, name, seed, seat)

    def join_table(
        self,
        session: Annotated[str, Field(description="The session's id, from whoever opened the table.")],
        seat: Annotated[int, Field(description="The open seat.", ge=0)],
        code: Annotated[str | None, Field(description="The seat's invite code.")] = None,
        name: Annotated[str, Field(description="Your name at the table.")] = "Agent",
    ) -> answers.TableOpened:
        """Take an open seat at somebody else's table, and get the table's handle. Keep it to yourself."""
        return self._service.join_table(session, seat, code, name)

    def look(
        self,
        table: Table,
        wait: Wait = 0,
        part: Annotated[
            str | None, Field(description="The path of one part of the view, such as riddles/2/piece, in its place.")
        ] = None,
        full: Annotated[bool, Field(description="Show the whole view again, and not only what changed in it.")] = False,  # noqa: FBT002 -- by name
    ) -> answers.Look:
        """Show the news and your seat's view: first as a whole, then its changes (null: gone).

        Of a list of numbers it may show the `added` and `removed` ones. With `wait` it returns once it is your turn or
        the game is over.
        """
        return self._service.look(table, wait, part, full=full)

    def list_legal_moves(
        self,
        table: Table,
        first: First = 0,
        kind: Annotated[str | None, Field(description="Only moves of this kind.")] = None,
        containing: Annotated[str | None, Field(description="Only moves whose sentence contains this text.")] = None,
    ) -> answers.Moves:
        """List your seat's legal moves, each with a code and a sentence. It counts as a look.

        An ellipsis stands for the words with which the sentence before begins, too.
        """
        return self._service.legal_moves(table, first, kind, containing)

    def move(self, table: Table, move: MoveWanted) -> answers.Played:
        """Make a move for your seat and see its result. An illegal one is rejected and changes nothing.

        While it is still your turn, it shows the changes in your view, so you need no look before the next move.
        """
        return self._service.move(table, move)

    def why_not(self, table: Table, move: MoveWanted) -> answers.Check:
        """Explain by its rule why your seat may not make a move now, or confirm that it may. Nothing is played."""
        return self._service.why_not(table, move)

    def hint(
        self, table: Table, top: Annotated[int, Field(description="The number of moves.", ge=1, le=20)] = 3
    ) -> answers.Hint:
        """Search for the best moves from your seat's view, with their values between 0 and 1 and their reasons."""
        return self._service.hint(table, top)

    def history(
        self,
        table: Table,
        first: Annotated[
            int | None, Field(description="The first line, from 0; the last lines if left out.", ge=0)
        ] = None,
    ) -> answers.History:
        """Read the history of the table, as far as your seat knows it, by pages."""
        return self._service.history(table, first)

    def puzzle(
        self,
        game: GameId,
        puzzle: Annotated[str | None, Field(description="A puzzle's id; the puzzle of a day if left out.")] = None,
        day: Annotated[str | None, Field(description="The day, such as 2026-11-27; today if left out.")] = None,
        theme: Annotated[str | None, Field(description="A theme, such as endgame or decisive.")] = None,
        difficulty: Annotated[int | None, Field(description="The difficulty.", ge=1, le=3)] = None,
        part: Annotated[str | None, Field(description="The path of one part of the view, in its place.")] = None,
        first: First = 0,
    ) -> answers.PuzzleShown:
        """Show a puzzle: a position in which one move is best. `theme` and `difficulty` restrict the choice of a day.

        A page of moves after the first one shows no view.
        """
        found = puzzle or self._puzzles.id_of_day(game, day, theme=theme, difficulty=difficulty)
        return self._puzzles.show(game, found, part, first)

    def answer_puzzle(
        self, game: GameId, puzzle: Annotated[str, Field(description="The puzzle's id.")], move: MoveWanted
    ) -> answers.PuzzleAnswered:
        """Answer a puzzle with a move. It shows whether the move is the best one, and the reasons."""
        return self._puzzles.answer(game, puzzle, move)


def build_server(service: Service, *, legal_moves: bool = True, hints: bool = True) -> MCPServer:
    """Build a server of a service's tables; `legal_moves` and `hints` enable these tools."""
    server: MCPServer = MCPServer("dorfplatz", title="Dorfplatz", instructions=INSTRUCTIONS, version=__version__)
    tools = Tools(service)
    offered: list[tuple[Callable[..., Any], ToolAnnotations]] = [
        *((tool, READS) for tool in (tools.list_games, tools.rules, tools.look, tools.why_not, tools.history)),
        *((tool, READS) for tool in (tools.puzzle, tools.answer_puzzle)),
        *((tool, ADDS) for tool in (tools.open_table, tools.join_table)),
        (tools.move, PLAYS),
    ]
    if legal_moves:
        offered.append((tools.list_legal_moves, READS))
    if hints:
        offered.append((tools.hint, SEARCHES))
    for tool, hinted in offered:
        add_tool(server, tool, hinted)
    add_rules(server, service.rules)
    return server


def add_tool(server: MCPServer, tool: Callable[..., Mapping[str, Any]], annotations: ToolAnnotations) -> None:
    """Add a tool with its annotations, and the output schema of its return type."""
    title = tool.__name__.replace("_", " ").capitalize()
    server.add_tool(answering(tool), title=title, annotations=annotations.model_copy(update={"title": title}))


def add_rules(server: MCPServer, rules_of: Callable[[str], Iterable[Mapping[str, Any]]]) -> None:
    """Add the rules of games as resources: all rules of a game, and each rule by its id."""

    def found(game: str, ids: list[str] | None) -> str:
        try:
            return written(chosen(rules_of(game), ids))
        except RefusedError as refused:
            raise ResourceError(str(refused)) from None

    @server.resource("dorfplatz://games/{game}/rules", mime_type="application/json")
    def rules_of_game(game: str) -> str:
        """Every rule of a game, with its id and its sentence."""
        return found(game, None)

    @server.resource("dorfplatz://games/{game}/rules/{rule}", mime_type="application/json")
    def rule_of_game(game: str, rule: str) -> str:
        """One rule of a game."""
        return found(game, [rule])


def chosen(rules: Iterable[Mapping[str, Any]], ids: list[str] | None) -> list[Mapping[str, Any]]:
    """Return the rules with these ids, or all without ids; raise RefusedError for an unknown id."""
    known = {rule["id"]: rule for rule in rules}
    if unknown := [each for each in ids or () if each not in known]:
        raise RefusedError(f"There is no rule {', '.join(unknown)}.")
    return [*known.values()] if ids is None else [known[each] for each in ids]


def page_of_rules(rules: list[Mapping[str, Any]], first: int) -> answers.Rules:
    """Return a page of rules."""
    taken = page(rules, first, LIST_CHARACTERS - MARGIN_CHARACTERS, cost=lambda rule: len(written(rule)))
    told: answers.Rules = {"rules": cast("list[answers.RuleTold]", taken), "total": len(rules)}
    if first + len(taken) < len(rules):
        told["next"] = first + len(taken)
    return told


def answering(tool: Callable[Arguments, Mapping[str, Any]]) -> Callable[Arguments, CallToolResult]:
    """Wrap a tool to return compact JSON, both as text and structured, with refusals as text for agents."""

    @wraps(tool)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> CallToolResult:
        try:
            told = {**tool(*args, **kwargs)}
        except RefusedError as refused:
            raise ToolError(str(refused)) from None
        return CallToolResult(content=[TextContent(type="text", text=written(told))], structured_content=told)

    # The SDK reads the schema of the structured content from the annotation of the result.
    returned = Annotated[CallToolResult, get_type_hints(tool)["return"]]
    call.__annotations__ = {**get_type_hints(tool, include_extras=True), "return": returned}
    call.__signature__ = signature_of(tool, call.__annotations__)  # type: ignore[attr-defined]
    return call


def signature_of(tool: Callable[..., Any], hints: Mapping[str, Any]) -> Any:
    """Return the signature of a tool with its annotations as objects."""
    found = inspect.signature(tool)
    parameters = [each.replace(annotation=hints[each.name]) for each in found.parameters.values()]
    return found.replace(parameters=parameters, return_annotation=hints["return"])
