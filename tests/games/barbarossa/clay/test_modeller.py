"""The modeller: as explicit as wanted, always within the limits, the same for the same dice."""

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.barbarossa.clay.check import fault, share
from games.barbarossa.clay.form import Part
from games.barbarossa.clay.modeller import MIN_LUMPS, modelled, salient_parts
from games.barbarossa.clay.recipes.book import recipes
from games.barbarossa.clay.settle import canonical, read
from games.barbarossa.clay.stand import balanced, span, touching
from games.barbarossa.terms.catalogue import TERM_NUMBERS
from games.core.dice import FastDice, RecordingDice, ScriptedDice

PURPOSE = 3


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(TERM_NUMBERS)),
    st.floats(0, 1),
    st.sampled_from([2, 3]),
    st.integers(0, 2**31),
)
def test_whatever_is_modelled_is_valid(term: str, explicitness: float, riddles: int, seed: int) -> None:
    clay = modelled(recipes()[term], explicitness, share(riddles), FastDice(seed), PURPOSE)
    assert fault(clay, share(riddles)) is None
    assert read(canonical(clay), share(riddles)) == clay


@pytest.mark.parametrize("term", ["f15", "j9", "a1"])
def test_full_explicitness_gives_the_recipe_itself(term: str) -> None:
    clay = modelled(recipes()[term], 1.0, share(3), FastDice(1), PURPOSE)
    assert [(part.shape, part.rotation) for part in clay.parts] == [
        (part.shape, part.rotation) for part in recipes()[term].clay.parts
    ]


def test_more_explicitness_keeps_more_lumps_and_no_more_salience_than_it() -> None:
    for recipe in recipes().values():
        counts = [len(salient_parts(recipe, step / 20)) for step in range(21)]
        assert counts == sorted(counts)
        assert counts[0] == MIN_LUMPS
        assert counts[-1] == len(recipe.clay.parts)
        assert counts[12] == MIN_LUMPS or sum(recipe.salience[: counts[12]]) <= 0.6 + 1e-9


def test_the_vaguer_the_more_sculptures_of_one_term_differ() -> None:
    def sizes(explicitness: float) -> float:
        counts = [
            len(modelled(recipes()["k1"], explicitness, share(3), FastDice(seed), PURPOSE).parts) for seed in range(30)
        ]
        return fmean(abs(count - fmean(counts)) for count in counts)

    assert sizes(1.0) == 0 < sizes(0.3)


def test_a_sculpture_replays_from_its_outcomes() -> None:
    recording = RecordingDice(FastDice(9))
    clay = modelled(recipes()["d10"], 0.4, share(2), recording, PURPOSE)
    assert {what for what, _ in recording.outcomes} == {PURPOSE}
    assert modelled(recipes()["d10"], 0.4, share(2), ScriptedDice(recording.outcomes, None), PURPOSE) == clay


def floating(parts: tuple[Part, ...]) -> bool:
    """Return whether a lump touches neither the ground nor a lump that rests on it, directly or not."""
    boxes = [span(part) for part in parts]
    resting = [box for box in boxes if box[0][2] <= 0.03]
    for box in resting:
        resting += [other for other in boxes if other not in resting and touching(box, other)]
    return any(box not in resting for box in boxes)


@pytest.mark.rule("BR-D53")
@pytest.mark.parametrize("explicitness", [0.25, 0.5, 0.75])
def test_the_rest_of_a_recipe_stands_on_something(explicitness: float) -> None:
    made = [
        modelled(recipe, explicitness, share(3), FastDice(number), PURPOSE).parts
        for number, recipe in enumerate(recipes().values())
    ]
    assert fmean(map(floating, made)) < 0.005
    assert fmean(not balanced(parts) for parts in made) < 0.005
