"""The import contracts of pyproject.toml allow what the house allows, and break where it forbids."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

MODULES = {
    "games/core/bits.py": "",
    "games/one/table.py": "import games.core.bits",
    "games/two/table.py": "import games.core.bits",
    "service/api/meta.py": "import flask, service.sessions.play",
    "service/app.py": "import games.one, service.jobs.queues",
    "service/contract/operations.py": "import flask_smorest, service.http.fields",
    "service/http/fields.py": "import marshmallow",
    "service/pictures/png.py": "import service.work_clock",
    "service/work_clock.py": "",
    "service/auth/api_keys.py": "import redis",
    "service/auth/rate_limits.py": "import redis",
    "service/jobs/refunds.py": "import redis",
    "service/snapshots/__init__.py": "",
    "service/webhooks/__init__.py": "",
    "service/wire/__init__.py": "",
    "service/http/context.py": "import service.sessions.play",
    "service/docs/__init__.py": "",
    "service/health.py": "",
    "service/launch/__init__.py": "",
    "service/overload/__init__.py": "",
    "service/server/process.py": "import service.launch, uvicorn",
    "service/store_commands.py": "import service.sessions.play",
    "service/subscription.py": "import service.waiting",
    "service/packaged_games.py": "",
    "service/settings.py": "",
    "service/telemetry/tracing.py": "import service.trace_context",
    "service/trace_context.py": "",
    "service/validation/__init__.py": "import service.settings",
    "service/waiting.py": "",
    "service/__main__.py": "import workers.main, workers.liveness",
    "service/sessions/play.py": "import service.store.keys",
    "service/store/keys.py": "import redis",
    "service/jobs/queues.py": "import games.one, rq",
    "workers/liveness.py": "import service.jobs.queues",
    "workers/main.py": "import service.jobs.queues",
    "games/search/tree.py": "import games.core.bits",
    "workers/simulate/batch.py": "import games.one, games.search.tree",
    "tools/build.py": "import games.core.bits, service.launch, workers.main",
}

BREACHES = [
    ("bench-outside", "service/jobs/queues.py", "bench.arena"),
    ("games-apart", "games/one/table.py", "games.two.table"),
    ("rules-alone", "games/one/table.py", "random"),
    ("search-in-workers", "service/jobs/queues.py", "games.search.tree"),
    ("service-one-way", "service/auth/api_keys.py", "service.jobs.queues"),
    ("service-one-way", "service/http/fields.py", "service.contract.operations"),
    ("service-one-way", "service/http/fields.py", "service.launch"),
    ("service-one-way", "service/http/fields.py", "service.wire"),
    ("service-one-way", "service/jobs/queues.py", "service.telemetry.tracing"),
    ("use-cases", "service/pictures/png.py", "service.http.fields"),
    ("use-cases", "service/sessions/play.py", "service.http.fields"),
    ("workers-on-top", "service/jobs/queues.py", "workers.simulate.batch"),
    ("workers-on-top", "service/launch/__init__.py", "tools.build"),
    ("workers-without-web", "workers/simulate/batch.py", "flask"),
]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    for name, text in MODULES.items():
        module = tmp_path / name
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(text)
        for folder in list(module.relative_to(tmp_path).parents)[:-1]:
            (tmp_path / folder / "__init__.py").touch()
    return tmp_path


def broken(house: Path, checkout: Path) -> set[str]:
    config = checkout / "pyproject.toml"
    said = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--config", str(config)],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    contracts = tomllib.loads(config.read_text())["tool"]["importlinter"]["contracts"]
    verdicts = {contract["id"]: f"{contract['name']} BROKEN" in said for contract in contracts}
    assert f"{len(contracts) - sum(verdicts.values())} kept" in said
    return {name for name, is_broken in verdicts.items() if is_broken}


def test_a_house_in_order_breaks_nothing(house: Path, checkout: Path) -> None:
    assert broken(house, checkout) == set()


@pytest.mark.parametrize(("contract", "name", "imported"), BREACHES)
def test_a_forbidden_import_breaks(contract: str, name: str, imported: str, house: Path, checkout: Path) -> None:
    with (house / name).open("a") as module:
        module.write(f"\nimport {imported}\n")
    assert contract in broken(house, checkout)


def test_the_search_knows_no_game_by_name(house: Path, checkout: Path) -> None:
    (house / "games/search/tree.py").write_text("import games.one.table")
    assert broken(house, checkout) == {"games-apart"}


def test_every_contract_is_tried(checkout: Path) -> None:
    config = tomllib.loads((checkout / "pyproject.toml").read_text())
    assert {contract["id"] for contract in config["tool"]["importlinter"]["contracts"]} == {
        contract for contract, *_ in BREACHES
    }
