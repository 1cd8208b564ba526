"""The functions that workers run. Each has one argument: the id of a job, a session, a webhook or a seat.

Several tasks can share the items of a job. Such a task does nothing if the job has ended, or if no item is left for it.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, Protocol

from redis import Redis
from rq import Queue, get_current_job
from rq.serializers import JSONSerializer

from games.core.game import Game, View
from games.core.registry import registered
from games.search.advise import Partial, Tick, choose, seed_of
from service.jobs import queues
from service.jobs.aggregate import Aggregate, count
from service.jobs.cost import milliseconds_of_search
from service.jobs.counters import Counters, add, counted, tell
from service.jobs.leases import DeadlinePassed, Lease, LeaseLost, Portion, TurnOver
from service.jobs.records import as_json, fields_of
from service.sessions.services import SessionServices
from service.settings import Settings
from service.store.clients import commands
from service.webhooks.signing import Secrets
from workers.positions import Positions, search_position
from workers.review import Review
from workers.sessions import bot_turns
from workers.simulate.batch import FIRST_PORTION, Schedule, SimulationPlan, SimulationWork
from workers.simulate.tournament import TournamentPlan
from workers.simulate.turns import SeatTurns

PARTIAL_SECONDS: Final = 1.0
"""Minimum interval between writes of a partial result."""

PORTION_MS: Final = int(os.environ.get("PORTION_MS", queues.USUAL_PORTION_MS))
"""Intended processor time for the items of one lease, in milliseconds.

The time that earlier items took determines the number of items of a lease.
"""

SHORT_SECONDS: Final = 1.25 * queues.SHORT_MS / 1000
"""Time limit for a search in the queue of short searches. After that, the job moves to the queue `BULK`."""

_HEAVY: Final = {
    queues.REMOTE_SIMULATION: "workers.simulate.remote",  # an HTTP client
    queues.REMOTE_TOURNAMENT: "workers.simulate.remote",
    queues.DELIVERY: "workers.webhooks.deliver",  # an HTTP client
    queues.PUSH_DELIVERY: "workers.webhooks.push",  # the same, and the library of Web Push
}

MAX_PORTION: Final = 4_096

MAX_TALLY: Final = 2**30
"""Maximum number of items per lease in a simulation that stores only totals. An item is a seat rotation (`SeatTurns`).

The number may be large, because no results of single games are stored.
"""

TALLY_SECONDS: Final = 15.0
"""Seconds after which a simulation continues in a new task. Shorter tasks would be slow, because each needs a fork."""

TALLY_FIELDS: Final = ("spent", "done", "items", "total")

ALL_ITEMS: Final = Portion(2**40, 2**40)

REMOTE_SECONDS: Final = 2 * PORTION_MS / 1000
"""Seconds in which a task starts games with remote bots. After that, it only finishes the games that have begun.

The task then ends, so that other jobs get the worker.
"""


class Work(Protocol):
    """The work of a job with many items."""

    def do(self, item: int, tick: Tick) -> bytes:
        """Process one item and return its encoded result. Call `tick` several times a second."""

    def aggregate(self) -> Aggregate:
        """Return a new object that collects the results of the items."""


class Heartbeat:
    """Renews the lease on the items of a task. It also stops a task that was cancelled or has run too long."""

    def __init__(
        self, lease: Lease, seconds: float, *, writes: bool = False, turn_seconds: float = float("inf")
    ) -> None:
        """Create a heartbeat with two time limits, in seconds. Both times start now.

        `seconds` is the remaining time of the job. After this time, a call of the heartbeat raises DeadlinePassed.
        `turn_seconds` is the time limit of the queue. After this time, a call of the heartbeat raises TurnOver. If
        `writes` is true, the calls also store the job's progress and partial results.
        """
        self._lease = lease
        self._end = time.monotonic() + seconds
        self._turn_end = time.monotonic() + turn_seconds
        self._written = time.monotonic()
        self._writes = writes

    def __call__(self, done: int, total: int, partial: Partial) -> None:
        """Renew the lease if necessary. Raise LeaseLost if the lease is lost.

        Raise DeadlinePassed or TurnOver if the work has run too long.
        """
        if not self._lease.renewal_due():
            return
        now = time.monotonic()
        if now > self._end:
            raise DeadlinePassed
        if now > self._turn_end:
            raise TurnOver
        fields: dict[str, int | str] = {}
        if self._writes:
            fields = {"done": done, "total": total}
            if now - self._written >= PARTIAL_SECONDS:
                fields["partial"] = as_json(partial())
                self._written = now
        self._lease.renew(**fields)


def load(name: str) -> None:
    """Import the modules that a task needs. The worker calls this function before it forks a child process."""
    if name in _HEAVY:
        import_module(_HEAVY[name])


def search(job: str) -> None:
    """Search for the best move in one view.

    If the search takes too long for the queue `SEARCHES`, stop it, and repeat the whole search in the queue `BULK`.
    """
    connection, task, queue = _current_task()
    lease = Lease.take(connection, job, task)
    if lease is None or lease.first == lease.end:
        return
    payload = lease.payload
    expected_ms = milliseconds_of_search(payload["iterations"], payload["milliseconds"])
    with _at_work(lease):
        if queue != queues.BULK and expected_ms > queues.SHORT_MS:  # queued by an earlier release
            lease.move(queues.BULK, expected_ms)
            return
        turn_seconds = float("inf") if queue == queues.BULK else SHORT_SECONDS
        heartbeat = Heartbeat(lease, payload["seconds"], writes=True, turn_seconds=turn_seconds)
        try:
            result = search_position(payload, payload["view"], payload["seed"], heartbeat)
        except TurnOver:
            lease.move(queues.BULK, queues.USUAL_PORTION_MS)
        else:
            total = payload["iterations"] or payload["milliseconds"]
            lease.succeed(result, total, result["iterations"] if payload["iterations"] else total)


def search_batch(job: str) -> None:
    """Search for the best move in each view of a batch."""
    _share(job, Positions)


def review(job: str) -> None:
    """Rate the decisions of a finished session."""
    _share(job, Review)


def simulate(job: str) -> None:
    """Play games between bots and count the results."""
    _share(job, lambda lease: SimulationWork(SimulationPlan.read(lease.payload)))


def tally(job: str) -> None:
    """Play games between bots and store only totals.

    Stop after about TALLY_SECONDS. Stop earlier if no games are left to play, or if another job waits.
    """
    connection, task, queue = _current_task()
    waiting = Queue(queue, connection=connection, serializer=JSONSerializer)
    until = time.monotonic() + TALLY_SECONDS
    while _tally_some(connection, job, task) and time.monotonic() < until:
        # At most one task of this job waits.
        if any(not other.startswith(f"{job}-") for other in waiting.get_job_ids(0, 2)):
            return


def play_tournament(job: str) -> None:
    """Play the games of a tournament, and then rate its entrants."""
    _share(job, lambda lease: SimulationWork(TournamentPlan.read(lease.payload)))


def simulate_remote(job: str) -> None:
    """Play games between bots and count the results. Some of the bots are remote."""
    _share_remote(job, SimulationPlan.read)


def play_remote_tournament(job: str) -> None:
    """Play the games of a tournament, and then rate its entrants. Some of the entrants are remote bots."""
    _share_remote(job, TournamentPlan.read)


def take_turn(session: str) -> None:
    """Choose and make the moves of a session's bots until a person must act or another task waits."""
    settings = Settings.from_env()
    with commands(settings.redis_url) as client:
        queue = Queue(queues.PLAY, connection=client, serializer=JSONSerializer)
        services = SessionServices.of(client, settings, registered())
        bot_turns.play(services, session, choose_move, lambda: bool(client.llen(queue.key)))


def choose_move(game: Game, view: View, level: str, seed: str, tick: Tick) -> int:
    """Return the code of the move that a bot of `level` chooses. The bot sees only `view`."""
    return choose(game, view, level, seed_of("advice", seed), tick, thorough=True)


def deliver(hook: str) -> None:
    """Send the pending messages of a webhook."""
    from workers.webhooks.deliver import WebhookSender  # noqa: PLC0415 -- `load` imports it

    settings = Settings.from_env()
    with commands(settings.redis_url) as client:
        WebhookSender.of(client, settings).deliver(hook)


def push(seat: str) -> None:
    """Send the pending push message of a seat."""
    from workers.webhooks.push import PushSender  # noqa: PLC0415 -- `load` imports it

    settings = Settings.from_env()
    with commands(settings.redis_url) as client:
        sender = PushSender.of(client, settings, registered())
        if sender is not None:
            sender.deliver(seat)


ENTRY_POINTS: Final[Mapping[str, Callable[[str], None]]] = {
    queues.SEARCH: search,
    queues.SEARCH_BATCH: search_batch,
    queues.REVIEW: review,
    queues.SIMULATION: simulate,
    queues.TALLY: tally,
    queues.TOURNAMENT: play_tournament,
    queues.REMOTE_SIMULATION: simulate_remote,
    queues.REMOTE_TOURNAMENT: play_remote_tournament,
    queues.BOT_TURN: take_turn,
    queues.DELIVERY: deliver,
    queues.PUSH_DELIVERY: push,
}
"""Functions by the names of tasks in the queues. Workers run no other function."""


def _share(job: str, work_of: Callable[[Lease], Work]) -> None:
    connection, task, _ = _current_task()
    spent, done = (int(value or 0) for value in fields_of(connection, job, "spent", "done"))
    lease = Lease.take(connection, job, task, _portion(spent, done))
    if lease is None:
        return
    work = work_of(lease)
    if lease.first < lease.end:
        with _at_work(lease):
            _do(lease, work, lease.payload["seconds"] - spent / 1000)
    count(connection, job, work.aggregate)


def _do(lease: Lease, work: Work, seconds: float) -> None:
    """Process the leased items. Stop after `2 * PORTION_MS` of processor time, so that other jobs get the worker.

    `seconds` is the rest of the job's time limit. Raise DeadlinePassed if no time is left.
    """
    if seconds <= 0:
        raise DeadlinePassed
    heartbeat = Heartbeat(lease, seconds)
    began = time.process_time()
    lines: list[bytes] = []
    for item in range(lease.first, lease.end):
        lines.append(work.do(item, heartbeat))
        heartbeat(0, 0, dict)
        # In elapsed time, a busy machine would process fewer items.
        if _since(began) > 2 * PORTION_MS:
            break
    lease.put(lines, _since(began))


def _tally_some(connection: Redis, job: str, task: str) -> bool:
    spent, done, items, total = (int(value or 0) for value in fields_of(connection, job, *TALLY_FIELDS))
    lease = Lease.take(connection, job, task, _portion(spent, done * items // max(1, total), MAX_TALLY))
    if lease is None:
        return False
    turns = SeatTurns(SimulationPlan.read(lease.payload))
    told: Counters | None = None
    if lease.first < lease.end:
        with _at_work(lease):
            told = _play_turns(lease, turns, lease.payload["seconds"] - spent / 1000)
    else:  # the worker of the last items may have died before it ended the job
        told = counted(connection, job)
    if told:
        so_far = turns.tally(told)
        tell(connection, job, so_far.games, so_far.summary())
    return lease.first < lease.end


def _play_turns(lease: Lease, turns: SeatTurns, seconds: float) -> Counters | None:
    if seconds <= 0:
        raise DeadlinePassed
    heartbeat = Heartbeat(lease, seconds)
    began = time.process_time()
    played = turns.tally({})
    reached = lease.first
    while reached < lease.end and (reached == lease.first or _since(began) <= 2 * PORTION_MS):
        turns.play(reached, played, heartbeat)
        heartbeat(0, 0, dict)
        reached += 1
    return add(lease, played.counters(), reached, played.games, _since(began))


def _share_remote(job: str, read: Callable[[Mapping[str, Any]], Schedule]) -> None:
    """Play games of a job that has remote bots.

    Only one worker at a time plays games of this job, because several workers could exceed a bot's limit of
    concurrent games.
    """
    from workers.simulate.remote import RemoteGames, Sender, SilentBotError  # noqa: PLC0415 -- `load` imports it

    connection, task, _ = _current_task()
    spent, owner = fields_of(connection, job, "spent", "owner")
    lease = Lease.take(connection, job, task, ALL_ITEMS)
    if lease is None:
        return
    settings = Settings.from_env()
    secret = Secrets(settings.secret_key).of_bots(owner)
    games = RemoteGames(read(lease.payload), Sender(job=job, secret=secret, private=settings.webhooks_private))
    if lease.first < lease.end:
        with _at_work(lease):
            began, left = time.monotonic(), lease.payload["seconds"] - int(spent or 0) / 1000
            if left <= 0:
                raise DeadlinePassed
            heartbeat = Heartbeat(lease, left)
            try:
                lines = games.play_some(lease.first, lease.end, REMOTE_SECONDS, lambda: heartbeat(0, 0, dict))
            except SilentBotError as silent:
                lease.fail("bot-silent", **silent.params)
                return
            lease.put(lines, max(1, round((time.monotonic() - began) * 1000)))
    count(connection, job, games.aggregate)


@contextmanager
def _at_work(lease: Lease) -> Iterator[None]:
    gc.disable()  # a tree has no cycles, and repeated scans of millions of nodes take a third of the time
    try:
        yield
    except LeaseLost:
        return
    except DeadlinePassed:
        lease.fail("deadline-passed", seconds=lease.payload["seconds"])
    finally:
        gc.enable()


def _portion(spent: int, done: int, largest: int = MAX_PORTION) -> Portion:
    size = FIRST_PORTION if done == 0 else max(1, min(largest, PORTION_MS * done // max(1, spent)))
    return Portion(max(1, size // 4), size)


def _since(began: float) -> int:
    return max(1, round((time.process_time() - began) * 1000))


def _current_task() -> tuple[Redis, str, str]:
    current = get_current_job()
    if current is None:
        raise RuntimeError("only a worker runs a job")
    return current.connection, str(current.id), str(current.origin)
