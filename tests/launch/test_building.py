"""The kernel's C is compiled on all cores, joined by link-time optimisation, and only where it changed."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

from games.core import building
from games.core.kernel import missing_for_build

needs_compiler = pytest.mark.skipif(missing_for_build() is not None, reason="no C compiler")

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


def test_each_part_is_in_one_unit_and_the_longest_unit_comes_first(tmp_path: Path) -> None:
    units = building.write_units(tmp_path, write_parts(tmp_path))
    held = {unit.stem: [line.split('"')[1] for line in unit.read_text().splitlines()] for unit in units}
    assert sorted(name for names in held.values() for name in names) == sorted(PARTS)
    assert list(held) == ["core", "games", "sheep_dog"]
    assert held["games"] == [name for name in PARTS if "barbarossa" in name]


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
    assert build() == ["games"]
    (tmp_path / "c" / "__native_internal_dorfplatz.h").write_text("changed")
    assert build() == sorted(units)
    assert build(extra_postargs=["-O0"]) == sorted(units)
    (tmp_path / "objects" / "core.o").unlink()
    assert build(extra_postargs=["-O0"]) == ["core"]


def command(**answers: Any) -> building.BuildKernel:
    made = building.BuildKernel(Distribution())
    made.compiler = SimpleNamespace(**answers)
    return made


def test_files_of_one_extension_are_compiled_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [tmp_path / "one.c", tmp_path / "two.c"]
    for source in sources:
        source.touch()
    both = threading.Barrier(2, timeout=60)  # breaks where one file waits for the other

    def compile_file(files: list[str], **_options: Any) -> list[str]:
        both.wait()
        return [f"{files[0]}.o"]

    found = list[str]()

    def build(self: Any) -> None:
        found.extend(self.compiler.compile(list(map(str, sources)), output_dir=str(tmp_path), **OPTIONS))

    monkeypatch.setattr(building, "cores", lambda: 2)
    monkeypatch.setattr(build_ext, "build_extensions", build)
    command(compile=compile_file).build_extensions()
    assert found == [f"{source}.o" for source in sources]


def test_extensions_are_built_on_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "cores", lambda: 3)
    made = building.BuildKernel(Distribution())
    made.ensure_finalized()
    assert made.parallel == 3


def test_an_extension_that_fails_leaves_no_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise CompileError("refused")

    old = tmp_path / "old.so"
    old.touch()
    monkeypatch.setattr(build_ext, "build_extension", refuse)
    monkeypatch.setattr(build_ext, "get_ext_fullpath", lambda *_: str(old))
    with pytest.raises(CompileError, match="refused"):
        command().build_extension(Extension("old", ["old.c"]))
    assert not old.exists()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that makes the extension of all modules, without mypyc."""

    def mypycify(_paths: Any, *, multi_file: bool, target_dir: str, **_options: Any) -> list[Extension]:
        parts = write_parts(Path(target_dir)) if multi_file else [Path(target_dir, "__native_dorfplatz.c")]
        return [Extension("dorfplatz__mypyc", list(map(str, parts)), extra_compile_args=["-O3"])]

    def make(*sanitizers: str) -> Extension:
        return building.extensions(tmp_path, str(tmp_path / "c"), sanitizers)[0]

    monkeypatch.setattr(building, "mypycify", mypycify)
    return make


@needs_compiler
def test_link_time_optimisation_joins_the_units_on_all_cores(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "has_lto", lambda: True)
    monkeypatch.setattr(building, "cores", lambda: 2)
    made = library()
    assert {"-O3", "-flto", "-fvisibility=hidden", *building.FLAGS} <= set(made.extra_compile_args)
    assert {"-O3", "-flto=2", "-fvisibility=hidden", *building.FLAGS} <= set(made.extra_link_args)
    assert len(made.sources) == 3
    assert made.optional


def refuse_lto(folder: Path) -> str:
    """Write a C compiler that has no link-time optimisation and return its name."""
    compiler = folder / "cc"
    compiler.write_text('#!/bin/sh\ncase "$*" in *-flto*) exit 1;; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    return str(compiler)


@needs_compiler
def test_a_compiler_without_link_time_optimisation_gets_one_file(
    library: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", refuse_lto(tmp_path))
    made = library()
    assert [Path(source).name for source in made.sources] == ["__native_dorfplatz.c"]
    assert not any("lto" in flag for flag in (*made.extra_compile_args, *made.extra_link_args))


@needs_compiler
def test_sanitizers_take_units_without_link_time_optimisation(library: Any) -> None:
    made = library("-fsanitize=address")
    assert len(made.sources) == 3
    assert made.extra_compile_args[-2:] == ["-O1", "-fsanitize=address"]
    assert made.extra_link_args == ["-fsanitize=address"]


def test_without_a_compiler_there_is_no_link_time_optimisation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", os.devnull)
    assert not building.has_lto()
