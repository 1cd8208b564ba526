"""The command `dorfplatz arena`."""

from __future__ import annotations

import json
import secrets
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from dorfplatz_arena.agents import END_SECONDS, Agent, CommandAgent
from dorfplatz_arena.games import ArenaGames, play_arena
from games.core.game import Game
from service.jobs.players import MAX_IN_FLIGHT, RemoteBot
from service.jobs.rounds import MAX_ENTRANTS, games_a_round
from workers.__main__ import bot as level_called
from workers.__main__ import check_worths, game_called, place
from workers.simulate.remote import Sender, SilentBotError
from workers.simulate.tournament import TournamentPlan

HINT: Final = "--agent"
OURS: Final = "agent:"
"""Placeholder address of an agent without a URL."""


@click.group()
def cli() -> None:
    """Dorfplatz for agents."""


@cli.command()
@click.option("--game", "slug", required=True, help="The game, such as hoher-rat.")
@click.option("--seats", type=int, required=True, help="Number of seats at the tables.")
@click.option(
    "--agent", "entrants", multiple=True, required=True, help="NAME=AGENT, or the name of a level; repeat it for each."
)
@click.option(
    "--games", "number", default=120, show_default=True, help="Maximum number of games; only whole rounds are played."
)
@click.option("--seed", default="0", show_default=True, help="The same seed deals the same games.")
@click.option("--anchor", help="The entrant with rating 0; by default the mean has it.")
@click.option(
    "--tries", type=click.IntRange(1), default=1, show_default=True, help="Number of illegal moves that lose a game."
)
@click.option(
    "--seconds", type=click.FloatRange(0.01), default=60.0, show_default=True, help="Time limit of an answer."
)
@click.option(
    "--at-once",
    type=click.IntRange(1, MAX_IN_FLIGHT),
    default=1,
    show_default=True,
    help="Number of simultaneous games.",
)
@click.option("--legal-moves/--no-legal-moves", default=True, help="Whether agents may list legal moves.")
@click.option(
    "--regret",
    "iterations",
    type=click.IntRange(0),
    default=400,
    show_default=True,
    help="Iterations for each decision; 0 rates none.",
)
@click.option(
    "--decisions", type=click.Path(dir_okay=False, path_type=Path), help="Write each decision to this file, one a line."
)
@click.option("--secret", envvar="DORFPLATZ_ARENA_SECRET", help="Secret that signs requests to agents at URLs.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
def arena(  # noqa: PLR0913, PLR0917 -- one for each option
    slug: str,
    seats: int,
    entrants: tuple[str, ...],
    number: int,
    seed: str,
    anchor: str | None,
    tries: int,
    seconds: float,
    at_once: int,
    iterations: int,
    decisions: Path | None,
    secret: str | None,
    *,
    legal_moves: bool,
    as_json: bool,
) -> None:
    """Let agents and levels play duplicate deals in all seats, and rate them as tournaments do.

    An AGENT is a level (greedy, search:400), or an http or https address that responds like a remote bot. cmd:COMMAND
    is a command that reads one question per line and writes one answer per line. mcp:COMMAND starts an MCP client with
    the address of its tools in DORFPLATZ_MCP_URL; mcp:PORT waits for a client at that port.
    """
    game = game_called(slug)
    names, specs = zip(
        *(entrant.partition("=")[::2] if "=" in entrant else (entrant, entrant) for entrant in entrants), strict=True
    )
    rounds = checked_rounds(game, seats, names, anchor, number)
    bots = tuple(
        remote(name, spec, seconds, at_once) or level_called(game, spec, seats, HINT)
        for name, spec in zip(names, specs, strict=True)
    )
    check_worths(game, [bot for bot in bots if not isinstance(bot, RemoteBot)], HINT)
    options, zero = game.options_type(**game.simulated), None if anchor is None else names.index(anchor)
    plan = TournamentPlan(game, seats, names, bots, options, seed, rounds, zero)
    sender = Sender(job="arena", secret=secret or f"whsec_{secrets.token_urlsafe(32)}", private=True)
    with ExitStack() as stack:
        agents = {
            bot: start_agent(spec, stack)
            for bot, spec in zip(bots, specs, strict=True)
            if isinstance(bot, RemoteBot) and bot.url.startswith(OURS)
        }
        games = ArenaGames(plan, agents, sender, tries=tries, iterations=iterations, listed=legal_moves)
        found = play_shown(games, plan)
    if decisions is not None:
        decisions.write_bytes(msgspec.json.Encoder().encode_lines(games.decisions))
    click.echo(json.dumps(found, indent=2) if as_json else table(found))


def checked_rounds(game: Game, seats: int, names: Sequence[str], anchor: str | None, number: int) -> int:
    """Return the number of whole rounds in a number of games; raise BadParameter for an impossible tournament."""
    if not 1 < len(names) <= MAX_ENTRANTS:
        raise click.BadParameter("two to eight entrants", param_hint=HINT)
    if len(set(names)) < len(names):
        raise click.BadParameter("two are called alike", param_hint=HINT)
    if seats not in game.seat_numbers:
        raise click.BadParameter(f"one of {game.seat_numbers}", param_hint="--seats")
    if anchor is not None and anchor not in names:
        raise click.BadParameter(f"one of {', '.join(names)}", param_hint="--anchor")
    a_round = games_a_round(len(names), len(game.teams(seats)))
    if number < a_round:
        raise click.BadParameter(f"a round has {a_round} games", param_hint="--games")
    return number // a_round


def play_shown(games: ArenaGames, plan: TournamentPlan) -> dict[str, Any]:
    """Play all games behind a progress bar; raise ClickException for an agent that never responds."""
    with click.progressbar(length=plan.games, label=plan.game.slug, file=sys.stderr) as bar:
        try:
            found = play_arena(games, plan, lambda: bar.update(games.played - bar.pos))
        except SilentBotError as silent:
            raise click.ClickException(f"{silent} has answered nothing that can be played: {silent.params}") from None
        bar.update(plan.games - bar.pos)
    return found


def remote(name: str, spec: str, seconds: float, at_once: int) -> RemoteBot | None:
    """Return the entrant for a specification, or None for a level."""
    if spec.startswith(("http://", "https://")):
        return RemoteBot(url=spec, deadline_ms=round(seconds * 1000), in_flight=at_once)
    if spec == "mcp" or spec.startswith(("cmd:", "mcp:")):
        return RemoteBot(url=f"{OURS}{name}", deadline_ms=round(seconds * 1000), in_flight=at_once)
    return None


def start_agent(spec: str, stack: ExitStack) -> Agent:
    """Start an agent that is a command or an MCP client, and register its end."""
    kind, _, command = spec.partition(":")
    if kind == "cmd":
        asked = CommandAgent(command)
        stack.callback(asked.close)
        return asked
    from dorfplatz_arena.seats import McpAgent, McpServer  # noqa: PLC0415 -- the SDK takes a second to load

    agent = McpAgent()
    server = McpServer(agent, int(command) if command.isdigit() else 0)
    stack.callback(server.close)
    if command and not command.isdigit():
        process = subprocess.Popen(shlex.split(command), env=server.environment)  # noqa: S603 -- the caller's own
        stack.callback(end, process)
    else:
        click.echo(f"an agent is awaited at {server.url}", err=True)
    stack.callback(agent.close)
    return agent


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has learnt of the end of the arena; stop it after a timeout."""
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def table(found: dict[str, Any]) -> str:
    """Render the result as text, best entrant first."""
    entrants = sorted(found["entrants"], key=lambda entrant: entrant["place"])
    rows = [
        f"{found['games']} games in {found['rounds']} rounds of {found['game']}; zero is {', '.join(found['zero'])}"
    ]
    for entrant in entrants:
        rows.append(place(entrant))
        if (regret := entrant.get("regret")) and regret["mean_regret"] is not None:
            rows.append(
                f"     regret {regret['mean_regret']:.4f} a decision of {regret['decisions']}, accuracy "
                f"{regret['accuracy']:.1%}, {regret['mistakes']} mistakes, {regret['blunders']} blunders"
            )
        rows += [f"     illegal by {each.get('rule', 'no rule')}: {each['moves']}" for each in entrant["illegal_moves"]]
        rows += [
            f"     forfeited by {each['cause']} {each.get('rule', '')}".rstrip() + f": {each['games']} games"
            for each in entrant.get("forfeits", ())
        ]
    return "\n".join(rows)


if __name__ == "__main__":
    cli()
