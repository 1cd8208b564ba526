"""Learning a net: games kept and taken up, equal nets from equal numbers, and what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from bench import learn
from bench.learn import Learning, levels
from bench.strength import learn as command
from games.core.bits import first
from games.core.kernel import kernel
from games.core.nets import FILE
from games.core.registry import registered

CLUB = registered()["gartenzwerge"]
CLUB_QUANTITIES = learn.LEARNT["gartenzwerge"].quantities
compiled = pytest.mark.skipif(kernel() == "plain", reason="learning wants the compiled kernel")


@pytest.fixture(autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(learn, "EPOCHS", 1)
    monkeypatch.setattr(learn, "ROOT", tmp_path)
    (tmp_path / "games" / "gartenzwerge").mkdir(parents=True)


def learned(generations: int) -> Learning:
    work = Learning(CLUB, {3: 3}, 1, [])
    for _ in range(generations):
        work.step()
    return work


@compiled
def test_equal_numbers_give_equal_nets_and_games_are_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    once = learned(2).net
    assert once is not None
    files = sorted(learn.KEPT.iterdir())
    assert len(files) == 2
    whole = files[0].read_bytes()
    files[0].write_bytes(whole[:-40])
    assert learned(2).net == once
    assert files[0].read_bytes() == whole
    monkeypatch.setattr(learn, "play", None)
    assert learned(2).net == once


@compiled
def test_the_net_in_integers_says_what_the_learner_says() -> None:
    work = learned(1)
    assert work.net is not None
    seats, group = work.found[0]
    learner = learn.fit([group], 1)
    learner.weights["second"][:] = np.linspace(-1, 1, len(learner.weights["second"]))
    net = learner.written(CLUB_QUANTITIES, [3], {})
    corrected = CLUB.corrected(net)
    played = next(learn.games_of(next(learn.KEPT.iterdir())))
    table, draws = learn.opened(CLUB, seats, played.number)
    for code in played.moves[:60]:
        draws.seat = first(table.actors())
        table.apply(draws.seat, code, draws, None)
    facts = learn.facts_told(learn.LEARNT[CLUB.slug].told(table), seats, levels(CLUB_QUANTITIES))
    today = np.array([list(CLUB.worths["tuned"].estimate(table))], np.float32)
    some = learn.Positions(
        facts[None, :-1, : learn.LEARNT[CLUB.slug].members],
        facts[None, -1],
        today,
        today,
        np.zeros((1, 3), np.float32),
        np.zeros(1, int),
    )
    told = list(corrected.estimate(table))
    assert told != pytest.approx(list(some.chances[0]), abs=0.02)
    assert told == pytest.approx(list(learner.chances(some)[0]), abs=0.02)


@compiled
@pytest.mark.parametrize("low", [0.3, 0.4])
def test_a_net_is_written_where_it_beats_tuned_and_not_otherwise(
    low: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(self: Learning, _: int) -> Any:
        self.told_matches.append("so it went")
        yield low, 1 / 3, "so it went"

    monkeypatch.setattr(Learning, "matches", played)
    options = ["--game", "gartenzwerge", "--seats", "3:2", "--generations", "1"]
    result = CliRunner().invoke(command, options, catch_exceptions=False)
    path = tmp_path / "games" / "gartenzwerge" / FILE
    assert ("nothing is written" in result.output) == (low < 1 / 3) == (not path.exists())
    if path.exists():
        card = msgspec.json.decode(path.read_bytes())["card"]
        assert card["made"].endswith("--game gartenzwerge --seats 3:2 --generations 1 --seed 1")
        assert card["one ply ahead"] == "so it went"
