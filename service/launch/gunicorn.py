"""How gunicorn runs the web server: few processes, in each an event loop for the lines and many threads for the work.

Used as `gunicorn -c python:service.launch.gunicorn`; HOST, PORT, WEB_PROCESSES, WEB_THREADS, WEB_PATIENCE (how many
seconds a head or a body may take to come, and what was sent may go unread), WEB_KEEPALIVE (for how many seconds a
line is kept on which nothing is asked), WEB_IDLE_LINES (how many such lines each process keeps) and WEB_CPU_AFFINITY
(`auto` has each process on a core of its own, and its streams made on another) are the operator's.
Streams and long polls hold no thread; LIMIT_STREAMS says how many there may be. Figures are served at METRICS_HOST
(127.0.0.1) and METRICS_PORT (any that is free, which the start names), and nowhere else.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import service
from service.http.pipeline import operations
from service.launch import affinity, loading
from service.launch.bridge import Bridge, ByPort, Queues
from service.launch.discreet import DiscreetLogger
from service.launch.lifeline import tie_forks
from service.launch.metrics_folder import METRICS_PATH, provide_metrics_folder
from service.launch.terminal import say
from service.launch.web_worker import ENDING
from service.telemetry.logs import log_uncaught

loading.begin()  # until `when_ready`

wsgi_app = "service.app:create_app()"
bind = [
    f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}",
    f"{os.environ.get('METRICS_HOST', '127.0.0.1')}:{os.environ.get('METRICS_PORT', '0')}",
]
workers = int(os.environ.get("WEB_PROCESSES", "2"))
worker_class = "service.launch.web_worker.WebWorker"
asgi_lifespan = "off"
http_parser = "python"  # see service.launch.heads
graceful_timeout = 8
# Longer than most proxies and clients keep theirs (Go 90 s; nginx, Amazon's balancers, .NET 60), so they close first.
keepalive = int(os.environ.get("WEB_KEEPALIVE", "120"))
loglevel = "warning"
# Loaded once and then forked: one secret in all processes, and a fault shows before anything listens.
preload_app = True
# gunicorn would open a socket for commands in the home directory.
control_socket_disable = True
# gunicorn puts its working directory in front of the path unless it stands there; so it is the one we run from.
chdir = str(Path(service.__file__).parents[1])

logger_class = DiscreetLogger

_threads = int(os.environ.get("WEB_THREADS", "64"))

COLLECTOR = (10_000, 10, 50)
"""When the collector of cycles looks at what is new, not so new, and old: how many objects, and how often the former.

Whoever waits holds some sixty objects for as long as that lasts, and to look at those of ten thousand stops all for a
quarter of a second. Requests leave no cycles but small ones.
"""

SEND_BUFFER = 65_536
QUIET_SECONDS = 60

_patience = int(os.environ.get("WEB_PATIENCE", "20"))
_cores = affinity.usable_cores(os.environ)

if "prometheus_client" in sys.modules:
    raise RuntimeError("prometheus_client is imported already, and counts for each process alone")
_metrics_folder = provide_metrics_folder(os.environ)


def on_starting(arbiter: Any) -> None:
    """Tie every process to be forked to this one, and let them have as many lines as the system allows.

    What they share is made before: the contract is gathered, and a fault of it shows before anything listens.
    """
    arbiter.app.wsgi().extensions["openapi"].gather()
    tie_forks()
    master = os.getpid()

    def unblock() -> None:
        if os.getpid() == master:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)

    os.register_at_fork(after_in_parent=unblock)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def pre_fork(arbiter: Any, worker: Any) -> None:
    """Choose a core for the process to be forked, and have a signal that ends it wait until its loop runs.

    It would be lost until then.
    """
    worker.core = affinity.choose_core(_cores, (other.core for other in arbiter.WORKERS.values()))
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


def post_fork(arbiter: Any, worker: Any) -> None:
    """Fork what streams, while there is one thread, each on its cores."""
    from service.launch.stream_process import fork_keeper  # noqa: PLC0415 -- after the figures' folder is named

    listeners = [listener.sock for listener in arbiter.LISTENERS]
    if worker.core is not None:
        affinity.bind(affinity.cores_beside(_cores, worker.core, arbiter.cfg.workers))
    worker.relay_through(fork_keeper(worker.app.wsgi().extensions["context"], listeners))
    if worker.core is not None:
        affinity.bind({worker.core})


def when_ready(arbiter: Any) -> None:
    """Spare what is loaded the garbage collector, and let the system watch over clients, by their listener."""
    gc.collect()
    loading.end()
    for listener in arbiter.LISTENERS:
        # No more than this lies between us and a client that does not read.
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        # Who has vanished without a word is forgotten.
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if sys.platform == "linux":
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, QUIET_SECONDS)
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _patience * 1000)
    host, port = arbiter.LISTENERS[-1].sock.getsockname()[:2]
    say(f"figures http://{host}:{port}{METRICS_PATH}")


def post_worker_init(worker: Any) -> None:
    """Put the application behind the event loop, and send away who only waits once the process is asked to stop."""
    context = worker.asgi.extensions["context"]
    context.wait_slots.closing = lambda: worker.stopping or not worker.alive
    context.broadcasts.relayed = worker.relay.attend
    context.broadcasts.responds = worker.relay.responds
    worker.patience = _patience
    worker.idle_lines = int(os.environ.get("WEB_IDLE_LINES", worker.idle_lines))
    log_uncaught()
    figures = Bridge(worker.asgi.extensions["metrics"], threads=1, longest=lambda _: 0, patience=_patience)
    public = Bridge(
        worker.asgi,
        threads=_threads,
        longest=worker.asgi.extensions["body_limit"],
        patience=_patience,
        before=[Queues.of(operation) for operation in operations(worker.asgi)],
        trusted_proxies=context.settings.trusted_proxies,
    )
    *ports, port_of_figures = [listener.sock.getsockname()[1] for listener in worker.sockets]
    worker.bridge, worker.public_ports = public, frozenset(ports) - {port_of_figures}
    worker.asgi = ByPort(public, {port_of_figures: figures})
    gc.freeze()
    gc.set_threshold(*COLLECTOR)


def child_exit(_arbiter: Any, worker: Any) -> None:
    """Forget what a process that has ended counted as its present state."""
    from prometheus_client import multiprocess  # noqa: PLC0415 -- after its folder is named

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(_arbiter: Any) -> None:
    """Remove the figures' folder, if it is our own."""
    if _metrics_folder is not None:
        shutil.rmtree(_metrics_folder, ignore_errors=True)
