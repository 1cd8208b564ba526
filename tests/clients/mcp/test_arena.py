"""The arena: scripted agents are rated as our levels of their names, and agents' faults are counted by cause."""

import json
import os
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from click.testing import CliRunner

from dorfplatz_arena import __main__ as main
from dorfplatz_arena.__main__ import cli
from dorfplatz_arena.agents import CommandAgent, Question
from dorfplatz_arena.games import ArenaGames, play_arena
from dorfplatz_arena.scripted import answers
from games.core.levels import LEVELS
from games.core.registry import registered
from service.jobs.players import RemoteBot
from tests.launch.kit import PATIENCE_SECONDS
from tests.workers.bots import stranger
from workers.simulate.here import simulate
from workers.simulate.remote import Sender, question_body
from workers.simulate.tally import Forfeit
from workers.simulate.tournament import TournamentPlan

SENDER = Sender(job="arena", secret="whsec_b2Ygbm9ib2R5", private=True)  # noqa: S106
GNOMES = registered()["gartenzwerge"]


def illegal(question: Question) -> Any:
    moves = ({"move": msgspec.to_builtins(GNOMES.actions.move(index))} for index in range(GNOMES.actions.size))
    return next(move for move in moves if (found := question.explain(move)) is not None and found.rule)


class Scripted:
    """An agent in this process that answers to the data of a question by a function, and receives the results.

    Without a function it makes illegal moves. If the function returns nothing, it makes one there.
    """

    def __init__(self, think: Callable[[Any], Any] = lambda _: None) -> None:
        self._think = think
        self.asked: list[Any] = []
        self.settled: list[Forfeit | None] = []

    def ask(self, question: Question) -> bytes:
        self.asked.append(json.loads(question_body(question.data))["data"])
        return json.dumps(self._think(self.asked[-1]) or illegal(question)).encode()

    def settle(self, question: Question, refused: Forfeit | None) -> None:
        self.settled.append(refused)

    def close(self) -> None:
        """End."""


def named(name: str) -> Scripted:
    """Return one of the agents that the arena brings along, without a process."""
    return Scripted(lambda data: json.loads(next(answers(name, iter([json.dumps({"data": data})])))))


def first(data: Any) -> Any:
    return {"code": data["legal_moves"][0]["code"]}


def planned(*entrants: Any, rounds: int = 1, seed: str = "owls") -> tuple[TournamentPlan, dict[RemoteBot, Any]]:
    names = [name for name, _ in entrants]
    bots = [
        LEVELS[who] if isinstance(who, str) else RemoteBot(url=f"agent:{name}", deadline_ms=30_000, in_flight=1)
        for name, who in entrants
    ]
    agents = {bot: who for bot, (_, who) in zip(bots, entrants, strict=True) if isinstance(bot, RemoteBot)}
    plan = TournamentPlan(GNOMES, 2, tuple(names), tuple(bots), GNOMES.options_type(), seed, rounds)
    return plan, agents


def arena(*entrants: Any, rounds: int = 1, seed: str = "owls", **change: Any) -> tuple[dict[str, Any], ArenaGames]:
    plan, agents = planned(*entrants, rounds=rounds, seed=seed)
    games = ArenaGames(plan, agents, SENDER, **change)
    found = play_arena(games, plan)
    return {entrant["name"]: entrant for entrant in found["entrants"]}, games


def test_random_and_greedy_agents_land_where_the_tournament_has_these_levels() -> None:
    levels = [("random", "random"), ("greedy", "greedy")]
    found, _ = arena(*levels, ("r", named("random")), ("g", named("greedy")), rounds=2)
    for level, agent in (("random", "r"), ("greedy", "g")):
        low, high = found[level]["rating"]["interval"]
        assert (low or -9999) <= found[agent]["rating"]["elo"] <= (high or 9999)
        low, high = found[agent]["rating"]["interval"]
        assert (low or -9999) <= found[level]["rating"]["elo"] <= (high or 9999)
        assert found[agent]["forfeits"] == found[agent]["illegal_moves"] == []
    assert max(found["random"]["rating"]["elo"], found["r"]["rating"]["elo"]) < found["g"]["rating"]["elo"]


def test_an_arena_of_levels_is_the_tournament_to_the_digit() -> None:
    plan, _ = planned(("random", "random"), ("greedy", "greedy"), rounds=2)
    found, _ = arena(("random", "random"), ("greedy", "greedy"), rounds=2)
    expected = {entrant["name"]: entrant for entrant in simulate(plan)["entrants"]}
    assert {name: entrant["rating"] for name, entrant in found.items()} == {
        name: entrant["rating"] for name, entrant in expected.items()
    }


def test_an_illegal_move_is_counted_by_its_rule_and_loses_the_game_where_no_try_is_left() -> None:
    agent = Scripted()
    found, _ = arena(("greedy", "greedy"), ("wrong", agent))
    forfeits = found["wrong"]["forfeits"]
    assert {forfeit["cause"] for forfeit in forfeits} == {"illegal"}
    assert sum(forfeit["games"] for forfeit in forfeits) == 2
    counted = {row["rule"]: row["moves"] for row in found["wrong"]["illegal_moves"]}
    assert counted == {forfeit["rule"]: forfeit["games"] for forfeit in forfeits}
    assert found["greedy"]["wins"] == 2


def test_a_second_try_tells_the_rule_and_may_save_the_game() -> None:
    agent = Scripted(lambda data: first(data) if "refused" in data else None)
    found, _ = arena(("random", "random"), ("wrong", agent), tries=2)
    assert found["wrong"]["forfeits"] == []
    counted = {row["rule"]: row["moves"] for row in found["wrong"]["illegal_moves"]}
    assert counted == Counter(data["refused"]["rule"] for data in agent.asked[1::2])
    assert [refused is None for refused in agent.settled[:4]] == [False, True, False, True]


def test_legal_moves_can_be_withheld() -> None:
    agent = Scripted()
    arena(("random", "random"), ("blind", agent), listed=False)
    assert agent.asked
    assert not any("legal_moves" in data for data in agent.asked)


def test_regret_per_decision_uses_the_seats_knowledge() -> None:
    found, games = arena(("greedy", "greedy"), ("r", named("random")), iterations=4)
    again, _ = arena(("greedy", "greedy"), ("r", named("random")), iterations=4)
    rated = [row for row in games.decisions if row.regret is not None and row.entrant == "r"]
    told = found["r"]["regret"]
    assert told == again["r"]["regret"]
    assert told["decisions"] == len(rated) > 0
    assert told["mean_regret"] == pytest.approx(sum(row.regret or 0 for row in rated) / len(rated), abs=1e-6)
    assert told["mean_regret"] > found["greedy"]["regret"]["mean_regret"]
    assert told["forced"] == sum(row.skipped == "forced" for row in games.decisions if row.entrant == "r")


def test_a_command_that_ends_or_is_too_late_loses_by_that_cause() -> None:
    gone, late = CommandAgent(shlex.join([sys.executable, "-c", ""])), CommandAgent("sleep 60")
    question = Question({}, 0.05, lambda _: None, last=True)
    try:
        found, _ = arena(("random", "random"), ("gone", gone))
        assert [(each["cause"], each["games"]) for each in found["gone"]["forfeits"]] == [("unreachable", 2)]
        with pytest.raises(TimeoutError):
            late.ask(question)
    finally:
        gone.close()
        late.close()


def test_an_agent_at_an_address_is_asked_as_bots_are() -> None:
    with stranger() as bot:
        remote = RemoteBot(url=bot.url)
        plan = TournamentPlan(
            GNOMES, 2, ("there", "random"), (remote, LEVELS["random"]), GNOMES.options_type(), "owls", 1
        )
        found = play_arena(ArenaGames(plan, {}, SENDER), plan)
    assert found["entrants"][0]["forfeits"] == []
    assert bot.data(0)["game"] == "gartenzwerge"


def test_an_mcp_client_plays_by_tools_and_learns_the_rule_of_an_illegal_move() -> None:
    from mcp import Client

    from dorfplatz_arena.seats import McpAgent, McpServer

    told: list[tuple[bool, str]] = []
    wrong_move: list[Any] = []

    class Watched(McpAgent):
        def ask(self, question: Question) -> bytes:
            wrong_move[:] = [illegal(question)["move"]]
            return super().ask(question)

    agent = Watched()
    server = McpServer(agent)

    async def play() -> None:
        async with Client(server.url) as client:

            async def call(name: str, **arguments: Any) -> tuple[bool, str]:
                answer = await client.call_tool(name, arguments)
                return answer.is_error, answer.content[0].text  # type: ignore[union-attr]

            while not (asked := json.loads((await call("next_decision"))[1])).get("over"):
                if "waiting" in asked:
                    continue
                if not told:
                    told.append(await call("why_not", table=asked["table"], move=wrong_move[0]))
                    told.append(await call("move", table=asked["table"], move=wrong_move[0]))
                    asked = json.loads((await call("next_decision"))[1])
                    told.append(
                        await call("rules", game=asked["game"], ids=[json.loads(told[0][1])["errors"][0]["rule"]])
                    )
                wrong, text = await call(
                    "move", table=asked["table"], move={"code": int(next(iter(asked["legal_moves"])))}
                )
                assert not wrong, text

    client = threading.Thread(target=anyio.run, args=(play,), daemon=True)
    client.start()
    try:
        found, _ = arena(("random", "random"), ("mcp", agent), tries=2)
    finally:
        agent.close()
        client.join(60)
        server.close()
    (counted,) = found["mcp"]["illegal_moves"]
    (_, why), (refused, text), (_, rules) = told
    assert json.loads(why) == {"legal": False, "why": json.loads(why)["why"], "errors": [{"rule": counted["rule"]}]}
    assert refused
    assert f"(rule {counted['rule']})" in text
    assert json.loads(rules)["rules"][0]["id"] == counted["rule"]
    assert (counted["moves"], found["mcp"]["games"], found["mcp"]["forfeits"]) == (1, 2, [])


def test_the_command_prints_every_decision(tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    agent = f"cmd:{shlex.join([sys.executable, '-P', '-m', 'dorfplatz_arena.scripted', 'random'])}"
    page = (checkout / "clients" / "mcp" / "README.md").read_text(encoding="utf-8")
    (tmp_path / "first.py").write_text(page.partition("```python\n")[2].partition("```")[0])
    readme = f"cmd:{shlex.join([sys.executable, str(tmp_path / 'first.py')])}"
    base = ["arena", "--game", "gartenzwerge", "--seats", "2", "--games", "2", "--agent", f"r={agent}"]
    rows = tmp_path / "decisions.ndjson"
    told = CliRunner().invoke(cli, [*base, "--agent", f"first={readme}", "--regret", "4", "--decisions", str(rows)])
    assert told.exit_code == 0, told.output
    assert "2 games in 1 rounds of gartenzwerge" in told.output
    assert "regret" in told.output
    assert "forfeited" not in told.output
    assert {json.loads(row)["entrant"] for row in rows.read_text().splitlines()} == {"r", "first"}
    assert CliRunner().invoke(cli, [*base, "--agent", "random", "--games", "1"]).exit_code == 2
    assert CliRunner().invoke(cli, [*base, "--agent", f"r={agent}"]).exit_code == 2


FIRST_MOVES = """
import json
import os

import anyio
from mcp import Client


async def play() -> None:
    async with Client(os.environ["DORFPLATZ_MCP_URL"]) as client:

        async def call(name, **arguments):
            return json.loads((await client.call_tool(name, arguments)).content[0].text)

        while not (asked := await call("next_decision")).get("over"):
            if "table" in asked:
                await call("move", table=asked["table"], move={"code": int(next(iter(asked["legal_moves"])))})


anyio.run(play)
open("over", "x").close()
"""


@pytest.mark.thorough
def test_an_mcp_client_as_command_plays_and_hears_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(main, "END_SECONDS", PATIENCE_SECONDS)
    (tmp_path / "first.py").write_text(FIRST_MOVES)
    agent = f"mcp:{shlex.join([sys.executable, '-P', 'first.py'])}"
    table = ["arena", "--game", "gartenzwerge", "--seats", "2", "--games", "2", "--seed", "owls"]
    entrants = [
        "--agent",
        "random",
        "--agent",
        f"tools={agent}",
        "--seconds",
        str(PATIENCE_SECONDS),
        "--regret",
        "0",
        "--json",
    ]
    told = CliRunner().invoke(main.cli, [*table, *entrants])
    assert told.exit_code == 0, told.output
    found = {entrant["name"]: entrant for entrant in json.loads(told.stdout)["entrants"]}
    assert (found["tools"]["games"], found["tools"]["forfeits"], found["tools"]["illegal_moves"]) == (2, [], [])
    assert (tmp_path / "over").exists()
