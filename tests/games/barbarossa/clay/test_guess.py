"""A guesser's view of clay: features that describe, and evidence that leads to the term."""

from math import exp, log, log2
from statistics import fmean

import msgspec
import pytest

from games.barbarossa.clay.check import share
from games.barbarossa.clay.features import FEATURES, features
from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.clay.guess import evidence, likelihoods
from games.barbarossa.clay.learn import SEED, fingerprint, learned
from games.barbarossa.clay.modeller import modelled
from games.barbarossa.clay.recipes.book import recipes
from games.core.dice import CHOICE, FastDice

EVERY = 9
"""Every ninth term is tried."""


def features_by_name(*parts: tuple[str, tuple[float, float, float], tuple[float, float, float]]) -> dict[str, float]:
    """Return the features of lumps by name: shape, middle, size."""
    clay = msgspec.convert({"parts": [{"s": s, "p": p, "z": z} for s, p, z in parts], "format": "clay/1"}, Clay)
    return dict(zip(FEATURES, features(clay), strict=True))


def test_there_are_sixteen_features() -> None:
    assert len(FEATURES) == len(set(FEATURES)) == 16
    assert all(len(means) == len(deviations) == 16 for means, deviations in evidence().terms.values())
    assert evidence().features == FEATURES


def test_a_stick_is_long_and_a_disc_is_flat() -> None:
    stick = features_by_name(("capsule", (0, 0, 0.4), (0.1, 0.1, 0.8)))
    disc = features_by_name(("slab", (0, 0, 0.05), (0.8, 0.8, 0.1)))
    ball = features_by_name(("ball", (0, 0, 0.3), (0.6, 0.6, 0.6)))
    assert stick["elongation"] == pytest.approx(log(8), abs=0.01)
    assert disc["flatness"] == pytest.approx(log(8), abs=0.01)
    assert ball["elongation"] == ball["flatness"] == pytest.approx(0)
    assert stick["tallness"] == -disc["tallness"] == pytest.approx(log(8))


def test_shapes_are_counted() -> None:
    lumps = features_by_name(
        *((shape, (0.0, 0.0, 0.1), (0.2, 0.2, 0.2)) for shape in ("torus", "torus", "cone", "egg", "block"))
    )
    assert lumps["parts"] == log(5)
    assert lumps["rings"] == pytest.approx(log(3))
    assert lumps["points"] == pytest.approx(log(2.5))
    assert lumps["boxes"] == lumps["rounds"] == pytest.approx(log(2))
    assert lumps["sticks"] == lumps["discs"] == lumps["arches"] == 0


def test_a_table_has_four_feet_and_is_alike_on_both_sides() -> None:
    legs = [("capsule", (x, y, 0.2), (0.06, 0.06, 0.4)) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    table = features_by_name(("block", (0.0, 0.0, 0.42), (0.8, 0.5, 0.06)), *legs)
    assert table["feet"] == pytest.approx(log(5))
    assert table["branches"] == pytest.approx(log(5))
    assert table["symmetry"] == 1
    assert features_by_name(("block", (0.3, 0.2, 0.1), (0.2, 0.2, 0.2)))["symmetry"] == 0


def test_the_table_comes_from_the_recipes_as_they_are() -> None:
    assert evidence().recipes == fingerprint(recipes()), "python3 dev.py run games.barbarossa.clay.learn writes it"
    for index, (term, recipe) in enumerate(recipes().items()):
        if index % 90 == 0:
            means, deviations = learned(recipe, SEED + index)
            assert (tuple(means), tuple(deviations)) == evidence().terms[term]


def test_ink_tells_nothing() -> None:
    assert set(likelihoods(Strokes(strokes=(((0, 0),),))).values()) == {0.0}


@pytest.mark.parametrize(
    ("explicitness", "rank", "bits"),
    [(0.2, 70, (4.0, 6.5)), (0.5, 25, (3.5, 6.0)), (0.8, 8, (2.5, 4.5)), (1.0, 8, (1.5, 4.0))],
)
def test_fresh_sculptures_lead_towards_their_term(explicitness: float, rank: float, bits: tuple[float, float]) -> None:
    dice = FastDice(20260711)
    ranks, left = [], []
    for index, (term, recipe) in enumerate(recipes().items()):
        if index % EVERY:
            continue
        fits = likelihoods(modelled(recipe, explicitness, share(3), dice, CHOICE))
        ranks.append(1 + sum(other > fits[term] for other in fits.values()))
        best = max(fits.values())
        weights = [exp(fit - best) for fit in fits.values()]
        whole = sum(weights)
        left.append(-sum(weight / whole * log2(weight / whole) for weight in weights if weight > 0))
    assert fmean(ranks) < rank  # of 360, where chance is 180
    assert bits[0] < fmean(left) < bits[1]  # of 8.5
