"""Puzzles in their file: only those of the running ruleset are read, and equal puzzles give equal bytes."""

from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from games.core.puzzles import WIDENING, Choice, Puzzle, puzzle_id, puzzle_of_day, read_puzzles, write_puzzles

CHOICES = [Choice(3, (0.5, 0.7), (0.02, 0.04)), Choice(4, (0.25, 0.35), (0.03, 0.01))]
PUZZLE = Puzzle(
    id="0123456789", ruleset="now/2", seed="owls", seats=2, made=[8, 17], seat=1, choices=CHOICES,
    solved={"easy": 0.25}, difficulty=3, themes=["opening"],
)  # fmt: skip


def test_puzzles_of_other_rulesets_are_left_out(tmp_path: Path) -> None:
    later = msgspec.structs.replace(PUZZLE, id="9876543210")
    others = [msgspec.structs.replace(PUZZLE, ruleset=name) for name in ("now/1", "now/3", "now", "")]
    assert read_puzzles(tmp_path / "puzzles", "now/2") == []
    write_puzzles(tmp_path / "puzzles", [others[0], PUZZLE, *others[1:], later])
    assert read_puzzles(tmp_path / "puzzles", "now/2") == [PUZZLE, later]
    assert read_puzzles(tmp_path / "puzzles", "now/4") == []


def test_equal_puzzles_give_equal_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_puzzles(tmp_path / "one", [PUZZLE])
    monkeypatch.setattr("time.time", lambda: 1e9)
    write_puzzles(tmp_path / "two", [PUZZLE])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_value_of_a_choice_is_the_mean_of_both_searches_with_the_wider_interval() -> None:
    assert [choice.move for choice in CHOICES] == [3, 4]
    assert [choice.mean for choice in CHOICES] == pytest.approx([0.6, 0.3])
    assert [choice.margin() for choice in CHOICES] == pytest.approx([0.04 / WIDENING, 0.03 / WIDENING])
    assert PUZZLE.solution == 3


def test_each_day_has_the_next_puzzle() -> None:
    puzzles = [msgspec.structs.replace(PUZZLE, seat=seat) for seat in range(3)]
    assert [puzzle_of_day(puzzles, day).seat for day in range(-1, 5)] == [2, 0, 1, 2, 0, 1]


def test_the_id_of_a_position_is_the_digest_of_its_place() -> None:
    assert puzzle_id("owls", 12, 3) == sha256(b"owls\x1f12\x1f3").hexdigest()[:10]
