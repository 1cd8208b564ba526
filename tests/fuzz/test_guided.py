"""Output of a guided run of the fuzzer."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.fuzz import __main__ as fuzz


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a run, which needs neither a Redis nor atheris."""
    monkeypatch.setattr("tempfile.mkdtemp", Mock(return_value=str(tmp_path)))
    monkeypatch.setattr(fuzz, "launch", Mock())
    monkeypatch.setattr(fuzz, "find_spec", Mock())
    return tmp_path / "findings"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({}, []),
        ({"6f.txt": "games/a.py:7\nKeyError", "6f.json": "{}"}, ["games/a.py:7"]),
        ({"timeout-6f": "{}"}, ["an input in timeout-6f"]),
    ],
)
def test_a_run_that_found_anything_leaves_with_one(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    written: dict[str, str],
    told: list[str],
) -> None:
    def run(_command: object, **_: object) -> int:
        for name, text in written.items():
            (folder / name).write_text(text, "utf-8")
        return 0  # as libFuzzer does when its time is over, whatever it met

    monkeypatch.setattr(fuzz, "run", run)
    assert fuzz.guided(1, 7) == int(bool(told))
    said = capsys.readouterr().out
    assert all(line in said for line in [*told, f"{len(told)} findings"])


@pytest.mark.usefixtures("folder")
def test_a_broken_run_reports_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "run", Mock(return_value=77))
    assert fuzz.guided(1, 7) == 77
