"""The command line: `python -m service serve|web|worker|keys|probe|build|openapi`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import click

from service.build import SWITCH, Wanted, build, kernel
from service.keys import SCOPES, KeyStore
from service.launch.address import WrongAddressError
from service.launch.lifeline import tie_forks
from service.launch.loading import loading
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
    try:
        supervisor = Supervisor(os.environ, Path(os.environ.get("DORFPLATZ_VAR", "var")))
    except WrongAddressError as reason:
        raise click.ClickException(str(reason)) from None
    sys.exit(supervisor.run())


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
    with loading():
        from games.core.registry import registered
        from workers.main import run

        registered()
    say(f"worker {queue}, {kernel()} kernel")
    tie_forks()
    run(queue)


@cli.command()
@click.argument("part", type=click.Choice(("web", *QUEUES)))
def probe(part: str) -> None:
    """Tell by the exit code whether the web server, or the worker of a queue, works on this host."""
    from service.settings import Settings
    from service.store.clients import commands
    from workers.alive import alive

    if part == "web":
        works = answers(f"http://127.0.0.1:{os.environ.get('PORT', '8000')}/healthz")
    else:
        with commands(Settings.from_env().redis_url) as client:
            works = alive(client, part)
    sys.exit(0 if works else 1)


@cli.command("build")
def build_kernel() -> None:
    """Compile the kernel into build/compiled, from the root of a checkout."""
    click.echo(build(Path.cwd(), again=True))


@cli.group()
def keys() -> None:
    """Add, list and revoke API keys, in the store of REDIS_URL or else of this machine's own service."""


@keys.command()
@click.argument("name")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, required=True, help="Again for each.")
@click.option("--requests-per-minute", type=click.IntRange(0), help="Instead of the usual quota; 0 for none.")
@click.option("--playouts-per-hour", type=click.IntRange(0), help="Instead of the usual quota; 0 for none.")
def add(name: str, scopes: tuple[str, ...], requests_per_minute: int | None, playouts_per_hour: int | None) -> None:
    """Make a key for NAME and print it; it is shown once and stored as a hash."""
    with key_store() as store:
        made, text = store.add(name, scopes, requests_per_minute, playouts_per_hour)
    click.echo(f"key {made.id} for {name}: {', '.join(made.scopes)}", err=True)
    click.echo(text)


@keys.command("list")
def list_keys() -> None:
    """Print every key's id, when it was made, its scopes, its own quotas and its name, the oldest first."""
    with key_store() as store:
        for key in store.every():
            made = datetime.fromtimestamp(key.made / 1000, UTC).date()
            own = (key.requests_per_minute, key.playouts_per_hour)
            quotas = " ".join("-" if quota is None else str(quota) for quota in own)
            click.echo(f"{key.id} {made} {','.join(key.scopes)} {quotas} {key.name}")


@keys.command()
@click.argument("id")
def revoke(id: str) -> None:  # noqa: A002 -- what `list` calls it
    """Revoke the key ID at once; its webhooks fall silent."""
    with key_store() as store:
        if not store.revoke(id):
            raise click.ClickException(f"there is no key {id}")


@contextmanager
def key_store() -> Iterator[KeyStore]:
    """Yield the store of keys."""
    from service.launch.redis import reach
    from service.store.clients import commands

    named = os.environ.get("REDIS_URL")
    folder = Path(os.environ.get("DORFPLATZ_VAR", "var")) / "redis"
    with nullcontext(named) if named else reach(folder) as url, commands(url) as client:
        yield KeyStore(client)


@cli.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path), default="openapi/openapi.yaml")
def openapi(path: Path) -> None:
    """Write the contract to PATH (openapi/openapi.yaml), from the root of a checkout."""
    from service.contract.export import write

    write(path)
    click.echo(path)


if __name__ == "__main__":
    cli()
