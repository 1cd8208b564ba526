"""A vector of tables shows at every step what single tables of the same seeds show."""

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from dorfplatz_games.learners import learner
from dorfplatz_games.learners.layout import shown as shown_row
from dorfplatz_games.learners.opponents import Bots, at_random
from dorfplatz_games.vector import LEAVE, Vector
from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import first
from games.core.dice import FastDice
from games.core.registry import registered

CASES: Final = [(slug, seats) for slug, game in registered().items() for seats in game.seat_numbers]
every_case = pytest.mark.parametrize(("slug", "seats"), CASES)
TABLES: Final = 3
STEPS: Final = 60
LOOK_STEP: Final = 5
"""Steps between two comparisons of observations with those of observers that know nothing of the step before."""

MAX_STEPS: Final = 5_000
AFTER_END: Final = 10
"""Steps that are compared whole after the end of a game."""


class Single:
    """One table whose games come from a seed, played by the rules, fresh observers and fresh masks alone."""

    def __init__(self, slug: str, seats: int, seed: int) -> None:
        self.learner = learner(slug, seats)
        self.random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        self.rewards = [0.0] * seats
        self.ended = False
        self.begin()

    def begin(self) -> None:
        game = self.learner.game
        self.dice = FastDice(int(self.random.integers(2**61)))
        self.table = game.new(self.learner.seats, game.options_type(), self.dice)
        self.begun: list[int] = []

    @property
    def asked(self) -> int:
        return self.learner.game.actors(self.table)[0]

    def choices(self) -> dict[int, int]:
        mask = self.learner.actions.mask()
        return mask.choices(self.table, self.asked, self.begun)

    def observe(self, seat: int) -> Any:
        fresh = self.learner.layout.observer()
        fresh.look(self.table, seat, vec[i64](self.begun if seat == self.asked else []))
        return shown_row(fresh.bits, np.uint8)

    def step(self, action: int) -> None:
        self.rewards, self.ended = [0.0] * self.learner.seats, False
        code = self.choices()[action]
        if code < 0:
            self.begun.append(action)
            return
        self.table.apply(self.asked, code, self.dice, None)
        self.begun = []
        if not self.learner.game.actors(self.table):
            self.rewards, self.ended = self.learner.rewards(self.table), True
            self.begin()


def compare(vector: Vector, singles: list[Single], *, whole: bool) -> None:
    for index, single in enumerate(singles):
        assert vector.asked[index] == single.asked
        assert set(np.flatnonzero(vector.masks[index])) == set(single.choices())
        assert vector.ended[index] == single.ended
        assert vector.rewards[index].tolist() == pytest.approx(single.rewards)
        if whole:
            seen = vector.observations[index]
            views = seen if vector.every_seat else [seen]
            for seat, view in enumerate(views):
                assert np.array_equal(view, single.observe(seat if vector.every_seat else single.asked))


@pytest.mark.parametrize("every_seat", [False, True])
@every_case
def test_a_vector_shows_what_single_tables_show_until_games_end_and_begin(
    slug: str, seats: int, *, every_seat: bool
) -> None:
    vector = Vector(slug, seats, TABLES, seed=21, every_seat=every_seat)
    singles = [Single(slug, seats, 21 + index) for index in range(TABLES)]
    draw, ended, steps = random.Random(5), 0, 0
    while steps < STEPS or ended < AFTER_END:
        compare(vector, singles, whole=steps % LOOK_STEP == 0 or ended > 0)
        actions = [draw.choice(sorted(single.choices())) for single in singles]
        left = draw.randrange(TABLES * 2)
        for index, single in enumerate(singles):
            if index == left:
                actions[index] = LEAVE
                single.rewards, single.ended = [0.0] * seats, False
            else:
                single.step(actions[index])
        vector.step(actions)
        ended += ended > 0 or any(single.ended for single in singles)
        steps += 1
        assert steps < MAX_STEPS, "a game ends"


@pytest.mark.parametrize("made", [copy.deepcopy, lambda vector: pickle.loads(pickle.dumps(vector))])
@every_case
def test_a_copy_goes_on_alike_and_apart(slug: str, seats: int, made: Callable[[Vector], Vector]) -> None:
    vector = Vector(slug, seats, TABLES, seed=4)
    for number in range(40):
        if number in (0, 1, 3, 39):
            same, still = made(vector), made(vector)
            for _ in range(5):
                for each in (vector, same):
                    each.step(each.sample())
                assert shown(vector) == shown(same)
            assert shown(still) == shown(made(still)) != shown(vector)
        vector.step(vector.sample())


def shown(vector: Vector) -> list[bytes]:
    arrays = (vector.observations, vector.masks, vector.asked, vector.ended, vector.rewards)
    return [array.tobytes() for array in arrays]


def test_a_copy_keeps_the_rewards_of_the_last_step() -> None:
    vector = Vector("gartenzwerge", 2, TABLES, seed=4)
    while not vector.ended.any():
        vector.step(vector.sample())
    same = copy.deepcopy(vector)
    assert same.rewards.any()
    for _ in range(2):
        assert shown(vector) == shown(same)
        for each in (vector, same):
            each.step(each.sample())


@pytest.mark.parametrize("actions", [[0], [[0, 0]], [0.0, 0.0], ["0", "0"], [None, 0], [True, False]])
def test_anything_but_an_integer_for_each_table_is_refused(actions: Any) -> None:
    with pytest.raises(ValueError, match="no integer for each of 2 tables"):
        Vector("wichtel", 3, 2, seed=1).step(actions)


@every_case
def test_an_illegal_action_changes_no_table(slug: str, seats: int) -> None:
    vector = Vector(slug, seats, 2, seed=8)
    for _ in range(12):
        vector.step(vector.sample())
    before = shown(vector)
    legal = vector.sample().tolist()
    size = vector.masks.shape[1]
    for refused in (int(np.flatnonzero(vector.masks[1] == 0)[0]), -2, size, 2**31, 2**63 - 1, -(2**63)):
        with pytest.raises(ValueError, match=f"of table 1 may not take the action {refused} now"):
            vector.step([legal[0], refused])
        assert shown(vector) == before


def test_a_number_above_all_integers_of_the_kernel_is_refused() -> None:
    vector = Vector("wichtel", 3, 2, seed=8)
    with pytest.raises(ValueError, match="of table 0 may not take the action"):
        vector.step(np.array([2**64 - 1, 2**64 - 1], np.uint64))
    vector.step(vector.sample().astype(np.uint64))


def test_equal_seeds_make_equal_games_and_tables_are_apart() -> None:
    vectors = [Vector("hoher-rat", 2, 4, seed=seed) for seed in (3, 3, 5)]
    for vector in vectors:
        for _ in range(200):
            vector.step(vector.sample())
    same, other, later = map(shown, vectors)
    assert same == other != later
    assert len({row.tobytes() for row in vectors[0].observations}) > 1
    vectors[0].reset(5)
    vectors[2].reset(5)
    assert shown(vectors[0]) == shown(vectors[2])
    assert not vectors[0].ended.any()
    vectors[0].reset()
    assert shown(vectors[0]) != shown(vectors[2])
    assert shown(Vector("hoher-rat", 2, 4)) != shown(Vector("hoher-rat", 2, 4))


def test_arrays_stay_where_they_are_and_are_read_only() -> None:
    vector = Vector("wichtel", 4, 2, seed=1)
    observations, before = vector.observations, vector.observations.copy()
    vector.step(vector.sample())
    vector.reset()
    assert vector.observations is observations
    assert not np.array_equal(observations, before)
    for array in (observations, vector.masks, vector.asked, vector.ended, vector.rewards):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_there_is_at_least_one_table() -> None:
    with pytest.raises(ValueError, match="0 is no number of tables"):
        Vector("wichtel", 3, 0)


@every_case
def test_two_worlds_that_the_asked_seat_cannot_tell_apart_give_it_the_same(slug: str, seats: int) -> None:
    """Replace each table by worlds that fit the asked seat's knowledge; its observation stays the same.

    Worlds are left out if another seat decides first, because it holds nothing back there (BR-D17).
    """
    vector, dice = Vector(slug, seats, 2, seed=9), FastDice(2)
    same = 0
    for number in range(90):
        vector.step(vector.sample())
        if number % 9:
            continue
        before = shown(vector)[:3]
        for index in range(2):
            episode: Any = vector._tables.episodes[index]
            real, begun = episode.table, [int(action) for action in episode.mask.begun]
            world = real.clone()
            world.redeal(int(vector.asked[index]), dice)
            if first(world.actors()) != vector.asked[index]:
                continue
            same += 1
            for table in (world, real):
                vector._tables.begin(index, table, episode.dice)
                vector._tables.resume(index, begun, bool(vector.ended[index]), vector.rewards[index].tolist())
                assert shown(vector)[:3] == before
    assert same > 15


@every_case
def test_bots_and_random_players_choose_legal_actions_at_the_tables_that_they_are_given(slug: str, seats: int) -> None:
    vector, bots, long = Vector(slug, seats, 3, seed=6), Bots("greedy", 1), 0
    for _ in range(25):
        chosen = bots(vector, np.array([2, 0]))
        actions = [chosen[1], at_random(vector, np.array([1]))[0], chosen[0]]
        vector.step(actions)
        long += bool(vector.begun(0) or vector.begun(2))
    assert long > 0 or slug != "barbarossa"


def test_equal_seeds_of_bots_choose_equally_and_there_are_no_other_levels() -> None:
    vectors = [Vector("hoher-rat", 2, 2, seed=6) for _ in range(2)]
    for vector in vectors:
        bots = Bots("easy", 3)
        for _ in range(20):
            vector.step(bots(vector, np.arange(2)))
    assert shown(vectors[0]) == shown(vectors[1])
    with pytest.raises(ValueError, match="no level is called 'nobody'"):
        Bots("nobody", 1)
