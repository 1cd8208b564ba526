"""The page on own games, from the template to a changed rule, in an empty environment."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.packages.test_strangers_games import SLUG, UV
from tools import new_game

BLOCK = re.compile(r"^pip install (?P<wanted>.+ \.\./sheep-dog)\n(?P<suite>pytest --conformance .+)$", re.MULTILINE)


def run(*command: str, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "DORFPLATZ_GAMES_PURE": "1", "DORFPLATZ_GAMES": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else f"failed: {done.stdout}{done.stderr}"


def test_a_game_from_the_template_passes_the_suite_and_may_change_a_rule(checkout: Path, tmp_path: Path) -> None:
    found = BLOCK.search((checkout / "docs" / "own-games.md").read_text("utf-8"))
    assert found is not None
    game = new_game.write(checkout, SLUG, tmp_path / SLUG)
    assert not [path for path in game.rglob("*.*") if "for tests" in path.read_text("utf-8")]
    assert run(UV, "venv", "--python", sys.executable, "env", folder=tmp_path) == ""
    python = str(tmp_path / "env" / "bin" / "python")
    install = (UV, "pip", "install", "--quiet", "--python", python)
    wanted = found["wanted"].replace(f"../{SLUG}", str(game)).split()
    assert run(*install, *wanted, folder=checkout) == ""
    suite = found["suite"].replace(f"../{SLUG}", str(game)).split()[1:]
    assert " passed" in run(python, "-m", "pytest", *suite, folder=tmp_path)
    rules = game / "src" / "dorfplatz_sheep_dog" / "RULES.md"
    rules.write_text(rules.read_text("utf-8").replace("takes 1 to 3 pebbles", "takes 1 to 4 pebbles"), "utf-8")
    assert run(*install, "--no-deps", "--force-reinstall", str(game), folder=checkout) == ""
    show = "import dorfplatz_sheep_dog as game; print(game.__path__[0])"
    installed = Path(run(python, "-c", show, folder=tmp_path).strip())
    assert "takes 1 to 4 pebbles" in (installed / "RULES.md").read_text("utf-8")
