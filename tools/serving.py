"""Serves a checkout on the plain kernel while the compiled one is built, then replaces all processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from games.core.kernel import SWITCH, Wanted
from service.launch.address import WrongAddressError
from service.launch.lifeline import TICK, start
from service.launch.supervisor import Child, Supervisor
from service.launch.terminal import say

COMPILER_NICENESS: Final = 19
"""Added to the compiler's niceness, so that requests come first."""


class CompilingSupervisor(Supervisor):
    """A supervisor that compiles the kernel once the service is ready, and then replaces all processes.

    The processes look for the compiled kernel first, behind a link that is created after the build.
    """

    def __init__(self, environment: Mapping[str, str], folder: Path, checkout: Path) -> None:
        """Take the settings, the folder of a run, and the checkout; raise WrongAddressError for an invalid PORT."""
        super().__init__(environment, folder)
        self.checkout = checkout
        self.link = folder / "kernel"
        self.compiler: Child | None = None
        self.leaving: list[Child] = []

    def _prepare(self) -> None:
        self.link.unlink(missing_ok=True)
        path = (self.link.absolute(), self.checkout)
        self.environment |= {"PYTHONPATH": os.pathsep.join(map(str, path)), SWITCH: Wanted.AUTO.value}
        super()._prepare()

    def _begin_work(self, place: str) -> None:
        super()._begin_work(place)
        if self.asked:
            return
        say("compiling the kernel meanwhile; all processes are replaced then")
        log = self.folder / "log" / "compiler.log"
        log.unlink(missing_ok=True)
        command = [sys.executable, "-P", "-m", "tools.build", "--nice", str(COMPILER_NICENESS)]
        self.compiler = Child("compiler", start(command, env=self.environment, output=log, cwd=self.checkout), log)

    def _watch(self) -> None:
        while not self.asked:
            self._notice_deaths()
            if self.compiler is not None and (code := self.compiler.process.poll()) is not None:
                log, self.compiler = self.compiler.log, None
                if code == 0:
                    self._replace_all()
                else:
                    say(f"the kernel does not compile, see {log}; the plain kernel runs on, many times slower")
            time.sleep(TICK)

    def _replace_all(self) -> None:
        """Replace the workers one by one, then have the web server replace its processes.

        A worker leaves once the next one has started, and finishes its job first, so that no job is lost.
        """
        self.link.symlink_to(self.checkout / "build" / "compiled")
        say("the kernel is compiled; replacing all processes")
        for old in [child for child in self.children if child.name.startswith("worker ")]:
            self._child(old.name, old.command, mark=".compiled")
            while not self.asked and "kernel" not in self.children[-1].log.read_text("utf-8", errors="replace"):
                self._notice_deaths()
                time.sleep(TICK)
            self.children.remove(old)
            self.leaving.append(old)
            old.process.send_signal(signal.SIGTERM)
        for child in self.children:
            if child.name == "web server":
                child.process.send_signal(signal.SIGHUP)
        say("the compiled kernel runs")

    def _known(self) -> list[Child]:
        return [*super()._known(), *self.leaving, *([self.compiler] if self.compiler else [])]


def main() -> None:
    """Serve the checkout in the working directory until Ctrl-C."""
    try:
        supervisor = CompilingSupervisor(os.environ, Path(os.environ.get("DORFPLATZ_VAR", "var")), Path.cwd())
    except WrongAddressError as reason:
        sys.exit(f"dorfplatz: {reason}")
    sys.exit(supervisor.run())


if __name__ == "__main__":
    main()
