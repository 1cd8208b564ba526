"""The command line: `python -m service serve|web|worker|keys|sessions|probe|openapi|vapid`."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Final

import click

from games.core.kernel import SWITCH, Wanted, kernel
from service.launch.address import WrongAddressError
from service.launch.lifeline import tie_forks
from service.launch.loading import loading
from service.launch.supervisor import WORKER_QUEUES, Supervisor, answers
from service.launch.terminal import say

_FACTORY: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*\Z", re.ASCII)


STORE_COMMANDS: Final = ("keys", "sessions")
"""Names of command groups that are imported only when used, because importing them is slow."""


class CommandLine(click.Group):
    """The group of all commands.

    The commands in `service.store_commands` are slow to import. That module is imported only when somebody runs one of
    its commands or lists all commands.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *STORE_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in STORE_COMMANDS:
            return super().get_command(ctx, cmd_name)
        from service import store_commands

        found: click.Command = getattr(store_commands, cmd_name)
        return found


@click.group(cls=CommandLine)
def cli() -> None:
    """Dorfplatz: German board games as a REST service."""
    if os.environ.get(SWITCH) == Wanted.COMPILED.value and kernel() == "plain":
        raise click.ClickException(f"{SWITCH}=compiled, but the plain kernel is on the path")


@cli.command()
def serve() -> None:
    """Run everything on this machine: the workers, the web server on PORT, and a Redis unless REDIS_URL is set."""
    try:
        folder = Path(os.environ.get("DORFPLATZ_VAR", "var"))
        supervisor = Supervisor(os.environ, folder)
    except WrongAddressError as reason:
        raise click.ClickException(str(reason)) from None
    sys.exit(supervisor.run())


@cli.command()
@click.option(
    "--app",
    metavar="MODULE:FACTORY",
    default="service.app:create_app",
    help="The function that returns the application.",
)
def web(app: str) -> None:
    """Run the web server on HOST and PORT."""
    if not _FACTORY.match(app):
        raise click.BadParameter("name a function as MODULE:FACTORY", param_hint="--app")
    from service.server.keeper import Keeper

    sys.exit(Keeper(app, os.environ).run())


@cli.command()
@click.argument("queue", type=click.Choice(WORKER_QUEUES))
@click.option("--until-idle", type=click.IntRange(1), help="Stop after this number of idle seconds.")
def worker(queue: str, until_idle: int | None) -> None:
    """Run one worker process for the tasks of QUEUE."""
    with loading():
        from games.core.registry import registered
        from workers.main import run

        registered()
    say(f"worker {queue}, {kernel()} kernel")
    tie_forks()
    run(queue, until_idle)


@cli.command()
@click.argument("part", type=click.Choice(("web", *WORKER_QUEUES)))
def probe(part: str) -> None:
    """Check the web server or the worker of a queue on this host.

    The exit code is 0 if the web server or worker is alive, and 1 if not.
    """
    if part == "web":
        works = answers(f"http://127.0.0.1:{os.environ.get('PORT', '8000')}/healthz")
    else:
        with loading():
            from service.settings import Settings
            from service.store.clients import commands
            from workers.liveness import alive
        with commands(Settings.from_env().redis_url) as client:
            works = alive(client, part)
    sys.exit(0 if works else 1)


@cli.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path), default="openapi/openapi.yaml")
def openapi(path: Path) -> None:
    """Write the OpenAPI contract of the bundled games to PATH (default: openapi/openapi.yaml)."""
    from games.core.registry import ours
    from service.app import create_app
    from service.contract.document import write

    write(path, lambda: create_app(games=ours()))
    click.echo(path)


@cli.command()
def vapid() -> None:
    """Print a new VAPID_PRIVATE_KEY. Push services identify this service by that key."""
    from service.webhooks.push import new_private_key

    click.echo(new_private_key())


if __name__ == "__main__":
    cli()
