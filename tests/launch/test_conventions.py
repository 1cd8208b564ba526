"""The files that a contributor's tools and the forge read."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools.locks import entry

FORMS = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/*.yml",
}


@pytest.mark.thorough
@pytest.mark.parametrize(("schema", "pattern"), FORMS.items(), ids=FORMS)
def test_the_forge_understands(schema: str, pattern: str, checkout: Path) -> None:
    files = sorted(checkout.glob(pattern))
    assert files
    command = [str(Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_forge_runs_what_everybody_can_run(checkout: Path) -> None:
    workflow = yaml.safe_load((checkout / ".github" / "workflows" / "ci.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert job["steps"][-1]["run"].endswith(" .ci/run")


def test_the_hook_runs_the_ruff_that_the_lock_names(checkout: Path) -> None:
    hooks = yaml.safe_load((checkout / ".pre-commit-config.yaml").read_text())
    assert hooks["repos"][0]["rev"] == f"v{entry('ruff')[0]}"


ROOT_FILES = {
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Dockerfile",
    "LICENSE",
    "NOTICE",
    "README.md",
    "SECURITY.md",
    "dev.py",
    "docker-compose.yml",
    "pyproject.toml",
    "uv.lock",
}


def tracked(checkout: Path, *patterns: str) -> list[str]:
    command = ["git", "ls-files", "-z", *patterns]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\0").split("\0")


def test_the_root_has_the_files_of_the_readme_and_folders(checkout: Path) -> None:
    assert {name for name in tracked(checkout) if "/" not in name and not name.startswith(".")} == ROOT_FILES


def test_generated_code_is_marked_for_diffs(checkout: Path) -> None:
    generated = [name for name in tracked(checkout) if "/generated/" in name] + ["openapi/openapi.yaml", "uv.lock"]
    assert len(generated) > 5
    command = ["git", "check-attr", "linguist-generated", *generated]
    said = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout
    assert said.count(": linguist-generated: set\n") == len(generated)


MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
GENERATED = "written by `python3 dev.py"


def test_files_and_functions_are_short(checkout: Path) -> None:
    names = tracked(checkout, *(f"{folder}/*.py" for folder in ("games", "service", "workers", "clients", "tools")))
    assert names
    texts = {name: (checkout / name).read_text() for name in names}
    long_files = {
        name for name, text in texts.items() if len(text.splitlines()) > MAX_FILE_LINES and not is_generated(text)
    }
    assert long_files == set()
    assert [place for name, text in texts.items() for place in long_functions(name, text)] == []


def is_generated(text: str) -> bool:
    return GENERATED in text.partition("\n")[0]


def long_functions(name: str, text: str) -> list[str]:
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [f"{name} {node.name}" for node in found if length_of(node) > MAX_FUNCTION_LINES]


def length_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1
