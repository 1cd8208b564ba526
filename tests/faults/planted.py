"""Faults that are planted into the service, each of which the simulation must find."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import SimpleNamespace
from typing import Final

import msgspec
import pytest
from redis.exceptions import RedisError

from service.jobs import recovery
from service.sessions import create
from service.sessions.broadcast import Broadcast
from service.sessions.listening import Listener
from service.store import scripts
from service.store.connections import SessionPresence
from service.store.session_rows import Fields
from service.store.session_store import SessionStore
from service.store.sessions import LogEntry, Outcome, Session, SessionWrite, Written
from tests.faults.planted_grey import GREY_FAULTS, Plant, replaced, wrapped
from workers.sessions.timers import RequeueBots

LOOKS: Final = 3
"""A store that is stale gives each third look what the look before it got."""


def in_script(name: str, old: str, new: str) -> Plant:
    class Folder:
        def __init__(self, package: str) -> None:
            self._folder = files(package)

        def __truediv__(self, file: str) -> Traversable | SimpleNamespace:
            path = self._folder / file
            text = path.read_text("utf-8")
            if file != f"{name}.lua":
                return path
            if old not in text:
                raise LookupError(f"{file} does not have {old}")  # an AssertionError would count as found
            return SimpleNamespace(read_text=lambda _encoding: text.replace(old, new))

    return lambda patch: patch.setattr(scripts, "files", Folder)


def _a_write_without_an_answer_counts_as_done(patch: pytest.MonkeyPatch) -> None:
    write_each = SessionStore.write_each

    def hopeful(self: SessionStore, writes: Sequence[SessionWrite]) -> list[Outcome | Exception]:
        return [
            (Written.WRITTEN, each.session.revision + 1) if isinstance(outcome, RedisError) else outcome
            for each, outcome in zip(writes, write_each(self, writes), strict=True)
        ]

    patch.setattr(SessionStore, "write_each", hopeful)


def _looks_are_stale(patch: pytest.MonkeyPatch) -> None:
    session_of, kept, looks = SessionStore.session_of, dict[tuple[int, str], Session | None](), [0]

    def stale(self: SessionStore, session_id: str, fields: Fields) -> Session | None:
        looks[0] += 1
        if looks[0] % LOOKS == 0 and (id(self), session_id) in kept:
            return kept[id(self), session_id]
        kept[id(self), session_id] = session_of(self, session_id, fields)
        return kept[id(self), session_id]

    patch.setattr(SessionStore, "session_of", stale)


def _lost_lines_stay_lost(patch: pytest.MonkeyPatch) -> None:
    def skips(self: Broadcast, company: SessionPresence) -> None:
        self._connected, self._revision = company.seats, company.revision

    def hears_all(self: Broadcast, message: bytes) -> None:
        number, _, line = message.partition(b" ")
        self._play([(int(number), msgspec.json.decode(line, type=LogEntry))])

    patch.setattr(Broadcast, "_take_in", skips)
    patch.setattr(Broadcast, "hear", hears_all)


PLANTED: Final[dict[str, Plant]] = {
    "concurrent writers overwrite each other": in_script(
        "write", "if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] or", "if"
    ),
    "idempotency keys are not stored": in_script("write", "if operation ~= '' then\n  done", "if false then done"),
    "an aborted request blocks its idempotency key": in_script(
        "begin", "if tonumber(found[3]) > tonumber(ARGV[3]) then return {'running'} end", "return {'running'}"
    ),
    "a dead worker keeps its lease on a session's bots": in_script("lease", ", 'PX', ARGV[2]", ""),
    "a dead worker keeps its lease on job items": in_script("record", "'-inf', now())", "'-inf', 0)"),
    "lost tasks of bots are not requeued": replaced(RequeueBots, "__call__", lambda *_: None),
    "abandoned jobs are not requeued": replaced(recovery, "sweep", lambda _connection: None),
    "a lost response of the store fails the job": replaced(
        recovery, "give_back", partial(recovery.give_up, code="internal-error")
    ),
    "a write without a response counts as successful": _a_write_without_an_answer_counts_as_done,
    "reads return stale sessions": _looks_are_stale,
    "a retried creation creates a second session": replaced(
        create, "_session_ids", lambda _operation, number: [secrets.token_hex(16) for _ in range(number)]
    ),
    "streams skip an event after a lost message": _lost_lines_stay_lost,
    "a resumed stream skips one event": wrapped(
        Listener,
        "listen",
        lambda listen, self, session, after, *rest: listen(
            self, session, after and min(after + 1, session.versions[self.viewer]), *rest
        ),
    ),
    **GREY_FAULTS,
}
"""Planted faults, by their effect."""


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Plant a fault in the parts that each schedule builds for its web processes and workers."""
    with pytest.MonkeyPatch.context() as patch:
        PLANTED[name](patch)
        scripts.script.cache_clear()
        yield
    scripts.script.cache_clear()
