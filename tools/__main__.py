"""The developer's commands, run by `dev.py` in the project's environment; each prepares its own prerequisites."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Never

from games.core.kernel import SWITCH, Wanted, missing_for_build
from service.launch.address import Address, WrongAddressError
from service.launch.terminal import say
from tools import new_game as new_games
from tools.build import NotBuiltError, build, is_built
from tools.locks import INDEX
from tools.uv import certificates

CHECKOUT: Final = Path.cwd()
TOOLS: Final = Path(sys.executable).parent


def main(arguments: list[str]) -> None:
    """Run the command that the first argument names."""
    name, rest = chosen(arguments)
    COMMANDS[name](rest)


def chosen(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the command with its arguments; without one, list all and exit; reject invalid ones.

    This runs before anything is installed, so it needs the standard library alone.
    """
    listing = "\n".join(f"  {name:12}{command.__doc__}" for name, command in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="dev.py",
        usage="python3 dev.py command [its arguments]",
        epilog=f"commands:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs="?", default="help", choices=COMMANDS, metavar="command", help="one of these")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the command")
    asked = parser.parse_args(arguments)
    if asked.command == "help":
        parser.print_help()
        sys.exit()
    if asked.command in KERNELS:
        rest = kernel_of(asked.arguments)[1]
        if asked.command == "run" and not rest:
            parser.error("run needs the name of a module")
        if asked.command == "serve":
            if rest not in ([], [WAIT_FOR_COMPILER]):
                parser.error(f"serve takes no {rest[0]}")
            try:
                Address.from_env(os.environ).ensure_free()
            except WrongAddressError as reason:
                sys.exit(f"dorfplatz: {reason}")
    return asked.command, asked.arguments


def serve(arguments: list[str]) -> None:
    """Run the whole service on PORT (default 8000) until Ctrl-C; --wait-for-compiler compiles the kernel first."""
    wanted, rest = kernel_of(arguments)
    compiles = wanted is Wanted.AUTO and not rest and not is_built(CHECKOUT) and not missing_for_build()
    provide_kernel(Wanted.PLAIN if compiles else wanted)
    become(*(["tools.serving"] if compiles else ["service", "serve"]))


def test(arguments: list[str]) -> None:
    """Run the tests, or the named ones; --all also the thorough ones, --coverage measures, --kernel compiled|plain.

    --containers builds the image and runs it under Compose instead; with --short only one game and one kill.
    """
    parser = argparse.ArgumentParser(prog="dev.py", add_help=False, allow_abbrev=False)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--containers", action="store_true")
    parser.add_argument("--short", action="store_true")
    known, rest = parser.parse_known_args(arguments)
    if known.containers:
        os.environ["DORFPLATZ_CONTAINERS"] = "1"
        provide_kernel(Wanted.PLAIN)
        become("pytest", "-v", "-p", "no:randomly", *(SHORT if known.short else ()), *container_paths(rest), *rest)
    # A run starts hundreds of processes; without stored bytecode each would compile all its imports again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    rest = with_kernel([*rest, "--kernel", Wanted.PLAIN.value] if known.coverage else rest)
    options = pytest_options(rest, whole=known.all, parallel=known.all or known.coverage)
    if known.coverage:
        sys.exit(measure(options))
    become("pytest", *options)


def pytest_options(arguments: list[str], *, whole: bool, parallel: bool) -> list[str]:
    """Return pytest's options: the short run, unless all tests are requested or some are named."""
    named = names_tests(arguments)
    return [
        *(IN_PARALLEL if parallel or not named else ()),
        *(SHORT if not (whole or named) else ()),
        *arguments,
    ]


def container_paths(arguments: list[str]) -> list[str]:
    """Return the folder of `--containers` tests, or nothing if the arguments name tests."""
    return [] if names_tests(arguments) else ["tests/containers"]


def names_tests(arguments: list[str]) -> bool:
    """Return whether arguments name a test or a folder of tests."""
    return any(Path(argument.partition("::")[0]).exists() for argument in arguments)


IN_PARALLEL: Final = ("-q", "-n", "auto", "--dist", "worksteal", "-p", "tests.progress")
"""Options to use all cores, with the number of processes from `tests.progress`. An idle process takes tests from the
others, so that no long module keeps one core busy."""

SHORT: Final = ("-m", "not thorough")
"""Options that run each layer once; a later -m replaces it."""


def measure(options: list[str]) -> int:
    """Run tests on the plain kernel, and report the covered lines and branches of all processes.

    The report is sorted by coverage; the lowest ten files are repeated at the end.
    """
    coverage = [sys.executable, "-P", "-m", "coverage"]
    subprocess.run([*coverage, "erase"], check=True)
    failed = subprocess.run([*coverage, "run", "-m", "pytest", *options], check=False).returncode
    if failed not in {0, 1}:  # no test ran, or the run was interrupted
        return failed
    subprocess.run([*coverage, "combine", "-q"], check=True)
    report = [*coverage, "report", "--sort", "cover"]
    said = subprocess.run(report, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(said, *lowest(said), sep="\n")
    return failed


MAX_REPEATED_FILES: Final = 10
"""Number of files repeated at the end of a report."""


def lowest(report: str) -> list[str]:
    """Return the least covered files with their shares, from a report sorted by share."""
    files = [line.split() for line in report.splitlines() if line.partition(" ")[0].endswith(".py")]
    shares = [(next(word for word in words if word.endswith("%")), words[0]) for words in files]
    return ["reached least:", *(f"{share:>7} {name}" for share, name in shares[:MAX_REPEATED_FILES])]


def keys(arguments: list[str]) -> None:
    """Add, list and revoke API keys; see `keys add --help`."""
    provide_kernel(Wanted.PLAIN)
    become("service", "keys", *arguments)


def worker(arguments: list[str]) -> None:
    """Run one more worker of a queue (play, search, bulk, remote or hooks) for the Redis of REDIS_URL."""
    become("service", "worker", *with_kernel(arguments))


def simulate(arguments: list[str]) -> None:
    """Play games between bots and print who wins; see --help."""
    become("workers", "simulate", *with_kernel(arguments))


def tournament(arguments: list[str]) -> None:
    """Let all bots meet each other and print their ratings; see --help."""
    become("workers", "tournament", *with_kernel(arguments))


def openapi(arguments: list[str]) -> None:
    """Write the contract to openapi/openapi.yaml."""
    provide_kernel(Wanted.PLAIN)
    become("service", "openapi", *arguments)


def clients(_arguments: list[str]) -> None:
    """Generate the contract's parts of the packages in clients/ from openapi/openapi.yaml."""
    become("tests.clients.packages")


def run(arguments: list[str]) -> None:
    """Run a module of the project in its environment: `run tests.conformance.perft --write`."""
    become(*with_kernel(arguments))


def new_game(arguments: list[str]) -> None:
    """Write a package with a game of your own to start from: `new-game sheep-dog ../sheep-dog`."""
    new_games.main(arguments)


def sessions(arguments: list[str]) -> None:
    """Find unreadable sessions, and mend or end them; see `sessions --help`."""
    provide_kernel(Wanted.PLAIN)
    become("service", "sessions", *arguments)


def check(arguments: list[str]) -> None:
    """Run all checks except the tests: style, types, imports, shifts, meanings, English, the rule trace.

    --english docs service/http lists the sentences in these folders that break a rule of CONTRIBUTING.md.
    """
    if arguments[:1] == ["--english"]:
        become("tools.english", *arguments[1:])
    if arguments:
        sys.exit("dorfplatz: check takes no arguments but --english")
    python = [sys.executable, "-P", "-m"]
    checks = {
        "ruff": [str(TOOLS / "ruff"), "check"],
        "ruff format": [str(TOOLS / "ruff"), "format", "--check"],
        "mypy": [*python, "mypy"],
        "import-linter": [str(TOOLS / "lint-imports"), "--no-logo"],
        "shifts": [*python, "tests.shifts"],
        "meanings": [*python, "tests.meanings"],
        "english": [*python, "tools.english"],
        "rule trace": [*python, "tests.rule_trace"],
    }
    failed = []
    for name, command in checks.items():
        say(f"check: {name}")
        if subprocess.run(command, check=False).returncode != 0:
            failed.append(name)
    sys.exit(f"dorfplatz: check failed: {', '.join(failed)}" if failed else 0)


def bench(arguments: list[str]) -> None:
    """Measure against peers, side by side in one run."""
    provide_kernel(Wanted.COMPILED)
    become("bench", *arguments)


def puzzles(arguments: list[str]) -> None:
    """Search games of strong bots for puzzles: --game wichtel --minutes 60."""
    provide_kernel(Wanted.COMPILED)
    become("bench", "puzzles", *arguments)


def dataset(arguments: list[str]) -> None:
    """Write games between bots as Parquet files for learners: --game wichtel --positions 1000000 --out FOLDER."""
    rest = with_kernel(arguments)
    os.environ["PYTHONPATH"] += os.pathsep + str(CHECKOUT / "clients" / "games")
    become("bench.datasets", *rest)


def soak(arguments: list[str]) -> None:
    """Run schedules of a simulation, --schedules 10000, or tests repeatedly, for --minutes 60."""
    become("tests.soak", *with_kernel(arguments))


def fuzz(arguments: list[str]) -> None:
    """Send nearly valid requests to a service, --requests 100000, or garbled records to readers, --minutes 60."""
    become("tests.fuzz", *with_kernel(arguments))


def sanitize(arguments: list[str]) -> None:
    """Play with the kernel compiled with sanitizers, --games 10000 for each number of seats."""
    provide_kernel(Wanted.PLAIN)
    become("tests.sanitize", *arguments)


def mutate(arguments: list[str]) -> None:
    """Change single places in the code and check that a test fails; --sample 100 places of each area."""
    provide_kernel(Wanted.PLAIN)
    become("tests.mutation", *arguments)


def sbom(arguments: list[str]) -> None:
    """Print the image's bill of materials with licences as CycloneDX JSON, or as a table with --table."""
    become("tools.sbom", *arguments)


def release(arguments: list[str]) -> None:
    """Build wheels, the npm package and the image's list of files from a clean clone, and prove their READMEs."""
    provide_kernel(Wanted.PLAIN)
    become("tools.release", *arguments)


def lock(arguments: list[str]) -> None:
    """Rewrite uv.lock from pyproject.toml; --upgrade takes the newest versions."""
    known = {name: text for name, text in os.environ.items() if not name.startswith("UV_")}
    with tempfile.TemporaryDirectory() as empty:  # no settings of this machine may influence the lock
        known |= {"XDG_CONFIG_HOME": empty, "XDG_CONFIG_DIRS": empty, **certificates(known)}
        command = [str(TOOLS / "uv"), "lock", "--default-index", INDEX, *arguments]
        sys.exit(subprocess.run(command, check=False, env=known).returncode)


def help_(_arguments: list[str]) -> None:
    """List the commands."""
    chosen([])


COMMANDS: Final[dict[str, Callable[[list[str]], None]]] = {
    "serve": serve,
    "test": test,
    "keys": keys,
    "worker": worker,
    "simulate": simulate,
    "tournament": tournament,
    "openapi": openapi,
    "clients": clients,
    "run": run,
    "new-game": new_game,
    "sessions": sessions,
    "check": check,
    "bench": bench,
    "puzzles": puzzles,
    "dataset": dataset,
    "soak": soak,
    "fuzz": fuzz,
    "sanitize": sanitize,
    "mutate": mutate,
    "sbom": sbom,
    "lock": lock,
    "release": release,
    "help": help_,
}

SERVED: Final = frozenset({"serve", "keys", "worker", "sessions", "simulate", "tournament", "openapi", "new-game"})
"""Commands that need only the service's own requirements."""

WAIT_FOR_COMPILER: Final = "--wait-for-compiler"

KERNELS: Final = frozenset({"serve", "test", "worker", "simulate", "tournament", "run", "dataset", "soak", "fuzz"})
"""Commands that accept --kernel compiled|plain."""


def with_kernel(arguments: list[str]) -> list[str]:
    """Provide the kernel requested by --kernel or the environment, and return the other arguments."""
    wanted, rest = kernel_of(arguments)
    provide_kernel(wanted)
    return rest


def kernel_of(arguments: list[str]) -> tuple[Wanted, list[str]]:
    """Return the kernel requested by --kernel or the environment, and the other arguments."""
    kinds = [kind.value for kind in Wanted]
    parser = argparse.ArgumentParser(prog="dev.py", add_help=False, allow_abbrev=False)
    parser.add_argument("--kernel", choices=kinds, default=os.environ.get(SWITCH) or Wanted.AUTO.value)
    known, rest = parser.parse_known_args(arguments)
    if known.kernel not in kinds:
        sys.exit(f"dorfplatz: {SWITCH} is one of {', '.join(kinds)}")
    return Wanted(known.kernel), rest


def provide_kernel(wanted: Wanted) -> None:
    """Put the requested kernel on the path of the command's process; print a message if it cannot be compiled."""
    path = [CHECKOUT]
    if wanted is not Wanted.PLAIN:
        try:
            path.insert(0, build(CHECKOUT, again=wanted is Wanted.COMPILED))
        except NotBuiltError as reason:
            if wanted is Wanted.COMPILED:
                sys.exit(f"dorfplatz: {reason}")
            say(f"{reason}; the plain kernel runs, many times slower")
    os.environ[SWITCH] = "plain" if len(path) == 1 else "compiled"
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, path))
    # No process may put its working directory, which contains the plain kernel, before the compiled one.
    os.environ["PYTHONSAFEPATH"] = "1"


def become(module: str, *arguments: str) -> Never:
    """Replace this process by a module's command, so that signals need no forwarding."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
