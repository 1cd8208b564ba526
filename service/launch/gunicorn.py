"""How gunicorn runs the web server: few processes with many threads, because streams and long polls only wait.

Used as `gunicorn -c python:service.launch.gunicorn`; HOST, PORT, WEB_PROCESSES, WEB_THREADS and WEB_PATIENCE (how many
seconds a client may neither read nor write while a thread waits for it) are the operator's.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import tempfile
from pathlib import Path
from typing import Any

from prometheus_client import multiprocess

import service
from service.launch.discreet import DiscreetLogger
from service.launch.lifeline import tie_forks

wsgi_app = "service.app:create_app()"
bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_PROCESSES", "2"))
worker_class = "gthread"
threads = int(os.environ.get("WEB_THREADS", "64"))
graceful_timeout = 8
loglevel = "warning"
# Loaded once and then forked: one secret in all processes, and a fault shows before anything listens.
preload_app = True
# gunicorn would open a socket for commands in the home directory.
control_socket_disable = True
# gunicorn puts its working directory in front of the path unless it stands there; so it is the one we run from.
chdir = str(Path(service.__file__).parents[1])

logger_class = DiscreetLogger

# Streams and long polls hold at most three quarters of the threads, so that requests always find one.
_most = threads * 3 // 4
os.environ["LIMIT_STREAMS"] = str(min(int(os.environ.get("LIMIT_STREAMS", _most)), _most))

_patience = int(os.environ.get("WEB_PATIENCE", "20"))

_own_metrics = "PROMETHEUS_MULTIPROC_DIR" not in os.environ
if _own_metrics:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="dorfplatz-metrics-")


def on_starting(_arbiter: Any) -> None:
    """Tie every process to be forked to this one."""
    tie_forks()


def when_ready(arbiter: Any) -> None:
    """Let no client keep a thread waiting: each connection inherits these times from its listener."""
    for listener in arbiter.LISTENERS:
        for way in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, way, struct.pack("ll", _patience, 0))
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # how long what was sent may go unread; Linux has it
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _patience * 1000)


def post_worker_init(worker: Any) -> None:
    """Send away who only waits once the process is asked to stop."""
    worker.wsgi.extensions["house"].waiting.closing = lambda: not worker.alive


def child_exit(_arbiter: Any, worker: Any) -> None:
    """Forget what a process that has ended counted as its present state."""
    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(_arbiter: Any) -> None:
    """Remove the figures' folder, if it is our own."""
    if _own_metrics:
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
