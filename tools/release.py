"""Builds a release from a clean clone, and proves it: `python3 dev.py release`.

The folder `dist` gets wheels, source distributions, the npm tarball, the list of the image's files, and checksums. Each
package is installed into an empty environment by its README's own command, with the built files in place of the
folders. Then the README's example runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from service.launch import redis
from service.launch.lifeline import start
from service.launch.supervisor import answers
from service.launch.terminal import say
from tools import new_game
from tools.install import installer
from tools.uv import configured

UV: Final = Path(sys.executable).with_name("uv")
SUMS: Final = "SHA256SUMS"
IMAGE_FILES: Final = "image-files.txt"
ADDRESS: Final = "http://127.0.0.1:8000"
"""The address of the service in all READMEs."""

COMMAND: Final = re.compile(r"pip install ([^`\n]+)")
BLOCK: Final = re.compile(r"^```(sh|python|ts)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STRANGER: Final = "sheep-dog"
HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "release", "version": "1"},
    },
}
"""The first message of an MCP client."""


class ReleaseError(RuntimeError):
    """A step of the release failed; the message is its output."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the release: its folder in the checkout, and the beginning of its example."""

    folder: str
    program: tuple[str, ...] = ("python",)
    kind: str = "python"
    """The language of the README's example, which is the first block in this language."""


SERVICE: Final = Package(".", ("sh", "-eu"), "sh")
PACKAGES: Final = (
    Package("clients/games"),
    SERVICE,
    Package("clients/python"),
    Package("clients/mcp", ("dorfplatz-mcp", "--url", ADDRESS), "sh"),
    Package("clients/conformance", ("pytest",), "sh"),
    Package("clients/pettingzoo"),
    Package("clients/openspiel"),
)
"""All Python packages, each after its dependencies."""

TYPESCRIPT: Final = Path("clients", "typescript")


def main(arguments: Sequence[str]) -> None:
    """Build everything into a folder and prove it."""
    parser = argparse.ArgumentParser(prog="dev.py release")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="the folder of the release, which is replaced")
    parser.add_argument("--without-image", action="store_true", help="omit the list of the image's files")
    parser.add_argument("--only", nargs="*", default=[], metavar="FOLDER", help="build and prove only these packages")
    told = parser.parse_args(arguments)
    try:
        release(told.out.absolute(), image=not told.without_image, only=told.only)
    except ReleaseError as error:
        sys.exit(f"dorfplatz: {error}")


def release(out: Path, *, image: bool, only: Sequence[str]) -> None:
    """Build the release of the last commit into `out`; raise ReleaseError if a README's example fails."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        clone = Path(folder, "clone")
        run("git", "clone", "--quiet", ".", str(clone), folder=Path.cwd())
        chosen = [package for package in PACKAGES if not only or package.folder in only]
        for package in chosen:
            say(f"release: build {package.folder}")
            build(clone, package, out)
        with_npm = not only or str(TYPESCRIPT) in only
        if with_npm:
            say(f"release: build {TYPESCRIPT}")
            pack(clone / TYPESCRIPT, out)
        prove_all(clone, out, Path(folder), chosen, with_npm=with_npm)
        if image:
            say("release: list the image's files")
            (out / IMAGE_FILES).write_text(image_files(clone, out, Path(folder, "image")))
    sums = [f"{digest(file)}  {file.name}\n" for file in sorted(out.iterdir())]
    (out / SUMS).write_text("".join(sums))
    say(f"release: {len(sums)} files in {out}")


def build(clone: Path, package: Package, out: Path) -> None:
    """Build a source distribution, and the wheel from it, with the build backends of the lock."""
    environment = {**os.environ, "PYTHONPATH": ""}
    options = ["--quiet", "--offline", "--no-build-isolation", "--python", sys.executable, "--out-dir", str(out)]
    run(str(UV), "build", *options, str(clone / package.folder), folder=clone, env=environment)
    for left_over in out.glob(".gitignore"):
        left_over.unlink()


def pack(source: Path, out: Path) -> None:
    """Pack the npm package, with the compiler of its lock."""
    run("npm", "ci", "--silent", "--ignore-scripts", folder=source)
    run("npm", "pack", "--silent", "--pack-destination", str(out), folder=source)


def prove_all(clone: Path, out: Path, folder: Path, chosen: Sequence[Package], *, with_npm: bool) -> None:
    """Install each package by its README's command, and run its example with a service of the release."""
    served = make_environment(folder / "served", command_of(clone, SERVICE), clone, out)
    with serving(served, folder / "service") as address:
        for package in chosen:
            say(f"release: prove {package.folder}")
            place = folder / "proof" / names(clone / package.folder)
            environment = served
            if package is not SERVICE:
                environment = make_environment(place / "env", command_of(clone, package), clone, out)
            prove(package, environment, clone, place, address)
        if with_npm:
            say(f"release: prove {TYPESCRIPT}")
            prove_typescript(clone, out, folder / "npm", address)


def command_of(clone: Path, package: Package) -> list[str]:
    """Return the installation command in a package's README."""
    readme = (clone / package.folder / "README.md").read_text("utf-8")
    found = COMMAND.search(readme)
    if found is None:
        raise ReleaseError(f"the README of {package.folder} names no command that installs it")
    return found[1].partition("  #")[0].replace('"', "").split()


def make_environment(folder: Path, wanted: Sequence[str], clone: Path, out: Path) -> Path:
    """Install the built packages of a README's folders into an empty environment."""
    run(str(UV), "venv", "--quiet", "--python", sys.executable, str(folder), folder=clone)
    command = [str(UV), "pip", "install", "--quiet", "--python", str(folder), "--index-strategy", "unsafe-best-match"]
    words = [built(word, clone, out) for word in wanted]
    run(*command, *words, folder=clone, env={**os.environ, **uv_settings()})
    return folder


@cache
def uv_settings() -> dict[str, str]:
    """Return uv's variables for the configuration of pip, if uv can express it."""
    return configured(installer(Path(sys.prefix))) or {}


def built(word: str, clone: Path, out: Path) -> str:
    """Return the wheel for a folder of the checkout, with its extras; any other word unchanged."""
    place, bracket, extras = word.partition("[")
    if not place.startswith("."):
        return word
    if place.startswith("../"):
        return str(new_game.write(clone, STRANGER, clone.parent / STRANGER))
    source = (clone / place).resolve()
    for wheel in sorted(out.glob("*.whl")):
        if names(source) == wheel.name.partition("-")[0]:
            return f"{wheel}{bracket}{extras}"
    raise ReleaseError(f"{place} was not built")


def names(source: Path) -> str:
    """Return the name of a package in its wheel."""
    found = re.search(r'^name = "([^"]+)"$', (source / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ReleaseError(f"{source} has no name")
    return found[1].replace("-", "_")


def prove(package: Package, environment: Path, clone: Path, folder: Path, address: str) -> None:
    """Run the example of a package's README in an environment installed as the README describes."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {"PATH": f"{environment / 'bin'}:{os.environ['PATH']}", "HOME": str(folder)}
    if package.folder == "clients/mcp":
        greeting = json.dumps(HELLO) + "\n"
        program = [word.replace(ADDRESS, address) for word in package.program]
        if '"serverInfo"' not in run(*program, folder=folder, env=known, typed=greeting):
            raise ReleaseError("dorfplatz-mcp does not answer")
        return
    readme = (clone / package.folder / "README.md").read_text("utf-8")
    if package.folder == "clients/conformance":
        suite = re.search(r"^pytest (--conformance .+) \.\./", readme, re.MULTILINE)
        if suite is None:
            raise ReleaseError("the README of clients/conformance shows no command")
        run("python", "-m", "pytest", "-q", *suite[1].split(), str(clone.parent / STRANGER), folder=folder, env=known)
        return
    example = next(text for kind, text in BLOCK.findall(readme) if kind == package.kind and "pip install" not in text)
    file = folder / "example"
    file.write_text(example.replace(ADDRESS, address), "utf-8")
    run(*package.program, str(file), address, folder=folder, env=known)


def prove_typescript(clone: Path, out: Path, folder: Path, address: str) -> None:
    """Run the example of the npm package's README in an empty folder with the tarball."""
    folder.mkdir()
    (tarball,) = out.glob("*.tgz")
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), str(tarball), folder=folder)
    readme = (clone / TYPESCRIPT / "README.md").read_text("utf-8")
    example = next(text for kind, text in BLOCK.findall(readme) if kind == "ts")
    (folder / "example.mjs").write_text(re.sub(r"http://localhost:\d+", address, example), "utf-8")
    run("node", "example.mjs", folder=folder)


@contextmanager
def serving(environment: Path, folder: Path) -> Iterator[str]:
    """Yield the address of a service from an environment with the wheels."""
    folder.mkdir()
    port = redis.free_port()
    address = f"http://127.0.0.1:{port}"
    program = Path(redis.server())
    known = {
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "HOME": str(folder),
        "PORT": str(port),
        "DORFPLATZ_VAR": str(folder / "var"),
        "WEB_PROCESSES": "1",
    }
    # Without stored bytecode each of the service's processes would compile the same modules.
    run(str(environment / "bin" / "python"), "-P", "-c", "import service.app, workers.main", folder=folder, env=known)
    command = [str(environment / "bin" / "dorfplatz-service"), "serve"]
    log = folder / "log"
    process = start(command, env=known, cwd=folder, output=log)
    try:
        while not answers(f"{address}/readyz"):
            if process.poll() is not None:
                raise ReleaseError(f"the service of the wheel does not start:\n{log.read_text()}")
        yield address
    finally:
        process.terminate()
        process.wait()


def image_files(clone: Path, out: Path, folder: Path) -> str:
    """Return the digest and the path of each file of the image above its base, with the release's wheels."""
    run("tools/image.sh", str(folder), str(out), folder=clone)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return "".join(f"{digest(path)}  opt/dorfplatz/{path.relative_to(folder)}\n" for path in files)


def digest(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def run(*command: str, folder: Path, env: dict[str, str] | None = None, typed: str = "") -> str:
    """Run a program and return its output; raise ReleaseError with all of it if the program fails."""
    done = subprocess.run(command, cwd=folder, env=env, input=typed, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main(sys.argv[1:])
