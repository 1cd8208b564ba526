"""The kernel's C is compiled on all cores, joined by link-time optimisation, and only where it changed."""

import os
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CompileError, LinkError

from games.core import building
from games.core.kernel import BUILT_FROM

OPTIONS = {"macros": [], "include_dirs": [], "extra_postargs": ["-O3"]}

PARTS = {
    "__native_games___core___bits.c": 10,
    "__native_games___search___tree.c": 10,
    "__native_games___hoher_rat___table___council.c": 10,
    "__native_games___barbarossa___table___hall.c": 20,
    "__native_games___barbarossa___worth.c": 20,
    "__native_sheep_dog___table.c": 10,
    "__native_dorfplatz.c": 10,
    "int_ops.c": 10,
    "vecs/librt_vecs_api.c": 10,
}


def write_parts(target: Path) -> list[Path]:
    (target / "vecs").mkdir(parents=True)
    for name, size in PARTS.items():
        (target / name).write_text("/" * size)
    return [target / name for name in PARTS]


def test_a_unit_is_compiled_again_only_after_a_change_in_what_it_includes(tmp_path: Path) -> None:
    units = {unit.stem: str(unit) for unit in building.write_units(tmp_path / "c", write_parts(tmp_path / "c"))}
    compiled = list[str]()

    def compile_file(sources: list[str], **_options: Any) -> list[str]:
        made = tmp_path / "objects" / f"{Path(sources[0]).stem}.o"
        made.parent.mkdir(exist_ok=True)
        made.touch()
        compiled.extend(sources)
        return [str(made)]

    def build(**changed: Any) -> list[str]:
        compiled.clear()
        options = OPTIONS | {"output_dir": str(tmp_path / "objects")} | changed
        for unit in units.values():
            building.compiled(compile_file, unit, options)
        return sorted(Path(name).stem for name in compiled)

    assert build() == sorted(units)
    assert build() == []
    (tmp_path / "c" / "__native_games___barbarossa___worth.c").write_text("changed")
    assert build() == ["barbarossa"]
    (tmp_path / "c" / "__native_internal_dorfplatz.h").write_text("changed")
    assert build() == sorted(units)
    assert build(extra_postargs=["-O0"]) == sorted(units)
    (tmp_path / "objects" / "core.o").unlink()
    assert build(extra_postargs=["-O0"]) == ["core"]


def command(**answers: Any) -> building.BuildKernel:
    made = building.BuildKernel(Distribution())
    made.compiler = SimpleNamespace(**answers)
    return made


@pytest.mark.parametrize("error", [BaseError, CompileError, LinkError])
def test_an_extension_that_fails_leaves_no_older_one(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise error("refused")

    old = tmp_path / "old.so"
    old.touch()
    monkeypatch.setattr(build_ext, "build_extension", refuse)
    monkeypatch.setattr(build_ext, "get_ext_fullpath", lambda *_: str(old))
    for _ in range(2):
        with pytest.raises(error, match="refused"):
            command().build_extension(Extension("old", ["old.c"]))
        assert not old.exists()


def test_units_are_written_longest_first_and_unchanged_ones_stay(tmp_path: Path) -> None:
    parts = write_parts(tmp_path)
    units = building.write_units(tmp_path, parts)
    included = {unit.stem: [row.split('"')[1] for row in unit.read_text().splitlines()] for unit in units}
    assert included == {
        "core": [name for name in PARTS if "barbarossa" not in name and "sheep_dog" not in name],
        "barbarossa": [name for name in PARTS if "barbarossa" in name],
        "sheep_dog": ["__native_sheep_dog___table.c"],
    }
    assert [unit.stem for unit in units] == ["core", "barbarossa", "sheep_dog"]
    for unit in units:
        os.utime(unit, (1, 1))
    parts[2].write_text("/" * 50)
    again = building.write_units(tmp_path, [*parts[:3], *parts[4:]])
    assert [unit.stem for unit in again] == ["core", "barbarossa", "sheep_dog"]
    assert [unit.stem for unit in again if unit.stat().st_mtime != 1] == ["barbarossa"]


@pytest.mark.parametrize(("outcome", "links"), [(0, True), (1, False), (-9, False), (OSError("no compiler"), False)])
def test_link_time_optimisation_needs_a_compiler_that_succeeds(
    outcome: int | OSError, monkeypatch: pytest.MonkeyPatch, *, links: bool
) -> None:
    commands = list[list[str]]()

    def run(command: list[str], **_: Any) -> Any:
        commands.append(command)
        if isinstance(outcome, OSError):
            raise outcome
        return SimpleNamespace(returncode=outcome)

    monkeypatch.setattr(subprocess, "run", run)
    assert building.has_lto() is links
    assert [{"-shared", *building.link_flags()} - {*command} for command in commands] == [set()]


@pytest.mark.parametrize(
    ("links", "sanitizers", "joined"), [(True, (), True), (False, (), False), (True, ("-fsanitize=undefined",), False)]
)
def test_only_the_library_is_joined_where_the_compiler_can_and_nothing_is_sanitized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, links: bool, sanitizers: tuple[str, ...], joined: bool
) -> None:
    made = [Extension(name, []) for name in (f"{building.GROUP}__mypyc", "games.core.bits")]
    monkeypatch.setattr(building, "mypycify", lambda *_, **_options: made)
    monkeypatch.setattr(building, "has_lto", lambda: links)
    monkeypatch.setenv("MYPY_CACHE_DIR", "")  # restored after the test
    library, module = building.extensions(tmp_path, str(tmp_path), sanitizers)
    assert ("-flto" in library.extra_compile_args) is joined
    assert ({*building.link_flags()} <= {*library.extra_link_args}) is joined
    assert "-flto" not in module.extra_compile_args
    assert all(extension.optional for extension in (library, module))


@pytest.mark.parametrize(("group", "leads"), [(70, True), (69, False), (71, False)])
def test_only_the_leader_of_a_group_ends_it_on_sigterm(
    group: int, monkeypatch: pytest.MonkeyPatch, *, leads: bool
) -> None:
    handlers, killed = dict[int, Any](), list[tuple[int, int]]()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpgrp", lambda: group)
        patch.setattr(os, "getpid", lambda: 70)
        patch.setattr(os, "killpg", lambda *called: killed.append(called))
        patch.setattr(signal, "signal", handlers.__setitem__)
        building.end_group_on_sigterm()
        for number, handler in handlers.items():
            handler(number, None)
    assert [*handlers] == [signal.SIGTERM] * leads
    assert killed == [(0, signal.SIGKILL)] * leads


def test_files_and_extensions_are_compiled_on_all_cores_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)
    sources = [str(tmp_path / name) for name in "abc"]
    made = command(compile=lambda files, **_options: [f"{files[0]}.o"])
    made.finalize_options()
    assert made.parallel == building.cores()
    named = command()
    named.parallel = 3
    named.finalize_options()
    assert named.parallel == 3
    objects = list[str]()
    options = {**OPTIONS, "output_dir": str(tmp_path / "objects")}
    monkeypatch.setattr(
        build_ext, "build_extensions", lambda self: objects.extend(self.compiler.compile(sources, **options))
    )
    made.build_extensions()
    assert objects == [f"{source}.o" for source in sources]


@pytest.mark.parametrize("inplace", [False, True])
def test_a_build_writes_the_fingerprint_beside_the_extensions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, inplace: bool
) -> None:
    monkeypatch.setattr(build_ext, "run", lambda _: None)
    monkeypatch.setattr(building, "wheel_fingerprint", lambda _: "print")
    made = command()
    made.build_lib, made.inplace = str(tmp_path), inplace
    made.run()
    assert [path.read_text() for path in tmp_path.rglob("*.txt")] == ["print"] * (not inplace)
    assert inplace or (tmp_path / BUILT_FROM).exists()
