"""Learning a net: stored and continued games, equal nets from equal numbers, and the output."""

from pathlib import Path

import numpy as np
import pytest

from bench import learn
from bench.learn import Learning, levels
from games.core.bits import first
from games.core.kernel import kernel
from games.core.registry import registered

CLUB = registered()["gartenzwerge"]
CLUB_QUANTITIES = learn.LEARNT["gartenzwerge"].quantities
compiled = pytest.mark.skipif(kernel() == "plain", reason="learning wants the compiled kernel")


@pytest.fixture(autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "RESULTS", tmp_path / "kept")
    monkeypatch.setattr(learn, "EPOCHS", 1)
    monkeypatch.setattr(learn, "ROOT", tmp_path)
    (tmp_path / "games" / "gartenzwerge").mkdir(parents=True)


def learned(generations: int) -> Learning:
    work = Learning(CLUB, {3: 3}, 1, [])
    for _ in range(generations):
        work.step()
    return work


@compiled
def test_the_net_in_integers_says_what_the_learner_says() -> None:
    work = learned(1)
    assert work.net is not None
    seats, group = work.found[0]
    learner = learn.fit([group], 1)
    learner.weights["second"][:] = np.linspace(-1, 1, len(learner.weights["second"]))
    net = learner.written(CLUB_QUANTITIES, [3], {})
    corrected = CLUB.corrected(net)
    played = next(learn.games_of(next(learn.RESULTS.iterdir())))
    table, draws = learn.open_game(CLUB, seats, played.number)
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
