"""The MCP server, asked by the SDK's own client: in memory, over stdio's framing and over streamable HTTP."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from flask import Flask
from redis import Redis

import dorfplatz_client
from dorfplatz_mcp.service import Service
from dorfplatz_mcp.tables import Table, Tables
from tests.workers import jobs

if TYPE_CHECKING:
    from mcp import Client

ADDRESS = re.compile(r"http://127\.0\.0\.1:[1-9]\d*")
ILLEGAL = {"kind": "convince", "source": 1, "target": 2, "argument": "white", "colour": "white"}


class Heard(httpx.WSGITransport):
    """The application as a transport: it records secrets in its responses, and does due work after a call.

    It does not answer while it is `down`, and refuses `busy` requests as busy.
    """

    secrets: list[str]
    after: dict[str, Callable[[], object]]
    down: bool = False
    busy: int = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise httpx.ConnectError("nobody there", request=request)
        if self.busy:
            self.busy -= 1
            return httpx.Response(429, headers={"Retry-After": "7"}, request=request)
        answer = super().handle_request(request)
        answer.read()
        self.after.get(request.url.path, dict)()
        if request.method == "POST" and request.url.path.endswith(("/sessions", "/claim")) and answer.is_success:
            made = answer.json()
            found = [made.get("owner_token"), made.get("token"), *(seat.get("token") for seat in made.get("seats", ()))]
            self.secrets += [secret for secret in found if secret]
        return answer


@pytest.fixture
def heard(every_game: Flask) -> Iterator[Heard]:
    transport = Heard(app=every_game)
    transport.secrets, transport.after = [], {}
    yield transport
    transport.close()


@pytest.fixture
def service(heard: Heard) -> Iterator[Service]:
    with dorfplatz_client.Client("http://dorfplatz.test", transport=heard) as client:
        yield Service(client, hint_iterations=20)


def meet(server: Any, play: Callable[[Client], Awaitable[None]], *, mode: Any = "auto") -> None:
    """Let a client play at a server in this process, at a command's or at an address."""
    from mcp import Client

    async def go() -> None:
        async with Client(server, mode=mode) as client:
            await play(client)

    anyio.run(go)


def run(service: Service, play: Callable[[Client], Awaitable[None]], *, mode: Any = "auto", **withheld: bool) -> None:
    from dorfplatz_mcp.server import build_server

    meet(build_server(service, **withheld), play, mode=mode)


async def call_tool(client: Client, name: str, **arguments: Any) -> Any:
    answer = await client.call_tool(name, arguments)
    text = answer.content[0].text  # type: ignore[union-attr]
    assert not answer.is_error, text
    return json.loads(text)


def first_code(listed: Any) -> int:
    return int(next(iter(listed["moves"])))


async def refused(client: Client, name: str, **arguments: Any) -> str:
    answer = await client.call_tool(name, arguments)
    assert answer.is_error, answer
    return str(answer.content[0].text)  # type: ignore[union-attr]


async def open_table(client: Client, **change: Any) -> Any:
    """Open a table against a player that never moves."""
    return await call_tool(client, "open_table", **{"game": "hoher-rat", "bots": ["random"], "seed": "owls", **change})


def test_an_agent_opens_a_table_looks_moves_and_reads_what_happened(service: Service, heard: Heard) -> None:
    told: list[Any] = []

    async def play(client: Client) -> None:
        games = (await call_tool(client, "list_games"))["games"]
        assert "hoher-rat" in {game["game"] for game in games}
        table = await open_table(client)
        handle = table["table"]
        look = await call_tool(client, "look", table=handle)
        assert look["your_turn"] is True
        legal = await call_tool(client, "list_legal_moves", table=handle)
        checked = await call_tool(client, "why_not", table=handle, move={"code": first_code(legal)})
        assert checked == {"legal": True}
        played = await call_tool(client, "move", table=handle, move={"code": first_code(legal)})
        assert played["version"] > look["version"]
        history = await call_tool(client, "history", table=handle)
        assert history["total"] == 2
        told.extend([games, table, look, legal, checked, played, history])

    run(service, play)
    assert len(heard.secrets) == 2
    assert not [secret for secret in heard.secrets if secret in json.dumps(told)]


def test_an_illegal_move_is_a_tool_error_with_its_rule_and_is_explained_without_playing(service: Service) -> None:
    async def play(client: Client) -> None:
        table = (await open_table(client))["table"]
        before = await call_tool(client, "look", table=table)
        why = await call_tool(client, "why_not", table=table, move=ILLEGAL)
        assert (why["legal"], why["errors"][0]["rule"]) == (False, "HR-43")
        text = await refused(client, "move", table=table, move=ILLEGAL)
        assert "illegal-move" in text
        assert "(rule HR-43)" in text
        again = await call_tool(client, "look", table=table, full=True)
        assert (again["version"], again["view"]) == (before["version"], before["view"])
        (rule,) = (await call_tool(client, "rules", game="hoher-rat", ids=["HR-43"]))["rules"]
        assert rule["id"] == "HR-43"

    run(service, play)


def test_problem_documents_and_wrong_handles_become_tool_errors(service: Service) -> None:
    async def play(client: Client) -> None:
        assert "invalid-body" in await refused(client, "open_table", game="chess", bots=["random"])
        assert "no such table" in await refused(client, "look", table="table-of-another")
        assert "no rule XX-1" in await refused(client, "rules", game="hoher-rat", ids=["XX-1"])
        assert "seats 0 to 1" in await refused(client, "open_table", game="hoher-rat", bots=["random"], seat=2)

    run(service, play)


def test_a_busy_service_is_asked_again(service: Service, heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)

    async def play(client: Client) -> None:
        heard.busy = 2
        assert await call_tool(client, "list_games")
        assert pauses == [7, 7]
        heard.down = True
        assert "does not answer" in await refused(client, "list_games")

    run(service, play)


def test_a_move_counts_for_the_state_seen_by_the_agent(service: Service) -> None:
    def other(table: str) -> Any:
        found = service._tables.get(table)
        assert found is not None
        return service.client.seat(found.seat.session, found.seat.token)

    def move_elsewhere(table: str) -> None:
        seat = other(table)
        seat.move(seat.legal_moves()[0])

    async def play(client: Client) -> None:
        unseen, seen = [(await open_table(client))["table"] for _ in range(2)]
        await call_tool(client, "look", table=seen)
        meant = {table: other(table).legal_moves()[0]["move"] for table in (unseen, seen)}
        for table in (unseen, seen):
            move_elsewhere(table)
        assert "stale-version" in await refused(client, "move", table=seen, move=meant[seen])
        assert "stale-version" not in await refused(client, "move", table=unseen, move=ILLEGAL)  # as it is now

    run(service, play)


def test_a_list_of_legal_moves_counts_as_having_seen_its_version(service: Service) -> None:
    async def play(client: Client) -> None:
        mine = await open_table(client, bots=["open"])
        theirs = await call_tool(client, "join_table", session=mine["session"], seat=1, code=mine["invites"][0]["code"])
        tables = [mine["table"], theirs["table"]]
        for table in tables:
            await call_tool(client, "look", table=table)
        for _ in range(12):
            for table in tables:
                listed = await call_tool(client, "list_legal_moves", table=table)
                if listed["moves"]:
                    move = {"code": first_code(listed)}
                    assert (await call_tool(client, "move", table=table, move=move))["version"] > listed["version"]

    run(service, play)


def test_a_hint_names_the_best_moves_with_their_values(service: Service, heard: Heard, redis_client: Redis) -> None:
    def search() -> None:
        jobs.search_all(redis_client)

    heard.after["/v1/jobs/searches"] = search

    async def play(client: Client) -> None:
        table = (await open_table(client))["table"]
        hint = await call_tool(client, "hint", table=table, top=2)
        assert len(hint["moves"]) == 2
        assert all(0 <= move["value"] <= 1 for move in hint["moves"])
        assert all(move["confidence"].endswith(".") for move in hint["moves"])

    run(service, play)


def test_one_who_is_invited_joins_and_each_sees_its_own_hand(service: Service, heard: Heard) -> None:
    async def play(client: Client) -> None:
        mine = await open_table(client, bots=["open"])
        code = mine["invites"][0]["code"]
        theirs = await call_tool(client, "join_table", session=mine["session"], seat=1, code=code)
        views = [await call_tool(client, "look", table=seat["table"]) for seat in (mine, theirs)]
        assert [seat["seat"] for seat in (mine, theirs)] == [0, 1]
        assert views[0]["view"] != views[1]["view"]
        assert len(heard.secrets) == 3
        assert not [secret for secret in heard.secrets if secret in json.dumps([mine, theirs, views])]
        waiting = await refused(client, "move", table=theirs["table"], move={"kind": "end_turn"})
        assert "not-your-turn" in waiting

    run(service, play)


def test_legal_moves_and_hints_can_be_withheld(service: Service) -> None:
    async def names(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    async def all_of_them(client: Client) -> None:
        assert {"list_legal_moves", "hint"} <= await names(client)

    async def neither(client: Client) -> None:
        assert not {"list_legal_moves", "hint"} & await names(client)
        assert "Unknown tool" in await refused(client, "hint", table="any")

    run(service, all_of_them)
    run(service, neither, legal_moves=False, hints=False)


def test_rules_are_resources(service: Service) -> None:
    async def play(client: Client) -> None:
        templates = {each.uri_template for each in (await client.list_resource_templates()).resource_templates}
        assert templates == {"dorfplatz://games/{game}/rules", "dorfplatz://games/{game}/rules/{rule}"}
        found = await client.read_resource("dorfplatz://games/hoher-rat/rules/HR-43")
        (rule,) = json.loads(found.contents[0].text)  # type: ignore[union-attr]
        assert rule["id"] == "HR-43"
        from mcp.shared.exceptions import MCPError

        with pytest.raises(MCPError, match="no rule XX-1"):
            await client.read_resource("dorfplatz://games/hoher-rat/rules/XX-1")

    run(service, play, mode="legacy")


@pytest.mark.thorough
def test_the_command_speaks_over_stdio() -> None:
    from mcp import StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "dorfplatz_mcp", "--url", "http://127.0.0.1:1", "--no-hints"],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )

    async def play(client: Client) -> None:
        assert "hint" not in {tool.name for tool in (await client.list_tools()).tools}

    # By default it is the standard error of whichever test has imported the client first.
    meet(stdio_client(command, errlog=sys.__stderr__ or sys.stderr), play)


@pytest.mark.thorough
def test_the_command_serves_http_at_a_port_that_is_free() -> None:
    command = [sys.executable, "-P", "-m", "dorfplatz_mcp", "--url", "http://127.0.0.1:1", "--http", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            address = next(found[0] for line in process.stderr if (found := ADDRESS.search(line)))

            async def play(client: Client) -> None:
                assert "hint" in {tool.name for tool in (await client.list_tools()).tools}

            meet(f"{address}/mcp", play)
        finally:
            process.terminate()
            process.communicate()


def test_every_tool_says_what_it_does_and_returns(service: Service) -> None:
    import dorfplatz_mcp

    async def play(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.version == dorfplatz_mcp.__version__
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        changing = {"open_table", "join_table", "move"}
        for name, tool in tools.items():
            assert tool.output_schema is not None, name
            assert tool.output_schema["type"] == "object"
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (name not in changing)
            assert "others" not in tool.input_schema["properties"]
        assert "bots" in tools["open_table"].input_schema["properties"]
        answer = await client.call_tool("open_table", {"game": "hoher-rat", "bots": ["random"]})
        assert json.loads(answer.content[0].text) == answer.structured_content  # type: ignore[union-attr]

    run(service, play)


def test_a_look_tells_what_changed_and_a_part_by_its_path(service: Service) -> None:
    async def play(client: Client) -> None:
        table = (await open_table(client, game="gartenzwerge"))["table"]
        first = await call_tool(client, "look", table=table)
        assert {"view", "headline"} <= first.keys()
        again = await call_tool(client, "look", table=table)
        assert not {"view", "changed"} & again.keys()
        assert (await call_tool(client, "look", table=table, full=True))["view"] == first["view"]
        part = await call_tool(client, "look", table=table, part="members/0/blossoms")
        assert part["part"] == first["view"]["members"][0]["blossoms"]
        assert "no part members/9" in await refused(client, "look", table=table, part="members/9")

    run(service, play)


def test_a_table_is_forgotten_once_nobody_uses_it_or_there_are_too_many() -> None:
    now = [0.0]
    tables = Tables(idle_seconds=60, max_tables=3, clock=lambda: now[0])
    seats: Any = object()
    handles = [tables.add(Table(seats, number)) for number in range(4)]
    assert [tables.get(handle) is not None for handle in handles] == [False, True, True, True]
    now[0] = 50
    assert tables.get(handles[1]) is not None
    now[0] = 61
    assert [tables.get(handle) is not None for handle in handles] == [False, True, False, False]
    assert len(tables) == 1
