"""The evaluation of Gartenzwerge e.V.: its terms, and chances equal to those of the cards."""

from collections import Counter
from itertools import combinations, permutations
from typing import Any

import pytest

from games.core.table import Table
from games.gartenzwerge.game import WEIGHTS
from games.gartenzwerge.moves import CAPS, OfferDwarf, SealBid, SealMinimum, SeekPartner, SendToGarden
from games.gartenzwerge.options import ClubOptions
from games.gartenzwerge.table.prizes import chips, mean, odds, reach
from games.gartenzwerge.table.terms import BLOSSOMS, TERMS
from games.gartenzwerge.worth import FEATURES
from tests.games.gartenzwerge.positions import GAME, after, club, play, position

Members = dict[int, dict[str, Any]]
LOWER, HIGHER = False, True


def entered(members: Members, **changes: Any) -> Table:
    """Return a table with one go left, some dwarfs being in competitions."""
    given: Members = {0: {"free": "brown"}, 1: {"free": ""}, 2: {"free": ""}}
    for seat, more in members.items():
        given[seat] |= more
    return position(members=given, begun=[0, 1, 2], highest="blue", **changes)


def house_cards(stack: str) -> list[tuple[str, str]]:
    row = getattr(ClubOptions().breeding, stack)
    cards = [cap for cap in CAPS for _ in range(getattr(row, cap))]
    return list(permutations(cards, 2))


COURSES = [
    pytest.param({1: {"lower": "orange", "garden": "brown"}, 2: {"garden": "brown"}}, None, id="alone"),
    pytest.param({1: {"lower": "brown brown"}, 2: {"lower": "brown", "garden": "orange"}}, None, id="among equals"),
    pytest.param({1: {"lower": "red"}, 2: {"lower": "orange"}}, "championship", id="beside a lower one"),
    pytest.param({1: {"lower": "brown"}, 2: {"lower": "orange"}}, None, id="under a higher one"),
]


@pytest.mark.rule("GZ-45", "GZ-46", "GZ-47", "GZ-D23")
@pytest.mark.parametrize(("members", "event"), COURSES)
def test_the_odds_of_a_prize_are_those_of_all_pairs_of_cards(members: Members, event: Any) -> None:
    table = entered(members, event=event)
    seen = odds(club(table), 1, LOWER)
    draws = house_cards("brown")
    won = []
    for house in draws:
        step = play(table, 0, SendToGarden(cap="brown"), [("house_card", card) for card in house])
        won += [heard.event.share * heard.event.winners.count(1) for heard in step.heard  # type: ignore[attr-defined]
                if heard.event.__struct_config__.tag == "competition_judged"]  # fmt: skip
    assert len(won) == len(draws)
    assert mean(seen) == pytest.approx(sum(won) / len(won))
    nothing = odds(club(table), 1, HIGHER)
    for missing in (50, 150, 250, 500, 1000):
        share = sum(prize >= missing for prize in won) / len(won)
        assert reach(seen, nothing, missing) == pytest.approx(share)
        assert reach(nothing, seen, missing) == pytest.approx(share)


@pytest.mark.rule("GZ-46", "GZ-51")
def test_two_competitions_together_bring_what_neither_brings_alone() -> None:
    table = entered({1: {"lower": "red", "higher": "red"}, 2: {"garden": "brown"}})
    low, high = odds(club(table), 1, LOWER), odds(club(table), 1, HIGHER)
    assert reach(low, high, 1500) == pytest.approx(low[0] * high[0])
    assert reach(low, high, 1000) == pytest.approx(high[0] + high[2] * low[0] * (high[3] >= 500))
    assert reach(low, high, 1501) == 0
    assert reach(low, high, 0) == 1


COUNTED: dict[str, Members] = {
    "grey": {0: {"free": "grey brown"}},
    "brown": {0: {"free": "brown brown"}},
    "orange": {0: {"free": "orange orange"}},
    "red": {0: {"free": "brown red"}},
    "blue": {0: {"free": "brown blue"}},
    "green": {0: {"free": "brown green"}},
    "gold": {0: {"free": "brown orange", "garden": "gold"}},
    "cash": {0: {"money": 1600}},
    "comfort": {0: {"money": 2300}},
    "wealth": {0: {"money": 3300}},
    "goal": {0: {"money": 4200}},
    "idle": {0: {"free": "brown brown brown"}},
    "lead": {0: {"free": "brown orange orange"}},
    "ruin": {0: {"free": "grey"}},
}


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_counts_for_its_owner(feature: str) -> None:
    table = position(members=COUNTED[feature])
    plain = GAME.weighed(dict.fromkeys(FEATURES, 0.0)).estimate(table)
    found = GAME.weighed({**dict.fromkeys(FEATURES, 0.0), feature: 1.0}).estimate(table)
    assert list(plain) == pytest.approx([1 / 3] * 3)
    assert found[0] > 1 / 3
    assert found[1] == found[2]


def test_certain_blossoms_count_in_full_and_likely_ones_in_part() -> None:
    only = GAME.weighed({**dict.fromkeys(FEATURES, 0.0), "goal": 1.0})
    members: list[dict[str, Any]] = [
        {"money": 4200},
        {"money": 4150, "free": "brown", "garden": "orange"},
        {"money": 3750, "lower": "orange", "free": "brown"},
    ]
    met, missed, likely = (only.estimate(position(members={0: given}))[0] for given in members)
    assert missed < likely < met


def test_a_young_dwarf_counts_at_its_chances_and_must_be_fed() -> None:
    table = position(members={0: {"free": "brown", "shed": [("blue", "brown", 1)]}, 1: {"free": "", "lent": "brown"}})
    without = position(members={0: {"free": "brown", "garden": "blue"}, 1: {"free": "", "garden": "brown"}})
    for feature, least in (("green", 0.0), ("cash", None)):
        only = GAME.weighed({**dict.fromkeys(FEATURES, 0.0), feature: 1.0})
        change = only.estimate(table)[0] - only.estimate(without)[0]
        assert change < 0 if least is None else change > least


@pytest.mark.parametrize("move", [SeekPartner(cap="blue"), OfferDwarf(cap="blue")], ids=["search", "offer"])
def test_a_deal_that_is_not_open_is_worth_more_for_better_dwarfs(move: SeekPartner | OfferDwarf) -> None:
    worth = GAME.worths["greedy"]
    lesser = type(move)(cap="brown")
    table = position(members={0: {"free": "brown blue"}})
    done = {name: worth.estimate(after(table, (0, choice)))[0] for name, choice in (("blue", move), ("brown", lesser))}
    assert done["blue"] > done["brown"]


def test_a_bid_above_the_worth_counts_as_a_loss() -> None:
    table = after(position(members={1: {"money": 3000}}), (0, OfferDwarf(cap="brown")), (0, SealMinimum(amount=50)))
    worth = GAME.worths["greedy"]
    fair, dear = (worth.estimate(after(table, (1, SealBid(amount=bid))))[1] for bid in (100, 3000))
    assert fair > dear


@pytest.mark.parametrize(("seats", "name"), [(2, "two"), (3, "tuned"), (6, "tuned")])
def test_the_weights_for_a_number_of_members_are_those_tuned_for_it(seats: int, name: str) -> None:
    table = position(seats, members={0: {"free": "brown red", "money": 2100}})
    own = GAME.weighed(WEIGHTS.sets[name]).estimate(table)
    assert list(GAME.worths["tuned"].estimate(table)) == list(own)
    assert list(WEIGHTS.at(seats)) == ["greedy", name]
    others = [weights for other, weights in WEIGHTS.sets.items() if other != name]
    assert all(list(GAME.weighed(weights).estimate(table)) != list(own) for weights in others)


def quantities(table: Table, seat: int) -> list[float]:
    """Return the terms of a seat in their natural quantities, and the money in blossoms behind them."""
    worth = GAME.weighed(dict.fromkeys(FEATURES, 2.0))
    terms = list(worth.terms(table, worth.estimate(table)))
    size = len(terms) // club(table).seats
    return [
        term * (unit or 0.0) for term, unit in zip(terms[seat * size :][:size], GAME.units(table, worth), strict=True)
    ]


def test_terms_are_numbers_of_dwarfs_and_chances() -> None:
    table = position(
        members={0: {"free": "grey brown brown red", "garden": "gold", "money": 4200}, 1: {"free": "grey"}}
    )
    told = dict(zip(TERMS, quantities(table, 0), strict=False))
    numbers = {"grey": 1, "brown": 2, "orange": 0, "red": 1, "blue": 0, "green": 0, "gold": 1, "idle": 3}
    assert {name: told[name] for name in numbers} == pytest.approx(numbers)
    assert (told["lead"], told["ruin"]) == pytest.approx((1, 0))
    assert quantities(table, 1)[TERMS.index("ruin")] == pytest.approx(1)


@pytest.mark.rule("GZ-45", "GZ-49")
@pytest.mark.parametrize(
    "entries",
    [{}, {"lower": "red"}, {"higher": "red"}, {"lower": "red", "higher": "red"}],
    ids="-".join,
)
def test_expected_prizes_of_both_competitions_are_added_to_the_money(entries: dict[str, str]) -> None:
    table = entered({1: {**entries, "money": 1000, "garden": "brown"}, 2: {"garden": "brown"}})
    place = club(table)
    upkeep = int(place.upkeep()) * (1 + len(entries))
    prizes = [
        mean(odds(place, 1, higher)) for higher, name in ((LOWER, "lower"), (HIGHER, "higher")) if name in entries
    ]
    assert all(prize > 0 for prize in prizes)
    assert quantities(table, 1)[BLOSSOMS] == pytest.approx(1000 - upkeep + sum(prizes))


@pytest.mark.rule("GZ-55", "GZ-56")
def test_ten_like_cases_of_two_chips_have_their_frequencies() -> None:
    drawn = Counter(map(sum, combinations((50, 50, 100, 100, 200), 2)))
    assert Counter(int(chips(part)) for part in range(10)) == drawn
