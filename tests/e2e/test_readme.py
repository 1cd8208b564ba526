"""The commands of the README work for a newcomer as they stand, at a service of its own port."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from games.core.kernel import kernel

ADDRESS = "http://127.0.0.1:8000"

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None or shutil.which("jq") is None, reason="needs curl and jq on PATH"
)


@pytest.fixture(scope="module")
def pasted(service: str, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return the output of all blocks of the README, one after the other, and their folder."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (checkout / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    script = "".join(blocks)
    assert ADDRESS in script
    if kernel() == "plain":  # for which a thousand games with a look ahead are minutes of work
        script = script.replace('"greedy"', '"random"')
    folder = tmp_path_factory.mktemp("readme")
    command = ["sh", "-eu", "-c", script.replace(ADDRESS, service)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout, folder


def test_a_whole_game_in_ten_lines_is_told_to_its_end(pasted: tuple[str, Path], checkout: Path) -> None:
    said, _ = pasted
    first = (checkout / "README.md").read_text("utf-8").partition("```sh\n")[2].partition("```")[0]
    assert len(first.splitlines()) == 10
    told, outcome, _ = said.partition('{"rewards":')
    assert outcome, "how the game ended"
    assert len(told.splitlines()) > 10, "what happened"


def test_a_first_game_works_when_pasted(pasted: tuple[str, Path]) -> None:
    said, folder = pasted
    lines = said.splitlines()
    assert any(line.startswith("Discuss: play card") for line in lines), "the labels of the legal moves"
    assert any(re.fullmatch(r'\[\[0,1,"spectators"\],"Contra .+\."\]', line) for line in lines), "the event of the move"
    assert (folder / "council.svg").read_text().startswith("<svg")
    values = [line for line in lines if re.fullmatch(r'\["[^"]+",0\.\d+,\[[01][.\d]*,[01][.\d]*\]\]', line)]
    assert len(values) == 3, "the best three moves of the search"
    counts = [line for line in lines if re.fullmatch(r'\["\w+",1000,[01][.\d]*,\[[\d.]+,[\d.]+\]\]', line)]
    assert len(counts) == 2, "a thousand games of each of two bots"


def test_a_session_against_a_bot_works_when_pasted(pasted: tuple[str, Path]) -> None:
    said, folder = pasted
    assert "true" in said.splitlines(), "our turn came"
    assert '"status":"running"' in (folder / "seen.json").read_text()
    assert said.splitlines()[-1].endswith("."), "the event of our move"
