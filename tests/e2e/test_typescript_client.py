"""A TypeScript client made from the contract type-checks, and plays a whole session."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "clients" / "typescript"
PACKAGE = Path(__file__).parents[2] / "clients" / "typescript"
SEED = "stonehenge-46"

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("npm") is None, reason="needs node and npm on PATH"
)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def run_program(command: list[str], folder: Path) -> str:
    done = run(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def installed(checkout: Path, sources: Path = PACKAGE) -> Path:
    digest = hashlib.sha256((sources / "package-lock.json").read_bytes()).hexdigest()[:16]
    place = checkout / "build" / "clients" / f"{sources.name}-{digest}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as aside:
            fresh = Path(aside) / "fresh"
            fresh.mkdir()
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(sources / name, fresh)
            run_program(["npm", "ci", "--ignore-scripts"], fresh)
            with suppress(OSError):  # another run was quicker
                fresh.rename(place)
    return place / "node_modules"


@pytest.fixture(scope="module")
def client(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "out"))
    (folder / "node_modules").symlink_to(installed(checkout))
    shutil.copy(PACKAGE / "src" / "generated" / "contract.ts", folder / "src")
    return folder


def test_a_client_of_the_contract_plays_a_whole_session(client: Path, service: str) -> None:
    # Compiling shows, too, that wrong moves are refused: a mark that nothing needs is an error.
    assert (client / "src" / "moves.ts").read_text().count("// @ts-expect-error --") == 5
    run_program(["node_modules/.bin/tsc"], client)
    seen = json.loads(run_program(["node", "out/play.js", service, SEED], client))
    assert seen["rule"] == "HR-43"
    assert seen["staleness"] is True
    assert seen["status"] == "finished"
    assert seen["winner"] in {"pro", "contra"}
    assert sorted(seen["outcome"]["rewards"]) == [0, 1]
    assert seen["headline"] == seen["outcome"]["headline"]
    assert seen["unchanged"] > 0
    assert set(seen["fields"]) <= set(range(1, 31))
    assert seen["fields"]
    assert 0 < seen["pieces"] <= 30
    assert seen["advice"]["iterations"] == 200
    assert len(seen["advice"]["moves"]) == seen["advice"]["legal_moves"]
    assert [bot["games"] for bot in seen["simulation"]["bots"]] == [20, 20]
