"""A kernel out of a folder of wheels is used where it fits the checkout; any other is named and not used."""

import os
import shutil
import sysconfig
import zipfile
from pathlib import Path

import pytest

from games.core.kernel import BUILT_FROM, hot_modules, wheel_fingerprint
from tools import build

SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))
LIBRARY = f"dorfplatz__mypyc{SUFFIX}"


@pytest.fixture
def root(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "root"
    shutil.copytree(checkout / "games" / "core", root / "games" / "core", ignore=shutil.ignore_patterns("*.so"))
    shutil.copy(checkout / "games" / "__init__.py", root / "games" / "__init__.py")
    (root / "wheels").mkdir()
    monkeypatch.setenv(build.WHEEL_FOLDER, os.fspath(root / "wheels"))
    monkeypatch.setattr(build, "packaged", lambda _target: {})
    monkeypatch.setattr(build, "missing_for_build", lambda: "there is no C compiler")
    return root


def write_wheel(root: Path, *, without: str = "", fingerprint: str | None = None, text: bytes = b"compiled") -> Path:
    wheel = root / "wheels" / f"dorfplatz_games-1.0.0-{len(os.listdir(root / 'wheels'))}-any.whl"  # noqa: PTH208
    names = [str(Path(name).with_suffix(SUFFIX)) for name in hot_modules(root)]
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in (*names, LIBRARY, "games/core/svg.py", f"../outside{SUFFIX}"):
            if name != without:
                archive.writestr(name, text)
        archive.writestr(str(BUILT_FROM), fingerprint or wheel_fingerprint(root))
    return wheel


def libraries(root: Path) -> dict[str, bytes]:
    place = root / "build" / "compiled"
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*.so")}


def test_a_wheel_that_fits_is_the_kernel_without_compiling(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = write_wheel(root)
    target = build.build(root)
    expected = {str(Path(name).with_suffix(SUFFIX)) for name in hot_modules(root)} | {LIBRARY}
    assert libraries(root) == dict.fromkeys(expected, b"compiled")
    assert (target / "games/core/svg.py").read_bytes() == (root / "games/core/svg.py").read_bytes()
    assert f"kernel of {wheel.name}" in capsys.readouterr().out
    wheel.unlink()
    build.build(root)  # nothing has changed, so no wheel is needed
    assert not list(root.parent.glob("outside*"))


@pytest.mark.parametrize("name", ["games/core/bits.py", "games/core/building.py"])
def test_a_wheel_of_other_sources_is_not_used(name: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = write_wheel(root)
    build.build(root)
    with (root / name).open("a") as file:
        file.write("# changed\n")
    with pytest.raises(build.NotBuiltError, match="there is no C compiler"):
        build.build(root)
    assert f"{wheel.name} is not used: its kernel is of other sources, another Python" in capsys.readouterr().out


def test_games_of_packages_take_no_wheel(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_wheel(root)
    package = tmp_path / "dorfplatz_strange"
    package.mkdir()
    for name in ("__init__.py", "table.py"):
        (package / name).write_text("")
    monkeypatch.setattr(build, "packaged", lambda _target: {package.name: package})
    with pytest.raises(build.NotBuiltError, match="there is no C compiler"):
        build.build(root)
    assert not libraries(root)
