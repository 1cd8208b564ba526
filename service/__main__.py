"""The command line: `python -m service serve|web|worker|probe|build|openapi`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from service.build import SWITCH, Wanted, build, kernel
from service.launch.lifeline import tie_forks
from service.launch.supervisor import QUEUES, Supervisor, answers
from service.launch.terminal import say


@click.group()
def cli() -> None:
    """Dorfplatz: German board games as a REST service."""
    if os.environ.get(SWITCH) == Wanted.COMPILED.value and kernel() == "plain":
        raise click.ClickException(f"{SWITCH}=compiled, but the plain kernel is on the path")


@cli.command()
def serve() -> None:
    """Run everything on this machine: a Redis unless REDIS_URL names one, the workers, the web server on PORT."""
    sys.exit(Supervisor(os.environ, Path(os.environ.get("DORFPLATZ_VAR", "var"))).run())


@cli.command()
def web() -> None:
    """Run the web server on HOST and PORT."""
    say(f"web server, {kernel()} kernel")
    command = [sys.executable, "-P", "-m", "gunicorn", "-c", "python:service.launch.gunicorn"]
    os.execv(command[0], command)


@cli.command()
@click.argument("queue", type=click.Choice(QUEUES))
def worker(queue: str) -> None:
    """Run one worker, which takes jobs from one queue."""
    from workers.main import run

    say(f"worker {queue}, {kernel()} kernel")
    tie_forks()
    run(queue)


@cli.command()
@click.argument("part", type=click.Choice(("web", *QUEUES)))
def probe(part: str) -> None:
    """Tell by the exit code whether the web server, or the worker of a queue, works on this host."""
    from service.settings import Settings
    from workers.alive import alive

    if part == "web":
        works = answers(f"http://127.0.0.1:{os.environ.get('PORT', '8000')}/healthz")
    else:
        works = alive(Settings.from_env().redis_url, part)
    sys.exit(0 if works else 1)


@cli.command("build")
def build_kernel() -> None:
    """Compile the kernel into build/compiled, from the root of a checkout."""
    click.echo(build(Path.cwd(), again=True))


@cli.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path), default="openapi/openapi.yaml")
def openapi(path: Path) -> None:
    """Write the contract to PATH (openapi/openapi.yaml), from the root of a checkout."""
    from service.contract.export import write

    write(path)
    click.echo(path)


if __name__ == "__main__":
    cli()
