"""A release from a clean clone: its files, and the commands and examples of the READMEs."""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools import release

SOME = (".", "clients/games", "clients/python", "clients/mcp")
"""The packages that need no libraries for learners; `python3 dev.py release` has all of them, npm's and the image."""


@pytest.fixture(scope="module")
def made(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the release of the last commit, its rules in plain Python."""
    out = tmp_path_factory.mktemp("release") / "dist"
    command = [sys.executable, "-P", "-m", "tools.release", "--out", str(out), "--without-image", "--only", *SOME]
    known = {**os.environ, "DORFPLATZ_GAMES_PURE": "1", "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, cwd=checkout, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for folder in SOME:
        assert f"release: prove {folder}" in done.stdout
    return out


def test_each_package_is_a_wheel_and_a_source_distribution_with_a_checksum(made: Path) -> None:
    names = {path.name for path in made.iterdir()} - {release.SUMS}
    packages = ("dorfplatz", "dorfplatz_games", "dorfplatz_client", "dorfplatz_mcp")
    assert names == {f"{name}-1.0.0{end}" for name in packages for end in ("-py3-none-any.whl", ".tar.gz")}
    lines = (made / release.SUMS).read_text().splitlines()
    assert lines == [f"{hashlib.sha256((made / name).read_bytes()).hexdigest()}  {name}" for name in sorted(names)]


def test_the_services_wheel_requires_the_rules_and_holds_none(made: Path) -> None:
    with zipfile.ZipFile(made / "dorfplatz-1.0.0-py3-none-any.whl") as wheel:
        names = wheel.namelist()
        metadata = wheel.read("dorfplatz-1.0.0.dist-info/METADATA").decode()
    assert {name.partition("/")[0] for name in names} == {"service", "workers", "dorfplatz-1.0.0.dist-info"}
    assert re.findall(r"^Requires-Dist: (dorfplatz.*)$", metadata, re.MULTILINE) == ["dorfplatz-games==1.0.0"]
    with tarfile.open(made / "dorfplatz-1.0.0.tar.gz") as source:
        tops = {Path(name).parts[1] for name in source.getnames() if len(Path(name).parts) > 1}
    assert {"service", "workers", "LICENSE", "NOTICE", "pyproject.toml"} <= tops
    assert not tops & {"games", "tests", "tools"}


@pytest.mark.parametrize("package", release.PACKAGES, ids=lambda package: package.folder)
def test_each_readme_shows_how_to_install_the_package_and_an_example(package: release.Package, checkout: Path) -> None:
    wanted = release.command_of(checkout, package)
    assert [
        word
        for word in wanted
        if (checkout / word.partition("[")[0]).resolve() == (checkout / package.folder).resolve()
    ]
    blocks = release.BLOCK.findall((checkout / package.folder / "README.md").read_text("utf-8"))
    assert any(kind == package.kind for kind, _ in blocks)


def test_a_package_that_was_not_built_is_an_error(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(release.ReleaseError, match=r"\./clients/games was not built"):
        release.built("./clients/games", checkout, tmp_path)
    wheel = tmp_path / "dorfplatz_games-1.0.0-py3-none-any.whl"
    wheel.touch()
    (tmp_path / "dorfplatz-1.0.0-py3-none-any.whl").touch()
    assert release.built("./clients/games[extra]", checkout, tmp_path) == f"{wheel}[extra]"
    assert release.built("pytest", checkout, tmp_path) == "pytest"
