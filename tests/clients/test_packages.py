"""The packages of `clients/` resolve together as the documents install them, and building them writes nothing here."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from packaging.requirements import Requirement

from tests.clients import packages

CHECKOUT: Final = Path(__file__).resolve().parents[2]
UV: Final = str(Path(sys.executable).parent / "uv")
INSTALLS: Final = re.compile(r"pip install (?P<wanted>[^`\n]+)")
FOLDERS: Final = sorted(path.parent for path in (CHECKOUT / "clients").glob("*/pyproject.toml"))
BUILT: Final = [folder for folder in FOLDERS if folder.name != "pebbles"]  # which `new-game` completes
DOCUMENTS: Final = sorted(
    [CHECKOUT / "README.md", *(CHECKOUT / "docs").glob("*.md"), *(CHECKOUT / "docs" / "guides").glob("*.md")]
    + [folder / "README.md" for folder in BUILT]
)


@dataclass(frozen=True)
class Package:
    """A package of this checkout: its name, version and requirements, those of its extras by their names."""

    name: str
    version: str
    requirements: list[Requirement]
    extras: dict[str, list[Requirement]]


def read_package(folder: Path) -> Package:
    data: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text())
    project = data["project"]
    extras = {
        name: [Requirement(one) for one in rows] for name, rows in project.get("optional-dependencies", {}).items()
    }
    requirements = [Requirement(one) for one in project["dependencies"]]
    version = project.get("version") or read_version(folder, data["tool"]["hatch"]["version"])
    return Package(project["name"], version, requirements, extras)


def read_version(folder: Path, told: dict[str, str]) -> str:
    pattern = told.get("pattern", r"^__version__ = \"(?P<version>[^\"]+)\"")
    found = re.search(pattern, (folder / told["path"]).read_text(), re.MULTILINE)
    assert found is not None
    return found["version"]


PACKAGES: Final = {folder: read_package(folder) for folder in (CHECKOUT, *FOLDERS)}
OURS: Final = {package.name: package for package in PACKAGES.values()}


def documented() -> Iterator[tuple[str, tuple[str, ...]]]:
    for document in DOCUMENTS:
        for found in INSTALLS.finditer(document.read_text("utf-8")):
            words = shlex.split(found["wanted"].partition("  #")[0])
            if not any(word.startswith("-") for word in words):
                ours = (word for word in words if not word.startswith("../"))  # a reader's own package lies there
                yield str(document.relative_to(CHECKOUT)), tuple(ours)


COMMANDS: Final = sorted(set(documented()))


def split_extras(word: str) -> tuple[Path, list[str]]:
    place, _, extras = word.partition("[")
    return (CHECKOUT / place).resolve(), [name for name in extras.rstrip("]").split(",") if name]


def requirements_of(words: tuple[str, ...]) -> Iterator[Requirement]:
    for word in words:
        folder, extras = split_extras(word)
        package = PACKAGES[folder]
        yield from package.requirements
        for extra in extras:
            yield from package.extras[extra]


def test_the_documents_install_each_package() -> None:
    folders = {split_extras(word)[0] for _, words in COMMANDS for word in words}
    assert folders >= set(BUILT)


@pytest.mark.parametrize(("document", "words"), COMMANDS)
def test_a_documented_command_names_each_package_of_ours_that_it_needs(document: str, words: tuple[str, ...]) -> None:
    assert all(split_extras(word)[0] in PACKAGES for word in words), f"{document} names packages that no index has"
    named = {PACKAGES[split_extras(word)[0]].name for word in words}
    needed = {requirement.name for requirement in requirements_of(words)} & OURS.keys()
    assert needed <= named, f"{document}: add {needed - named}"


@pytest.mark.parametrize("package", PACKAGES.values(), ids=lambda package: package.name)
def test_a_package_takes_the_versions_of_ours_beside_it(package: Package) -> None:
    rows = [*package.requirements, *(one for rows in package.extras.values() for one in rows)]
    for requirement in rows:
        if requirement.name in OURS:
            assert requirement.specifier.contains(OURS[requirement.name].version), str(requirement)


def test_service_contract_and_packages_share_one_version() -> None:
    contract = yaml.load((CHECKOUT / "openapi" / "openapi.yaml").read_bytes(), yaml.CSafeLoader)["info"]["version"]
    ours = {package.name: package.version for folder, package in PACKAGES.items() if folder.name != "pebbles"}
    assert ours == dict.fromkeys(ours, contract)
    assert json.loads((CHECKOUT / "clients" / "typescript" / "package.json").read_text())["version"] == contract
    images = [CHECKOUT / "docker-compose.yml", *(CHECKOUT / "k8s").glob("overlays/*/kustomization.yaml")]
    named = re.compile(r"(?:image: dorfplatz:|name: dorfplatz, .*newTag: )([\w.-]+)")
    tags = [tag for file in images for tag in named.findall(file.read_text())]
    assert len(tags) >= 3
    assert set(tags) == {contract}


def test_the_changelog_tells_users_of_the_version_in_forty_lines() -> None:
    text = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    sections = re.split(r"^## (?=\[)", text, flags=re.MULTILINE)[1:]
    assert [section.partition("]")[0] for section in sections[:2]] == ["[Unreleased", f"[{PACKAGES[CHECKOUT].version}"]
    assert len(sections[1].splitlines()) <= 40


def copy_sources(target: Path) -> Path:
    """Copy what the packages are built from, as a fresh clone has it."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info", "build", "dist", "node_modules", "web")
    for name in ("clients", "games", "tests/conformance"):
        shutil.copytree(CHECKOUT / name, target / name, ignore=unwanted)
    for name in ("LICENSE", "NOTICE"):
        shutil.copy2(CHECKOUT / name, target / name)
    return target


def call_uv(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [UV, *arguments, "--no-build-isolation", "--no-index", "--python", sys.executable],
        cwd=folder,
        env={**os.environ, "DORFPLATZ_GAMES_PURE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_sources(tmp_path_factory.mktemp("clone"))


@pytest.mark.thorough
@pytest.mark.parametrize("words", [("./clients/python", "./clients/mcp"), ("./clients/python[progress]",)])
def test_an_installer_resolves_the_command_of_a_readme(sources: Path, words: tuple[str, ...]) -> None:
    assert words in {found for _, found in COMMANDS}
    told = call_uv("pip", "install", "--dry-run", *words, folder=sources)
    for word in words:
        assert f"+ {PACKAGES[split_extras(word)[0]].name} @" in told


@pytest.mark.thorough
@pytest.mark.parametrize("name", [folder.name for folder in BUILT])
def test_building_a_wheel_writes_nothing_into_the_clone(sources: Path, tmp_path: Path, name: str) -> None:
    def files() -> list[Path]:
        return sorted(path for path in sources.rglob("*") if "__pycache__" not in path.parts)

    before = files()
    call_uv("build", "--wheel", "--out-dir", str(tmp_path), f"clients/{name}", folder=sources)
    assert [wheel.suffix for wheel in tmp_path.glob("dorfplatz_*")] == [".whl"]
    assert files() == before


def test_the_guide_shows_the_program_that_the_compiler_checks() -> None:
    guide = (CHECKOUT / "docs" / "guides" / "typescript-client.md").read_text("utf-8")
    program = (CHECKOUT / "tests" / "clients" / "typescript" / "src" / "narrow.ts").read_text("utf-8")
    assert f"```ts\n{program}```" in guide


def test_the_generated_files_of_the_packages_are_the_contract_s() -> None:
    for file, text in packages.contents().items():
        assert file.read_text() == text, f"{file} is stale: python3 dev.py clients"
