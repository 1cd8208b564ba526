"""New deals hold exactly the possible worlds of a viewer with perfect memory, each deal as often as due."""

from collections import Counter
from contextlib import suppress
from itertools import permutations, takewhile
from math import factorial, prod, sqrt
from random import Random
from typing import Any, Final

import pytest
from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import bit, has, nibbles
from games.core.dice import FastDice
from games.core.game import Move
from games.core.table import SPECTATOR, Table
from games.wichtel.moves import CallGnome, ReturnGnome, SwapGnome
from games.wichtel.record import VillageRecord
from games.wichtel.table.cards import UNKNOWN
from games.wichtel.table.codes import MARCH, PLAY, code
from games.wichtel.table.course import Course
from games.wichtel.table.draft import Draft
from games.wichtel.table.recall import DEAL, LIMBO, Recall, recalled
from games.wichtel.table.traces import HAND_OF, TRANSIT, Traces, places_of
from games.wichtel.table.trail import CAME, LEFT, gnome_at, length_of, way_at
from tests.games.queries import events_for
from tests.games.wichtel.positions import GAME, STANDARD, legal, play, position, record_of, village
from tests.games.wichtel.worlds import TooManyWorlds, World, Worlds, world_of

POSITIONS: Final[dict[str, dict[str, Any]]] = {
    "many kinds in two hands": {
        "hands": {0: "FA HS ME KS", 1: "FA HF SW HD", 2: "HF HS SW VA"},
        "square": "VA WW GE",
        "left": "HS FA",
        "right": "KS KS HF HW WW FA FA HS KS SW FA HS HF HS KS",
    },
    "three kinds in three hands": {
        "hands": {0: "FA FA HS HS", 1: "FA FA HS HD", 2: "FA FA HS HS"},
        "square": "KS HF WW",
        "left": "HW KS",
        "right": "KS HF GE HF SW ME KS SW VA HF VA SW WW KS HS",
    },
    "gnomes that nobody has looked at": {
        "hands": {0: "FA FA HS HS", 1: "FA KS KS HD", 2: "FA FA HS KS"},
        "square": "HF WW HW",
        "left": "HS",
        "right": "- KS - HS FA HF GE HF SW ME SW VA HF VA SW WW",
        "phase": "action",
    },
}
"""Tables of which all gnomes but a dozen or so lie where everybody has seen them."""

VIEWERS: Final = [0, 1, SPECTATOR]


def imagined(table: Table, viewer: int, number: int) -> Counter[World]:
    """Deal a table `number` times for a viewer, some of the time from his view, and count the worlds."""
    dice = FastDice(number)
    counted: Counter[World] = Counter()
    view = GAME.view(table, viewer)
    for turn in range(number):
        other = GAME.from_view(view, dice) if turn % 8 == 0 else table.clone()
        other.redeal(viewer, dice)
        written = GAME.write(other)
        assert isinstance(written, VillageRecord)
        counted[world_of(written)] += 1
    return counted


def far_off(counted: Counter[World], possible: set[World]) -> float:
    """Return the number of standard deviations by which the counts' chi-square exceeds that of a fair shuffle."""
    weights = {world: world.weight() for world in possible}
    share = counted.total() / sum(weights.values())
    chi_square = sum((counted[world] - weight * share) ** 2 / (weight * share) for world, weight in weights.items())
    freedom = max(len(possible) - 1, 1)
    return (chi_square - freedom) / sqrt(2 * freedom)


def busy(moves: list[Move], dice: FastDice) -> Move:
    hiding = [move for move in moves if isinstance(move, CallGnome | SwapGnome | ReturnGnome)]
    some = hiding if hiding and dice.below(4, 0) else moves
    return some[dice.below(len(some), 0)]


@pytest.mark.rule("HW-D23", "HW-D31")
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("seed", range(2))
def test_no_deal_contradicts_what_was_seen_and_none_is_left_out(viewer: int, name: str, seed: int) -> None:
    if viewer == SPECTATOR and name == "many kinds in two hands":
        viewer = 2
    table = position(**POSITIONS[name])
    dice = FastDice(seed)
    kept = Worlds.begin(viewer, record_of(table))
    checked = 0
    with suppress(TooManyWorlds):
        while checked < 8 and record_of(table).round == 1:
            seat = GAME.actors(table)[0]
            step = play(table, seat, busy(legal(table, seat), dice))
            table = step.table
            if record_of(table).round > 1:
                break
            before = kept.possible
            for event in events_for(step, viewer):
                kept.hear(event)
            assert world_of(record_of(table)) in kept.possible
            if kept.possible != before:
                hold(table, viewer, kept.possible)
                checked += 1
    assert checked


SWAPS: Final[tuple[type[Move], ...]] = (SwapGnome, ReturnGnome, SwapGnome, ReturnGnome)


@pytest.mark.rule("HW-D23", "HW-D31")
@pytest.mark.parametrize("viewer", [0, 2])
@pytest.mark.parametrize("name", ["many kinds in two hands", "three kinds in three hands"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_gnome_swapped_twice_is_in_either_hand_as_often_as_due(viewer: int, name: str, seed: int) -> None:
    table, possible = passed(name, viewer, seed, list(SWAPS))
    hold(table, viewer, possible)


def count_places(world: World) -> Counter[tuple[str, int, str]]:
    hands = (("hand", seat, kind) for seat, hand in enumerate(world.hands) for kind in hand)
    cells = (("cell", place, kind) for place, kind in enumerate(world.caravan) if kind)
    return Counter([*hands, *cells, *([("offered", 0, world.offered)] if world.offered else [])])


def astray(counted: Counter[World], possible: set[World]) -> float:
    """Return the number of standard deviations by which some kind of gnome is too often or too seldom at some place."""
    total, worst = sum(world.weight() for world in possible), 0.0
    chances = {world: world.weight() / total for world in possible}
    for place in {place for world in possible for place in count_places(world)}:
        mean = sum(chance * count_places(world)[place] for world, chance in chances.items())
        variance = sum(chance * (count_places(world)[place] - mean) ** 2 for world, chance in chances.items())
        dealt = sum(number * count_places(world)[place] for world, number in counted.items()) / counted.total()
        if variance > 1e-9:
            worst = max(worst, abs(dealt - mean) / sqrt(variance / counted.total()))
    return worst


PASSED_ON: Final = [
    ("into one of two hands, and half way into the next", "three kinds in three hands", 0, 1, "swap lay swap"),
    ("into one of two hands, and half way into the viewer's", "three kinds in three hands", 0, 3, "swap lay swap"),
    ("to a hand that lays one down", "three kinds in three hands", 1, 1, "swap lay swap lay call"),
    ("to hands of which each lays some down", "many kinds in two hands", 0, 1, "swap lay call swap lay call"),
    ("round the table, while others are seen to come", "many kinds in two hands", 0, 5, "swap lay " * 4),
]
"""Later places of gnomes that a viewer sees leave: the position, the viewer, the dice, and the moves."""


@pytest.mark.rule("HW-D23", "HW-D31")
@pytest.mark.parametrize(("claim", "name", "viewer", "seed", "moves"), PASSED_ON, ids=[row[0] for row in PASSED_ON])
def test_a_gnome_passed_on_unseen_is_anywhere_as_due(claim: str, name: str, viewer: int, seed: int, moves: str) -> None:
    kinds: dict[str, type[Move]] = {"swap": SwapGnome, "lay": ReturnGnome, "call": CallGnome}
    table, possible = passed(name, viewer, seed, [kinds[each] for each in moves.split()])
    counted = imagined(table, viewer, 900)
    assert set(counted) <= possible, claim
    assert astray(counted, possible) < 5, claim


@pytest.mark.parametrize("seats", [3, 5])
def test_each_gnome_that_has_left_a_hand_is_followed_to_where_it_lies_or_into_another_hand(seats: int) -> None:
    dice, lying = FastDice(seats), set[int]()
    table = village(GAME.new(seats, STANDARD, dice))
    for _ in range(120):
        seat = GAME.actors(table)[0]
        moves = GAME.legal(table, seat)
        table.apply(seat, moves[dice.below(len(moves), 0)], dice, None)
        places = places_of(recalled(table, SPECTATOR))
        crossings = [gnome_at(table.trail, index) for index in range(length_of(table.trail))]
        for index, gnome in enumerate(crossings):
            if way_at(table.trail, index) != LEFT:
                continue
            if gnome in crossings[index + 1 :]:
                assert places[index] > LIMBO
            else:
                assert gnome == (table.offered - 1 if places[index] == LIMBO else table.cell(places[index]))
                lying.add(index)
    assert 0 in lying, "the first one, too"


def test_a_course_that_more_steps_would_have_found_is_none() -> None:
    table, _ = passed("three kinds in three hands", 0, 1, [SwapGnome, ReturnGnome, SwapGnome, ReturnGnome])
    recall = recalled(village(table), 0)
    crossings = len(recall.who)
    assert crossings > 3
    found = [Course(recall, places_of(recall), None, 0).find(steps) for steps in (0, 1, crossings, 10_000)]
    assert found == [False, False, False, True]


def test_a_course_goes_back_to_the_hands_of_its_last_choice() -> None:
    recall = Recall(5, 0, 0, 0)
    for _ in range(2):
        recall.remember(1, LEFT, UNKNOWN, DEAL)
    course = Course(recall, vec[i64]([0, 0]), None, 0)
    kept = ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    for index, hands in enumerate(kept):
        for seat, hand in enumerate(hands):
            course.hands[seat] = hand
        course.left = 90 + index
        course.keep(index, bit(UNKNOWN))
    for index in (1, 0):
        for seat in range(5):
            course.hands[seat] = 0
        course.left = 0
        assert course.go_back() == index + 1
        assert ([*course.hands], course.left, course.served[index]) == (kept[index], 90 + index, UNKNOWN)
    assert course.go_back() == -1
    assert not course.try_next(0, 0), "no kind is left"


def test_each_gnome_between_two_hands_has_a_place_until_it_arrives() -> None:
    recall = Recall(4, 0, 0, 0)
    for way, origin in ((LEFT, DEAL), (LEFT, DEAL), (CAME, 0), (LEFT, DEAL), (LEFT, DEAL), (CAME, 1), (LEFT, DEAL)):
        recall.remember(1, way, UNKNOWN, origin)
    assert [*places_of(recall)] == [TRANSIT, TRANSIT + 1, -1, TRANSIT, TRANSIT + 2, -1, TRANSIT + 1]
    recall.source[5] = 3
    recall.source[LIMBO] = 6
    assert [*places_of(recall)] == [TRANSIT, TRANSIT + 1, -1, 5, TRANSIT, -1, LIMBO]


def test_a_search_tells_marches_apart_by_both_ends_of_the_square() -> None:
    seen, kinds = dict[int, tuple[str, str]](), ("FA", "HS", "KS", "HF", "SW", "HD", "VA", "ME", "GE", "WW", "HW")
    for pair in permutations(kinds, 2):
        middle = next(kind for kind in ("FA", "HS", "KS") if kind not in pair)
        table = position(phase="action", square=f"{pair[0]} {middle} {pair[1]}")
        for move in (code(MARCH, 0, 0), code(PLAY, 0, 0)):
            found = table.chance_observation(1, 0, move)
            assert found > 0
            assert seen.setdefault(found, pair) == pair
    assert len(seen) == 110


def traced(*traces: tuple[int, set[int]]) -> Traces:
    found = Traces()
    for kind, places in traces:
        found.add(kind, 0)
        found.places[len(found.places) - 1] = sum(bit(place) for place in places)
    return found


ONE, TWO = HAND_OF, HAND_OF + 1
"""The places of the hands of seats 0 and 1."""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([(2, {ONE, 3}), (2, {ONE}), (4, {ONE})], [(2, {ONE, 3}), (4, {ONE})], id="a sure one"),
        pytest.param(
            [(2, {ONE, 3}), (2, {ONE}), (2, {ONE, 5})], [(2, {ONE, 3}), (2, {ONE, 5})], id="a sure one of three"
        ),
        pytest.param(
            [(2, {ONE, 3}), (4, {ONE, 5}), (2, {ONE, TWO}), (2, {TWO, 7})],
            [(2, {ONE, TWO, 3}), (4, {ONE, 5}), (2, {TWO, 7})],
            id="one of two possible ones",
        ),
        pytest.param([(2, {TWO}), (4, {ONE})], [(2, {TWO}), (4, {ONE})], id="none"),
    ],
)
def test_a_gnome_that_a_hand_shows_ends_one_trace_of_its_kind(
    before: list[tuple[int, set[int]]], after: list[tuple[int, set[int]]]
) -> None:
    found, expected = traced(*before), traced(*after)
    found.end(2, 0)
    assert sorted(zip(found.kinds, found.places, strict=True)) == sorted(
        zip(expected.kinds, expected.places, strict=True)
    )


@pytest.mark.rule("HW-D31")
def test_every_deal_counts_if_no_gnome_is_traced() -> None:
    table = position(
        hands={0: "HS HS KS KS", 1: "FA FA FA FA", 2: "FA FA HS HS"},
        square="KS HF WW",
        left="HW KS",
        right="KS HF GE HF SW ME HD SW VA HF VA SW WW HS HS",
    )
    recall, dice = recalled(village(table), 0), FastDice(1)
    assert all(Draft(recall, Traces()).draw(dice) for _ in range(60)), "whichever gnome is dealt last"


@pytest.mark.parametrize("seed", range(40))
def test_the_ways_to_a_deal_are_all_ways_to_give_each_traced_gnome_a_place(seed: int) -> None:
    lots, kind = Random(seed), 2
    others = Counter({seat: lots.randint(0, 3) for seat in (1, 2)})
    lying = lots.sample(range(LIMBO + 1), lots.randint(1, 4))
    elsewhere = [*lying, *(HAND_OF + seat for seat in others)]
    possible = sorted(lots.sample(elsewhere, lots.randint(1, 3)) for _ in range(lots.randint(1, 4)))
    traces = traced(*((kind, {*places}) for places in possible))
    draft = Draft(Recall(3, 0, 0, 0), traces)
    for place in lying:
        draft.lying[place] = kind
    for seat, number in others.items():
        draft.hands[seat] = nibbles(number, kind)
    gnomes = [*lying, *(HAND_OF + seat for seat, number in others.items() for _ in range(number))]
    sure = [places for index, places in enumerate(traces.places) if traces.sure(index)]
    rest = [places for index, places in enumerate(traces.places) if not traces.sure(index)]
    alike = len([*takewhile(lambda places: places == rest[-1], rest[::-1])]) if rest else 0
    ways = sum(
        all(has(places, gnomes[gnome]) for places, gnome in zip([*sure, *rest], given, strict=True))
        for given in permutations(range(len(gnomes)), len(sure) + len(rest))
    )
    assert draft.ways_of(kind) * prod(map(factorial, Counter(sure).values())) * factorial(alike) == ways


def passed(name: str, viewer: int, seed: int, wanted: list[type[Move]]) -> tuple[Table, set[World]]:
    """Play on until moves of some kinds were made; return the table and the possible worlds of a viewer."""
    table, dice = position(**POSITIONS[name]), FastDice(seed)
    kept = Worlds.begin(viewer, record_of(table))
    while wanted:
        seat = GAME.actors(table)[0]
        moves = legal(table, seat)
        some = [move for move in moves if isinstance(move, wanted[0])]
        if some:
            wanted = wanted[1:]
        step = play(table, seat, some[dice.below(len(some), 0)] if some else moves[0])
        table = step.table
        for event in events_for(step, viewer):
            kept.hear(event)
    return table, kept.possible


def hold(table: Table, viewer: int, possible: set[World]) -> None:
    """Check that deals give only possible worlds, and if they are few, all of them, as often as due."""
    few = len(possible) <= 60
    counted = imagined(table, viewer, 25 * len(possible) if few else 40)
    assert set(counted) <= possible
    if few:
        assert far_off(counted, possible) < 5
