"""The keeper: the parent process of the web processes. It starts and watches them. On SIGHUP, it replaces them."""

from __future__ import annotations

# The keeper imports neither the application nor the server, so it starts quickly and their errors cannot stop it.
import asyncio
import os
import resource
import secrets
import shutil
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from typing import Final

from games.core.kernel import kernel
from service.launch.address import listen
from service.launch.kept_process import KeptProcess, ProcessSlot, command_of
from service.launch.lifeline import start
from service.launch.terminal import say
from service.telemetry.metrics_folder import METRICS_PATH, VARIABLE, provide_metrics_folder

MAX_DRAIN_SECONDS: Final = 12
"""Maximum seconds in which a web process must finish its requests and exit before it is killed."""

RESTART_SECONDS: Final = 1.0
"""Seconds to wait before replacing a process that died before it listened."""

LIVENESS_SECONDS: Final = 1.0
"""Interval in seconds between two checks of the web processes."""

LATE_CHECKS: Final = 3
"""Number of consecutive checks without a sign of life after which a web process is reported."""

ENDING: Final = (signal.SIGTERM, signal.SIGINT)


class Keeper:
    """The parent process of the web server. It reads its settings from `environment`."""

    def __init__(self, app: str, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._app = app
        self._is_ending = self._was_ready = self._has_failed = False
        self._replacing: list[ProcessSlot] = []
        self._max_late_checks = int(environment.get("WEB_STALL_SECONDS", "15"))

    def run(self) -> int:
        """Run the web server until SIGTERM or SIGINT, and return the exit code."""
        say(f"web server, {kernel()} kernel")
        self._environment.setdefault("SECRET_KEY", secrets.token_hex(32))
        # All processes inherit the limit. It is as high as the system allows, because each connection is an open file.
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        folder = provide_metrics_folder(self._environment)
        try:
            self._places = list(self._make_places())
            asyncio.run(self._keep())
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        return int(self._has_failed)

    def _make_places(self) -> Iterator[ProcessSlot]:
        host, port = self._environment.get("HOST", "127.0.0.1"), int(self._environment.get("PORT", "8000"))
        shared = self._listen(host, port)
        own = [int(text) for text in self._environment.get("WEB_OWN_PORTS", "").split(",") if text]
        for number in range(int(self._environment.get("WEB_PROCESSES", "2"))):
            sockets = [shared, *(self._listen(host, port) for port in own[number : number + 1])]
            yield ProcessSlot("web process", "service.server.process", sockets, [self._app])
        metrics_host = self._environment.get("METRICS_HOST", "127.0.0.1")
        metrics = self._listen(metrics_host, int(self._environment.get("METRICS_PORT", "0")))
        say(f"figures http://{metrics_host}:{metrics.getsockname()[1]}{METRICS_PATH}")
        yield ProcessSlot("metrics process", "service.launch.metrics_process", [metrics], is_web=False)

    def _listen(self, host: str, port: int) -> socket.socket:
        try:
            return listen(host, port, int(self._environment.get("WEB_PATIENCE", "20")))
        except OSError as error:
            sys.exit(f"dorfplatz: cannot listen on {host} port {port}: {error.strerror}")

    async def _keep(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_over = asyncio.Event()
        handlers = dict.fromkeys(ENDING, self._end) | {signal.SIGHUP: self._replace_all, signal.SIGCHLD: self._bury}
        for number, handler in handlers.items():
            self._loop.add_signal_handler(number, handler)
        self._start(self._places[0])
        self._check_liveness()
        await self._is_over.wait()

    def _start(self, place: ProcessSlot) -> None:
        if self._is_ending:
            return
        reads, writes = os.pipe()
        os.set_blocking(reads, False)
        numbers = [each.fileno() for each in place.sockets]
        popen = start(
            command_of(place.module, place.arguments, numbers, writes), env=self._environment, keep=(*numbers, writes)
        )
        os.close(writes)
        process = KeptProcess(popen, reads)
        place.processes.append(process)
        self._loop.add_reader(reads, self._note_ready, place, process)

    def _note_ready(self, place: ProcessSlot, process: KeptProcess) -> None:
        self._loop.remove_reader(process.pipe)
        process.is_ready = process.gave_sign()
        if not process.is_ready:
            return  # it is dying; SIGCHLD follows
        if place.is_web and not self._was_ready:
            self._was_ready = True
            for other in self._places:
                if not other.processes:
                    self._start(other)
        for older in place.processes[: place.processes.index(process)]:
            self._drain(older)
        self._replace_next()

    def _check_liveness(self) -> None:
        self._loop.call_later(LIVENESS_SECONDS, self._check_liveness)
        web = [(place, process) for place in self._places if place.is_web for process in place.processes]
        for place, process in web:
            if not process.is_ready or process.is_draining:
                continue
            before, process.late_checks = process.late_checks, 0 if process.gave_sign() else process.late_checks + 1
            name = f"web process {process.popen.pid}"
            if process.late_checks == LATE_CHECKS:
                say(f"{name} stands still")
            if process.late_checks == self._max_late_checks:
                say(f"{name} stands still; replacing it")
                self._replacing.append(place)
                self._replace_next()
            if before >= LATE_CHECKS and not process.late_checks:
                say(f"{name} goes on")

    def _replace_all(self) -> None:
        self._replacing = [place for place in self._places if place.is_web]
        self._replace_next()

    def _replace_next(self) -> None:
        """Start the next replacement. If any process is starting, do nothing, because only one may start at a time."""
        is_calm = all(place.processes and all(p.is_ready for p in place.processes) for place in self._places)
        if self._replacing and is_calm:
            self._start(self._replacing.pop(0))

    def _drain(self, process: KeptProcess) -> None:
        if not process.is_draining:
            process.is_draining = True
            # A process that does not listen yet has no handler and no requests.
            process.popen.send_signal(signal.SIGUSR1 if process.is_ready else signal.SIGTERM)
            self._loop.call_later(MAX_DRAIN_SECONDS, process.popen.kill)

    def _end(self) -> None:
        self._has_failed |= not self._was_ready and self._is_ending
        for place in self._places:
            for process in place.processes:
                if self._is_ending:
                    process.popen.kill()
                else:
                    self._drain(process)
            for each in place.sockets:
                each.close()  # the processes have theirs until they have drained
        self._is_ending = True
        self._loop.call_soon(self._bury)

    def _bury(self) -> None:
        from prometheus_client import multiprocess  # noqa: PLC0415 -- after its folder is named

        for place in self._places:
            for process in [process for process in place.processes if process.popen.poll() is not None]:
                place.processes.remove(process)
                self._loop.remove_reader(process.pipe)
                os.close(process.pipe)
                multiprocess.mark_process_dead(process.popen.pid, self._environment[VARIABLE])  # type: ignore[no-untyped-call]
                if process.is_draining or self._is_ending:
                    continue
                code = process.popen.returncode
                end = f"ended with {code}" if code >= 0 else f"was sent {signal.Signals(-code).name}"
                say(f"a {place.name} {end}")
                was_killed = code == -signal.SIGKILL  # from outside, so the next one may work
                if place.is_web and not self._was_ready and not was_killed:
                    self._has_failed = True
                    self._end()
                elif not place.processes:
                    self._loop.call_later(0 if process.is_ready else RESTART_SECONDS, self._start, place)
                self._replace_next()
        if self._is_ending and not any(place.processes for place in self._places):
            self._is_over.set()
