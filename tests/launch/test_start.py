"""Modules loaded at a start, and modules that wait for their first use."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from games.core.kernel import SWITCH
from service.__main__ import cli

CHARTS: Final = {"matplotlib", "numpy", "PIL", "fontTools"}
TRACES: Final = {"opentelemetry.sdk.trace", "opentelemetry.exporter"}
OTHERS: Final = {"valkey", "httpcore", "rich", "opentelemetry.sdk"}

START: Final = {"redis", "rq", "flask", "games.core.game", "msgspec", "regex"}
"""Modules that the starting processes never use."""

PROGRAMS: Final = {
    "the supervisor": ("import service.__main__", START | {"urllib.request"}),
    "the keeper": ("import service.__main__, service.server.keeper", START | {"uvicorn"}),
    "the web server": (
        (
            "import sys; sys.argv = ['', 'tests.launch.reporting:create_app', '0', '1']; "
            "from service.server import process; process.main()"
        ),
        {"workers.tasks", "games.search.tree", "games.search.advise", "workers.simulate"},
    ),
    "the metrics": ("import service.launch.metrics_process", {"flask"}),
    "a worker": (
        (
            "import sys; from service import __main__ as program; "
            "program.tie_forks = lambda: sys.exit(print(*sys.modules)); program.cli(['worker', 'play'])"
        ),
        {"flask"},
    ),
    "the probe of the web server": (
        (
            "import sys; from service.__main__ import cli\n"
            "try: cli(['probe', 'web'])\n"
            "except SystemExit: assert 'urllib.request' in sys.modules"
        ),
        START | {"service.settings"},
    ),
    "the clock": (
        (
            "from service.launch.loading import loading\n"
            "with loading(): import workers.scheduler\n"
            "from redis import Redis; from service.auth.rate_limits import RateLimiter; RateLimiter(Redis())"
        ),
        {"flask"},
    ),
}
"""The loaded modules of each program when it is ready, and the modules that it does not need then."""


def loaded(script: str, checkout: Path, figures: Path) -> set[str]:
    settings = {"SECRET_KEY": "s" * 32, "REDIS_URL": "redis://127.0.0.1:1/0", "PROMETHEUS_MULTIPROC_DIR": str(figures)}
    env = {**os.environ, **settings, "PYTHONPATH": str(checkout), SWITCH: "plain"}
    command = [sys.executable, "-P", "-c", f"{script}\nimport sys; print(*sys.modules)"]
    return set(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(("script", "unused"), PROGRAMS.values(), ids=PROGRAMS)
def test_it_loads_nothing_that_it_may_never_need(script: str, unused: set[str], checkout: Path, tmp_path: Path) -> None:
    found = loaded(script, checkout, tmp_path)
    assert found & {
        "service.launch.supervisor",
        "service.server.keeper",
        "games.core.registry",
        "prometheus_client",
        "workers.scheduler",
    }  # the script did load the program
    assert found & (CHARTS | TRACES | OTHERS | unused) == set()


@pytest.mark.parametrize("named", ["service.app", "service.app:create_app()", "service.app:os.x", "a b:c"])
def test_an_application_is_named_by_module_and_function(named: str) -> None:
    run = CliRunner().invoke(cli, ["web", "--app", named])
    assert run.exit_code == 2
    assert "MODULE:FACTORY" in run.output
