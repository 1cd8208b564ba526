"""The kernel's C is compiled on all cores, joined by link-time optimisation, and only where it changed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

from games.core import building

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
