"""`uv.lock`: public, in step with pyproject.toml, and read without an index."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from packaging.requirements import Requirement

from tools import locks

UV: Final = Path(sys.executable).with_name("uv")


@pytest.fixture(scope="module")
def packages() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(locks.LOCK.read_text("utf-8"))["package"]
    return found


def foreign(package: dict[str, Any]) -> list[str]:
    """Return the places of a package that are neither the public registry nor its files."""
    source = package["source"]
    files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else [])]
    hosts = {urlsplit(file.get("url", file.get("path", ""))).netloc for file in files}
    registry = [] if source in ({"registry": locks.INDEX}, *OURS) else [str(source)]
    return [*registry, *(hosts - {"files.pythonhosted.org"})]


OURS: Final[tuple[dict[str, str], ...]] = ({"virtual": "."}, {"editable": "."}, {"directory": "clients/games"})


def test_the_lock_names_no_registry_but_the_public_one(packages: list[dict[str, Any]]) -> None:
    assert len(packages) > 100
    assert {package["name"]: foreign(package) for package in packages if foreign(package)} == {}


@pytest.mark.parametrize(
    ("package", "found"),
    [
        ({"source": {"registry": "https://mirror.test/simple"}}, ["{'registry': 'https://mirror.test/simple'}"]),
        ({"source": {"registry": "/wheels"}, "wheels": [{"path": "a-1.whl"}]}, ["{'registry': '/wheels'}", ""]),
        ({"source": {"registry": locks.INDEX}, "sdist": {"url": "https://mirror.test/a.tar.gz"}}, ["mirror.test"]),
        ({"source": {"registry": locks.INDEX}, "wheels": [{"url": "file:///wheels/a-1.whl"}]}, [""]),
    ],
)
def test_another_registry_or_host_is_found(package: dict[str, Any], found: list[str]) -> None:
    assert foreign(package) == found


def test_the_lock_is_written_without_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program stands for uv, and prints what reaches it."""
    from tools import __main__ as commands  # noqa: PLC0415 -- it takes the place of its programs from sys.executable

    uv = tmp_path / "uv"
    uv.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/told\nenv > {tmp_path}/environment\n')
    uv.chmod(0o755)
    monkeypatch.setattr(commands, "TOOLS", tmp_path)
    monkeypatch.setenv("UV_INDEX", "https://mirror.test/simple")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path.home() / ".config"))
    with pytest.raises(SystemExit) as ended:
        commands.lock(["--upgrade"])
    assert ended.value.code == 0
    assert (tmp_path / "told").read_text() == "lock --default-index https://pypi.org/simple --upgrade\n"
    known = dict(line.split("=", 1) for line in (tmp_path / "environment").read_text().splitlines() if "=" in line)
    assert "UV_INDEX" not in known
    assert "XDG_CONFIG_HOME" in known
    assert not Path(known["XDG_CONFIG_HOME"]).exists()  # it was empty


def test_the_lock_fits_the_project(packages: list[dict[str, Any]], checkout: Path) -> None:
    """Uv compares the same, but only with an index."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text())
    (own,) = (package for package in packages if package["name"] == project["project"]["name"])

    def wanted(rows: list[str]) -> set[tuple[str, str]]:
        return {(row.name, str(row.specifier)) for row in map(Requirement, rows)}

    def found(rows: list[dict[str, Any]]) -> set[tuple[str, str]]:
        return {(row["name"], str(Requirement(row["name"] + row.get("specifier", "")).specifier)) for row in rows}

    assert own["version"] == project["project"]["version"]
    rules = tomllib.loads((checkout / "clients" / "games" / "pyproject.toml").read_text())["project"]
    (games,) = (package for package in packages if package["name"] == rules["name"])
    assert games["version"] == rules["version"]
    extras = [row for rows in rules["optional-dependencies"].values() for row in rows]
    assert found(games["metadata"]["requires-dist"]) == wanted([*rules["dependencies"], *extras])
    requires = found([row for row in own["metadata"]["requires-dist"] if row["name"] != rules["name"]])
    optional = [row for rows in project["project"]["optional-dependencies"].values() for row in rows]
    own_rows = wanted([*project["project"]["dependencies"], *optional])
    assert requires == {row for row in own_rows if row[0] != rules["name"]}
    for name, rows in project["dependency-groups"].items():
        assert found(own["metadata"]["requires-dev"][name]) == wanted(rows), name


def test_every_group_is_in_a_selection(checkout: Path) -> None:
    groups = tomllib.loads((checkout / "pyproject.toml").read_text())["dependency-groups"]
    assert {name for selection in locks.SELECTIONS.values() for name in selection.groups} == groups.keys()


@pytest.mark.parametrize("selection", locks.SELECTIONS.values(), ids=locks.SELECTIONS)
def test_a_selection_is_exported_with_hashes_and_without_our_own_packages(selection: locks.Selection) -> None:
    text = locks.export(UV, selection)
    rows = re.split(r"\n(?=\S)", text.strip())
    assert rows
    assert all(re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", row, re.DOTALL) for row in rows)
    assert "dorfplatz" not in text


def test_the_entries_of_the_installers_are_those_that_uv_exports() -> None:
    text = locks.export(UV, locks.Selection("install", ("install",)))
    for name in ("pip", "uv"):
        version, hashes = locks.entry(name)
        assert f"{name}=={version} " in text
        assert hashes
        assert set(hashes) <= set(re.findall(r"sha256:[0-9a-f]{64}", text))
        assert locks.requirement(name).count(" --hash=sha256:") == len(hashes)


def test_the_lock_is_read_without_an_index_and_without_settings(tmp_path: Path) -> None:
    known = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "UV_CACHE_DIR": str(tmp_path / "cache")}
    command = [str(UV), "export", "-q", "--frozen", "--offline", "--no-emit-local", "--only-group", "build"]
    done = subprocess.run(command, cwd=locks.ROOT, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "mypy==" in done.stdout


def imported_by_games(checkout: Path) -> set[str]:
    """Return the packages that games import, as locks name them; only set-ups import what builds the kernel."""
    files = set((checkout / "games").rglob("*.py")) - {checkout / "games" / "core" / "building.py"}
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    found = plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    packages = {name.partition(".")[0] for name in found} - sys.stdlib_module_names - {"games"}
    return {name.replace("_", "-") for name in packages}


def named(selection: locks.Selection) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", locks.export(UV, selection), re.MULTILINE))


def test_imports_of_games_are_installed_for_the_compiler(checkout: Path) -> None:
    imported = imported_by_games(checkout)
    assert "msgspec" in imported
    assert imported <= named(locks.BUILD)


def test_types_of_imports_of_games_are_installed_for_the_compiler(checkout: Path) -> None:
    """Mypyc refuses a module whose import has its types in a package of their own that is missing."""
    types = {f"types-{name}" for name in imported_by_games(checkout)} & named(locks.DEV)
    assert types
    assert types <= named(locks.BUILD) & named(locks.SERVE)
    assert types <= set(requirements(checkout))


def requirements(checkout: Path) -> list[str]:
    rules = tomllib.loads((checkout / "clients" / "games" / "pyproject.toml").read_text())
    wanted: list[str] = rules["build-system"]["requires"]
    return wanted


def test_a_wheel_of_the_rules_has_the_kernels_build_requirements(checkout: Path) -> None:
    """A wheel works only with the librt of its build, so each build takes the tested one."""
    lines = locks.export(UV, locks.BUILD)
    wanted = {row.name: row for row in map(Requirement, requirements(checkout))}
    assert f"librt=={next(iter(wanted['librt'].specifier)).version} " in lines
    for name, version in re.findall(r"^([a-z0-9-]+)==([^ ]+)", lines, re.MULTILINE):
        assert name not in wanted or wanted[name].specifier.contains(version), name
    assert imported_by_games(checkout) <= wanted.keys()
