"""`dev.py` in a fresh clone: each fault is reported in a sentence, and before anything is installed or compiled."""

import ast
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from games.core.kernel import SWITCH, missing_for_build
from service.launch import supervisor
from service.launch.supervisor import WORKER_QUEUES, Child, NotServedError, Supervisor
from tests.launch.kit import PATIENCE_SECONDS, own_port, within
from tools import environment

PACKAGES: Final = ("games", "service", "workers", "tools")
FILES: Final = ("dev.py", "pyproject.toml", "uv.lock")


@pytest.fixture(scope="module")
def untouched(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a clone in which no test installs, builds or changes anything."""
    root = tmp_path_factory.mktemp("untouched") / "a clone"
    for package in PACKAGES:
        shutil.copytree(checkout / package, root / package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for file in FILES:
        shutil.copy(checkout / file, root / file)
    return root


@pytest.fixture
def clone(untouched: Path, tmp_path: Path) -> Path:
    """Return a clone of a test's own in which nothing has been installed or built."""
    return Path(shutil.copytree(untouched, tmp_path / "a clone"))


def dev(clone: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a clone to its end; nothing can be installed there."""
    env = {name: text for name, text in os.environ.items() if name not in {SWITCH, "PYTHONPATH", "PYTHONSAFEPATH"}}
    env |= {"PIP_NO_INDEX": "1", **settings}
    command = [sys.executable, str(clone / "dev.py"), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", [(), ("help",), ("--help",), ("-h",)], ids=str)
def test_help_lists_the_commands_and_installs_nothing(arguments: tuple[str, ...], untouched: Path) -> None:
    run = dev(untouched, *arguments)
    assert (run.returncode, run.stderr) == (0, "")
    assert "  serve       Run the whole service on PORT" in run.stdout
    assert not (untouched / ".venv").exists()


def test_packages_on_the_path_do_not_replace_those_of_the_checkout(tmp_path: Path, untouched: Path) -> None:
    for package in ("service", "tools"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('another copy')")
    path = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "dev.py"], cwd=untouched, env=path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        pytest.param("srve", {}, "invalid choice: 'srve' (choose from", id="a wrong command"),
        pytest.param("serve --prot 80", {}, "serve takes no --prot", id="a wrong argument"),
        pytest.param("run", {}, "run needs the name of a module", id="no module"),
        pytest.param("test --kernel fast", {}, "invalid choice: 'fast'", id="a wrong kernel"),
        pytest.param(
            "serve", {"PORT": "abc"}, "PORT=abc is no port; ports are numbers from 1 to 65535", id="no number"
        ),
        pytest.param("serve", {"PORT": "70000"}, "PORT=70000 is no port", id="too high a port"),
        pytest.param("serve", {"PORT": "0"}, "PORT=0 is no port", id="port 0"),
        pytest.param("serve", {"HOST": "no such host"}, "HOST=no such host is no IPv4 address of this", id="no host"),
        pytest.param("serve", {"HOST": "192.0.2.1"}, "HOST=192.0.2.1 is no IPv4 address of this", id="another's host"),
    ],
)
def test_impossible_runs_are_told_at_once(arguments: str, settings: dict[str, str], said: str, untouched: Path) -> None:
    run = dev(untouched, *arguments.split(), **{"PORT": str(own_port()), **settings})
    assert run.returncode != 0
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert not (untouched / ".venv").exists()


def test_an_old_python_is_told_what_it_lacks(untouched: Path) -> None:
    text = (untouched / "dev.py").read_text()
    ast.parse(text, feature_version=(3, 4))  # it can be read at all
    pretend = f"import sys; sys.version_info = (3, 8, 18); exec({text!r})"
    run = subprocess.run([sys.executable, "-I", "-c", pretend], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("dorfplatz: needs Python 3.11 or later, and this is ")
    assert "Traceback" not in run.stderr


@pytest.fixture
def made(clone: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = clone / ".venv"
    venv.create(folder, symlinks=True)
    monkeypatch.setattr(environment, "ENVIRONMENT", folder)
    monkeypatch.setattr(environment, "PYTHON", folder / "bin" / "python")
    return folder


def another_version(folder: Path) -> None:
    config = folder / "pyvenv.cfg"
    config.write_text(config.read_text().replace("version = 3.", "version = 3.10.1; 3."))


def gone(folder: Path) -> None:
    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to(folder / "nowhere")


def replaced(folder: Path) -> None:
    other = folder / "python-of-another"
    shutil.copy(Path(sys.executable).resolve(), other)
    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to(other)


def test_an_environment_of_this_python_is_kept(made: Path) -> None:
    assert environment.staleness() is None
    shutil.rmtree(made)
    assert environment.staleness() is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        pytest.param(another_version, "it is one of Python 3.10.1", id="another version"),
        pytest.param(gone, "its Python has gone", id="no interpreter"),
        pytest.param(replaced, "its Python has been replaced", id="another interpreter"),
    ],
)
def test_an_environment_of_another_python_is_not_used(spoil: Callable[[Path], None], reason: str, made: Path) -> None:
    spoil(made)
    assert reason in str(environment.staleness())


@pytest.mark.skipif(missing_for_build() is not None, reason="no C compiler")
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"CC": "/bin/false"}, id="no compiler"),
        pytest.param({"CFLAGS": "-include /nowhere.h"}, id="broken headers", marks=pytest.mark.thorough),
    ],
)
def test_a_broken_compiler_is_told_and_plain_runs(settings: dict[str, str], clone: Path, checkout: Path) -> None:
    (clone / ".venv").symlink_to(checkout / ".venv")
    run = dev(clone, "simulate", "--help", **settings)
    assert run.returncode == 0, run.stderr
    assert "the C compiler refuses an extension of one line, see build/compile.log; the plain kernel runs" in run.stdout
    assert "compiling" not in run.stdout


class Slow:
    """A clock for `supervisor` on which every look takes 7 seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 7.0
        return self.now

    def time(self) -> float:
        return 0.0

    def sleep(self, _seconds: float) -> None:
        """Sleep in no time."""


@pytest.fixture
def supervised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    monkeypatch.setattr(supervisor, "time", Slow())
    monkeypatch.setattr("service.launch.terminal.time", Slow())
    found = Supervisor({}, tmp_path)
    (tmp_path / "web.log").write_text("the last word")
    with subprocess.Popen(["sleep", "600"]) as process:
        found.children.append(Child("web server", process, tmp_path / "web.log"))
        yield found
        process.kill()


def test_a_slow_start_is_waited_for_and_told_of(
    supervised: Supervisor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    looks = iter([False] * 100 + [True])
    monkeypatch.setattr(supervisor, "answers", lambda _address: next(looks))
    assert supervised._await_ready()
    told = capsys.readouterr().out.splitlines()
    assert len(told) > 10
    assert all(line.startswith("dorfplatz: the web server is not ready yet, after ") for line in told)


@pytest.mark.parametrize("name", ["web server", *(f"worker {queue}" for queue in WORKER_QUEUES)])
def test_the_watch_names_the_dead_and_ends_the_others(name: str, supervised: Supervisor, tmp_path: Path) -> None:
    (tmp_path / "worker.log").write_text("the last word")
    with ExitStack() as stack:
        for queue in WORKER_QUEUES:
            process = stack.enter_context(subprocess.Popen(["sleep", "600"]))
            stack.callback(process.kill)
            supervised.children.append(Child(f"worker {queue}", process, tmp_path / "worker.log"))
        victim = next(child.process for child in supervised.children if child.name == name)
        victim.kill()
        victim.wait()
        with pytest.raises(NotServedError, match=rf"^the {name} ended with -9, see .*\nthe last word$"):
            supervised._watch()
        supervised._stop()
        assert within(PATIENCE_SECONDS, lambda: not supervised._running())


def test_a_start_that_fails_is_not_waited_for(supervised: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(_address: str) -> bool:
        supervised.children[0].process.kill()
        supervised.children[0].process.wait()
        return False

    monkeypatch.setattr(supervisor, "answers", die)
    with pytest.raises(NotServedError, match=r"the web server ended with -9, see .*\nthe last word"):
        supervised._await_ready()
