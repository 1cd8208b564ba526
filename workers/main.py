"""The worker process. It runs the tasks of one queue.

Each task names a function. The worker refuses a task if the function is not in `tasks.ENTRY_POINTS`.

Tasks run in child processes (work-horses). For each long task, the worker loads the games and then forks a new child
process. Short tasks run one after another in the same child process (`workers.standing`).
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FrameType
from typing import Any, Final

import redis
import structlog
from rq import Queue, Worker, worker_registration
from rq.exceptions import DeserializationError, StopRequested
from rq.executions import Execution
from rq.job import Job
from rq.serializers import JSONSerializer

from service.jobs import queues, recovery
from service.launch.prepare import prepare_process
from service.settings import Settings
from service.store.clients import queue
from service.telemetry import logs
from service.telemetry.logs import places
from service.telemetry.refused_games import log_refused_games
from service.telemetry.tracing import Tracing
from service.trace_context import carrier
from workers import scheduler, tasks
from workers.standing import Ended, StandingHorse
from workers.task_telemetry import belonging, observed, read

log = structlog.get_logger("workers")

MAINTENANCE_SECONDS: Final = 3

WORKER_TTL: Final = 17
"""The setting `worker_ttl` of RQ, in seconds. One wait of RQ for a task takes at most WORKER_TTL minus 15 seconds."""

RECORD_MARGIN_SECONDS: Final = 60
"""Seconds for which RQ keeps the record of a worker in addition to `WORKER_TTL`."""

NICENESS: Final = {queues.SEARCHES: 5, queues.BULK: 10, queues.REMOTE: 10}
"""Niceness of the processes that run long tasks, so that the web server and bots have priority."""

HORSE_TTL: Final = 15
MONITOR_SECONDS: Final = 2

MAX_SILENT_CHECKS: Final = 15
"""Number of consecutive checks with an expired lease after which the worker kills a task.

The worker checks the lease every `MONITOR_SECONDS`. One check is not enough: if the clock of Redis jumps forward, the
lease seems expired until the task renews it.
"""


class RefusedName(RuntimeError):
    """Raised if a queued task would run a function that workers must not run."""


class NamedJob(Job):
    """An RQ job without callbacks. It can run only the functions in `tasks.ENTRY_POINTS`."""

    @property
    def func(self) -> Callable[..., Any]:
        """The function that the job names. Raise RefusedName if workers must not run it."""
        found = tasks.ENTRY_POINTS.get(str(self.func_name))
        if found is None or self.instance is not None:
            raise RefusedName(str(self.func_name))
        return found

    success_callback = failure_callback = stopped_callback = None

    def send_webhooks(self, status: object, *, exc_string: str | None = None) -> None:
        """Do nothing, because this service does not use the webhooks of RQ."""


class FastWorker(Worker):
    """A worker that detects dead processes and queues their tasks again.

    It notices the end of its own child process at once. It notices the end of another worker within 15 seconds.
    """

    asked_to_stop = False
    _looked_around, _task_began = float("-inf"), 0.0
    _silent_checks = 0
    max_connection_wait_time = 2.0
    beside: scheduler.SchedulerProcess | None = None
    tracing = Tracing()

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run a job, and record it in traces, logs and metrics."""
        with suppress(DeserializationError):  # the work-horse reports it
            tasks.load(str(job.func_name))
            prepare_process()
        self._task_began = time.monotonic()
        self._silent_checks = 0
        with observed(self.tracing, self.connection, job, queue.name):
            super().execute_job(job, queue)

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the current job. RQ calls this method at the first signal. A later signal aborts the job."""
        self.asked_to_stop = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Return the next task.

        If no task arrives in time, set `asked_to_stop` and return None. The worker then stops.
        """
        found = super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)
        self.asked_to_stop |= found is None
        return found

    def setup_work_horse_signals(self) -> None:
        """Set the signal handlers and the niceness of the child process.

        The niceness depends on the queue. RQ calls this method in the child process.
        """
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        os.nice(NICENESS.get(self.queues[0].name, 0))

    # RQ uses the wall clock in the next two methods; after a step it would stop maintenance or kill a work-horse.

    @property
    def should_run_maintenance_tasks(self) -> bool:
        """Return whether maintenance is due."""
        return time.monotonic() - self._looked_around > self.maintenance_interval

    def set_current_job_working_time(self, current_job_working_time: float, pipeline: Any = None) -> None:
        """Record for how many seconds the current task has run. Record 0 if the worker is idle."""
        seconds = time.monotonic() - self._task_began if current_job_working_time else 0
        super().set_current_job_working_time(seconds, pipeline)

    def get_heartbeat_ttl(self, job: Job) -> int:
        """Return the number of seconds for which a heartbeat is valid."""
        return HORSE_TTL

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log an unexpected exception and store it in the job's record. RQ calls this method in the child process."""
        log.error("broken", kind=exc_info[0].__name__, places=places(exc_info[2]))
        super().handle_exception(job, *exc_info)
        if (own := _own_job(job)) is not None:
            recovery.settle_failure(self.connection, own, job.id, exc_info[1], job.timeout)

    def handle_work_horse_killed(self, job: Job, retpid: int, ret_val: int, rusage: Any) -> None:
        """If a child process has died, release the items of its task, so that another task can process them."""
        super().handle_work_horse_killed(job, retpid, ret_val, rusage)  # type: ignore[no-untyped-call]
        if (own := _own_job(job)) is not None:
            recovery.give_back(self.connection, own, job.id)

    def maintain_heartbeats(self, job: Job) -> None:
        """Send a heartbeat for a running task, and run due maintenance. If the task hangs, kill its process."""
        super().maintain_heartbeats(job)
        own = _own_job(job)
        is_silent = own is not None and recovery.is_silent(self.connection, own, job.id)
        self._silent_checks = self._silent_checks + 1 if is_silent else 0
        if self._silent_checks == MAX_SILENT_CHECKS:
            log.error("task hangs", function=job.func_name)
            self.kill_horse()
        if self.should_run_maintenance_tasks:
            self.run_maintenance_tasks()

    def run_maintenance_tasks(self) -> None:
        """Queue abandoned tasks again, and ensure that the scheduler process is running."""
        super().run_maintenance_tasks()  # type: ignore[no-untyped-call]
        self._looked_around = time.monotonic()
        self._stay_registered()
        recovery.sweep(self.connection)
        if self.beside is not None:
            self.beside.ensure()

    def _stay_registered(self) -> None:
        if self.birth_date is None or self.connection.hexists(self.key, "birth"):
            return
        with self.connection.pipeline() as pipeline:
            pipeline.hset(self.key, mapping=self.serialize())
            worker_registration.register(self, pipeline)
            pipeline.expire(self.key, self.worker_ttl + RECORD_MARGIN_SECONDS)
            pipeline.execute()


class PromptWorker(FastWorker):
    """A worker that keeps its child process for the next task, because a fork takes longer than most tasks."""

    _horse: StandingHorse | None = None

    def fork_work_horse(self, job: Job, queue: Queue) -> None:
        """Send the task to the existing child process, or fork a new one."""
        order = (job.id, self.execution.id if self.execution else "", carrier())
        if self._horse is None or not self._horse.begin(*order):
            self._horse = StandingHorse(self._do, self._prepare_horse)
            self._horse.begin(*order)
        self._horse_pid = self._horse.pid

    def wait_for_horse(self) -> Ended:
        """Wait until the task is done or the child process has ended."""
        return self._horse.wait() if self._horse else super().wait_for_horse()

    def teardown(self) -> None:
        """Stop the child process when the worker stops."""
        if self._horse is not None:
            self._horse.end()
        super().teardown()  # type: ignore[no-untyped-call]

    def _prepare_horse(self) -> None:
        random.seed()
        self.setup_work_horse_signals()
        self._is_horse = True

    def _do(self, job: str, execution: str, origin: Mapping[str, str]) -> None:
        queue = self.queues[0]
        task = NamedJob.fetch(job, connection=self.connection, serializer=self.serializer)
        self.execution = Execution.fetch(execution, job, connection=self.connection)
        with belonging(read(task)[1], origin):
            self.perform_job(task, queue)


WORKERS: Final[Mapping[str, type[FastWorker]]] = {queues.PLAY: PromptWorker, queues.SEARCHES: PromptWorker}
"""Worker class for each queue; all other queues use `FastWorker`."""


def run(queue_name: str, idle_seconds: int | None = None) -> None:
    """Run the tasks of a queue until a signal stops the worker, or until no task has come for `idle_seconds`.

    After a SIGTERM or SIGINT, the worker finishes its current task and stops. During the next second, the worker
    ignores further signals. A later signal aborts the current task. Raise ValueError if the queue is unknown.
    """
    if queue_name not in queues.QUEUES:
        raise ValueError(f"no such queue: {queue_name}")
    settings, part = Settings.from_env(), f"worker-{queue_name}"
    logs.configure(settings.log_level, part)
    logs.log_uncaught()
    tracing = Tracing.from_env(part)
    log_refused_games()
    prepare_process()
    beside = scheduler.SchedulerProcess()
    try:
        beside.ensure()
        # If Redis is unavailable, wait for it.
        with suppress(StopRequested):  # a signal between two workers
            while not _work(queue_name, settings.redis_url, beside, tracing, idle_seconds):
                time.sleep(1)
    finally:
        beside.stop()
        tracing.close()


def worker_at(queue_name: str, connection: redis.Redis, tracing: Tracing) -> FastWorker:
    """Create a worker for a queue without starting it."""
    worker = WORKERS.get(queue_name, FastWorker)(
        [queue_name],
        connection=connection,
        serializer=JSONSerializer,
        job_class=NamedJob,
        worker_ttl=WORKER_TTL,
        maintenance_interval=MAINTENANCE_SECONDS,
        job_monitoring_interval=MONITOR_SECONDS,
        log_job_description=False,
    )
    worker.tracing = tracing
    return worker


def _work(
    queue_name: str, url: str, beside: scheduler.SchedulerProcess, tracing: Tracing, idle_seconds: int | None
) -> bool:
    """Run a worker until it stops. Return False if an error stopped it. The caller then starts a new worker."""
    connection, worker = queue(url), None
    try:
        worker = worker_at(queue_name, connection, tracing)
        worker.beside = beside
        worker.work(logging_level="WARNING", max_idle_time=idle_seconds)
    except redis.exceptions.RedisError as error:
        log.warning("the store does not answer", kind=type(error).__name__)
    finally:
        connection.close()
    return worker is not None and worker.asked_to_stop


def _own_job(job: Job) -> str | None:
    try:
        return str(job.args[0]) if job.func_name in queues.RECORDED and job.args else None
    except DeserializationError:
        return None
