"""The commands `keys` and `sessions`, which read and change data in Redis."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.auth.api_keys import SCOPES, KeyStore
from service.settings import HOUR_MS
from service.validation.names import read_name
from service.validation.structs import UnfitError

if TYPE_CHECKING:
    from redis import Redis

    from service.sessions.services import SessionServices
    from service.store.sessions import Session


@click.group()
def keys() -> None:
    """Manage API keys in the Redis at REDIS_URL, or else in the Redis of the service on this machine."""


@keys.command()
@click.argument("name")
@click.option(
    "--scope", "scopes", type=click.Choice(SCOPES), multiple=True, required=True, help="A scope; repeat it for several."
)
@click.option("--requests-per-minute", type=click.IntRange(0), help="Quota of this key; 0 for no limit.")
@click.option("--playouts-per-hour", type=click.IntRange(0), help="Quota of this key; 0 for no limit.")
@click.option("--games-per-job", type=click.IntRange(1), help="Limit of simulations that keep only a tally.")
def add(
    name: str,
    scopes: tuple[str, ...],
    requests_per_minute: int | None,
    playouts_per_hour: int | None,
    games_per_job: int | None,
) -> None:
    """Create a key for NAME and print it. Only its hash is stored, so it cannot be shown again."""
    try:
        name = read_name(name)
    except UnfitError as unfit:
        told = unfit.fault.params.get("character", "nothing can be seen")
        raise click.BadParameter(f"no name: {told}", param_hint="NAME") from None
    with key_store() as store:
        made, text = store.add(name, scopes, requests_per_minute, playouts_per_hour, games_per_job)
    click.echo(f"key {made.id} for {name}: {', '.join(made.scopes)}", err=True)
    click.echo(text)


@keys.command("list")
def list_keys() -> None:
    """Print every key's id, creation date, scopes, quotas and name, oldest first."""
    with key_store() as store:
        for key in store.every():
            made = datetime.fromtimestamp(key.made / 1000, UTC).date()
            own = (key.requests_per_minute, key.playouts_per_hour, key.games_per_job)
            quotas = " ".join("-" if quota is None else str(quota) for quota in own)
            click.echo(f"{key.id} {made} {','.join(key.scopes)} {quotas} {key.name}")


@keys.command()
@click.argument("id")
@click.option("--overlap-hours", type=click.IntRange(0), default=24, show_default=True, help="0 ends the old key now.")
def rotate(id: str, overlap_hours: int) -> None:  # noqa: A002 -- what `list` calls it
    """Print a new API key that replaces the API key whose id is ID.

    Both API keys have the same id. So sessions, jobs and webhooks of the old API key also belong to the new API key.
    The old API key expires after --overlap-hours.
    """
    with key_store() as store:
        text = store.rotate(id, overlap_hours * HOUR_MS)
        if text is None:
            raise click.ClickException(f"there is no key {id}")
    click.echo(f"key {id}: the old secret is valid for {overlap_hours} more hours", err=True)
    click.echo(text)


@keys.command()
@click.argument("id")
def revoke(id: str) -> None:  # noqa: A002 -- what `list` calls it
    """Immediately revoke the API key whose id is ID. The webhooks of this API key receive no more messages."""
    with key_store() as store:
        if not store.revoke(id):
            raise click.ClickException(f"there is no key {id}")


@keys.command("erase")
@click.argument("id")
def erase_key(id: str) -> None:  # noqa: A002 -- what `list` calls it
    """Revoke the API key whose id is ID.

    Erase its name, webhooks and jobs. Also erase the names and texts of all people in its sessions.
    """
    from service.auth.api_keys import KEY_OWNER
    from service.jobs.erasure import forget_jobs_of
    from service.sessions.errors import SessionRuns, UnknownSession
    from service.sessions.reading import load

    with session_services() as services:
        client = services.hooks.client
        store = KeyStore(client)
        if store.by_id(id) is None:
            raise click.ClickException(f"there is no key {id}")
        running = []
        for session_id in services.store.founded_by(id):
            try:
                _erase_persons(services, load(services, session_id))
            except UnknownSession:  # it has expired
                continue
            except SessionRuns:
                running.append(session_id)
        if running:
            raise click.ClickException(f"end these sessions first, by `sessions abort`: {' '.join(running)}")
        forget_jobs_of(client, KEY_OWNER + id)
        for hook in services.hooks.of(id):
            services.hooks.delete(hook)
        store.revoke(id)  # last, so that an interrupted command can be repeated


@contextmanager
def key_store() -> Iterator[KeyStore]:
    with store_client() as client:
        yield KeyStore(client)


@contextmanager
def store_client() -> Iterator[Redis]:
    """Yield a client of the Redis at REDIS_URL. If this variable is not set, use the Redis of the local service."""
    from service.launch.redis import reach
    from service.store.clients import commands

    named = os.environ.get("REDIS_URL")
    folder = Path(os.environ.get("DORFPLATZ_VAR", "var")) / "redis"
    with nullcontext(named) if named else reach(folder) as url, commands(url) as client:
        yield client


@click.group()
def sessions() -> None:
    """Find, repair, end or erase sessions in the Redis of the running service."""


@sessions.command()
@click.argument("id", required=False)
def show(id: str | None) -> None:  # noqa: A002 -- what the API calls it
    """Print the state of the session whose id is ID. Without an ID, print every unreadable session and its fault."""
    from service.sessions.mending import examine, unreadable

    with session_services() as services:
        for found in unreadable(services) if id is None else [examine(services, id)]:
            breach = found.breach or "can be read"
            click.echo(f"{found.session_id} {found.ruleset} {found.status} revision {found.revision}: {breach}")


@sessions.command()
@click.argument("id")
def repair(id: str) -> None:  # noqa: A002 -- what the API calls it
    """Rebuild the table of the session whose id is ID.

    For this purpose, replay the session's log with the current rules. The clocks and bots of the session then continue.
    """
    from service.sessions import mending

    with session_services() as services:
        mended = mending.repair(services, id)
    click.echo(f"{mended.id} {mended.charter.ruleset} {mended.status} revision {mended.revision}: written anew")


@sessions.command()
@click.argument("id")
def abort(id: str) -> None:  # noqa: A002 -- what the API calls it
    """End the session whose id is ID, even if its table is unreadable.

    The session gets no result. Its players are notified.
    """
    from service.sessions import mending

    with session_services() as services:
        ended = mending.end(services, id)
    click.echo(f"{ended.id} {ended.charter.ruleset} {ended.status} revision {ended.revision}")


@sessions.command()
@click.argument("id")
@click.option("--seat", type=click.IntRange(0), help="Only the persons who have had this seat.")
def erase(id: str, seat: int | None) -> None:  # noqa: A002 -- what the API calls it
    """Erase the names and texts of all people in the session whose id is ID. Moves and results stay."""
    from service.sessions.reading import load

    with session_services() as services:
        _erase_persons(services, load(services, id), seat)


def _erase_persons(services: SessionServices, session: Session, seat: int | None = None) -> None:
    from service.jobs.erasure import forget_jobs_about
    from service.sessions.erasure import erase_seat
    from service.sessions.reading import find
    from service.store.operations import forget_responses

    for number in range(len(session.seats)) if seat is None else (seat,):
        current = find(services, session.id)
        for erased in [] if current is None else erase_seat(services, current, number):
            forget_responses(services.store.client, erased)
            forget_jobs_about(services.hooks.client, erased)


@contextmanager
def session_services() -> Iterator[SessionServices]:
    """Yield the stores, games and functions that a command on sessions needs.

    If the `with` block raises SessionError, raise ClickException with the reason. The command then ends.
    """
    from games.core.registry import registered
    from service.sessions.errors import SessionError
    from service.sessions.services import SessionServices
    from service.settings import Settings
    from service.telemetry import logs

    settings = Settings.from_env()
    logs.configure(settings.log_level, "sessions")  # on stderr, apart from the command's output
    with store_client() as client:
        try:
            yield SessionServices.of(client, settings, registered())
        except SessionError as error:
            raise click.ClickException(f"{type(error).__name__}: {str(error) or error.__doc__}") from None
