"""Sculptures for tests: any that are valid, and texts of them in any spelling."""

from typing import Any

from hypothesis import strategies as st

from games.barbarossa.clay.form import SHAPES

Json = dict[str, Any]


def on_grid(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda number: number / 100)


def parts() -> st.SearchStrategy[Json]:
    """Return small lumps in the middle of the cube, which fit in wherever they turn."""
    return st.fixed_dictionaries(
        {
            "s": st.sampled_from(SHAPES),
            "p": st.tuples(on_grid(-30, 30), on_grid(-30, 30), on_grid(20, 80)).map(list),
            "z": st.tuples(*[on_grid(2, 10)] * 3).map(list),
        },
        optional={"r": st.tuples(*[st.integers(-72, 72).map(lambda step: 5 * step)] * 3).map(list)},
    )


def clays() -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({"format": st.just("clay/1"), "parts": st.lists(parts(), min_size=1, max_size=12)})


def inks() -> st.SearchStrategy[Json]:
    point = st.tuples(st.integers(0, 1023), st.integers(0, 1023)).map(list)
    strokes = st.lists(st.lists(point, min_size=1, max_size=20), min_size=1, max_size=8)
    return st.fixed_dictionaries({"format": st.just("strokes/1"), "strokes": strokes})
