"""The wheel of the library is complete and holds nothing of the service, plain or compiled."""

import re
import shutil
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from games.core.kernel import kernel
from tests.clients.games.conftest import Installed, call_backend, install

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))

COMPILER = """
import sys, types
from pathlib import Path
from setuptools import Extension

def mypycify(paths, *, opt_level, debug_level, target_dir, group_name, multi_file):
    from games.core.kernel import hot_modules
    assert paths == [*hot_modules(Path.cwd()), "--strict"], paths
    assert (opt_level, debug_level, group_name) == ("3", "0", "dorfplatz")
    made = Path(target_dir, "made.c")
    unit = Path(target_dir, "units", "core.c")
    unit.parent.mkdir(parents=True)
    made.touch()
    unit.write_text('#include "made.c"\\n')
    import os; [os.utime(path, (0, 0)) for path in (made, unit)]
    names = [path.removesuffix(".py").replace("/", ".") for path in paths[:-1]]
    return [Extension(name, [str(made)]) for name in [*names, "dorfplatz__mypyc"]]

sys.modules["mypyc"] = types.ModuleType("mypyc")
sys.modules["mypyc.build"] = build = types.ModuleType("mypyc.build")
build.mypycify = mypycify
"""
"""Stands for mypyc, which has made the same of the same modules when this run's own kernel was compiled."""


def test_the_library_needs_nothing_of_the_service(installed: Installed) -> None:
    script = (
        "import dorfplatz_games, importlib.util as util\n"
        "absent = ['flask', 'redis', 'marshmallow', 'rq', 'service', 'workers']\n"
        "print([name for name in absent if util.find_spec(name)], dorfplatz_games.kernel(), *dorfplatz_games.games())"
    )
    assert installed.run("-c", script).stdout.split() == [
        "[]",
        "plain",
        "barbarossa",
        "gartenzwerge",
        "hoher-rat",
        "wichtel",
    ]


def test_a_source_distribution_has_all_that_the_checkout_has_of_the_games(sources: Path, checkout: Path) -> None:
    def held(folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in folder.rglob("*.*") if path.suffix not in {".pyc", ".so"}}

    assert held(sources / "games") == held(checkout / "games")
    assert (sources / "dorfplatz_games" / "py.typed").exists()
    assert not (checkout / "clients" / "games" / "games").exists()
    assert not list((checkout / "clients" / "games").glob("*.egg-info"))


@pytest.mark.thorough
@pytest.mark.skipif(kernel() == "plain", reason="no compiled kernel")
def test_a_compiled_wheel_has_every_hot_module_and_runs_alone(sources: Path, checkout: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(sources, root)
    compiled = checkout / "build" / "compiled"
    laid = root / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    for found in compiled.rglob(f"*{SUFFIX}"):
        target = laid / found.relative_to(compiled)
        if "__mypyc" in found.name:
            target = target.with_name(f"dorfplatz__mypyc{SUFFIX}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(found, target)
    call_backend(root, "build_wheel", tmp_path, before=COMPILER)
    env = install(next(tmp_path.glob("*.whl")), tmp_path / "env")
    ten_lines, at_speed, _ = BLOCK.findall((checkout / "clients" / "games" / "README.md").read_text("utf-8"))
    script = f"{ten_lines}\nprint(dorfplatz.kernel())\n{at_speed}"
    done = env.run("-c", script)
    assert done.returncode == 0, done.stderr
    *_, headline, rewards, kind, speed = done.stdout.splitlines()
    assert "block of 16" in headline
    assert rewards in {"[0.0, 1.0]", "[1.0, 0.0]"}
    assert kind == "compiled"
    assert speed.endswith("random moves to the end")


def test_the_service_requires_the_rules_of_its_own_version(checkout: Path) -> None:
    ours, service = (
        tomllib.loads((checkout / place / "pyproject.toml").read_text()) for place in ("clients/games", ".")
    )
    assert ours["project"]["version"] == service["project"]["version"]
    assert f"dorfplatz-games=={ours['project']['version']}" in service["project"]["dependencies"]
    assert not [name for name in service["tool"]["setuptools"]["packages"]["find"]["include"] if "games" in name]
