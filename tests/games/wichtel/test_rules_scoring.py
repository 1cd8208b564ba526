"""Scores of retinues: points, titles, the banished player, the witch doctor and the widow."""

from itertools import combinations_with_replacement
from typing import Final

import pytest

from games.wichtel.options import VillageOptions, values_of
from games.wichtel.record import cached_tables
from games.wichtel.table.titles import named_kinds, result_kinds, worths_of
from games.wichtel.view import TITLES
from tests.games.queries import row
from tests.games.wichtel import oracle
from tests.games.wichtel.positions import GAME, SHORT, kinds

STANDARD: Final = VillageOptions()
SHORT_TITLES: Final = VillageOptions(short_titles=True)
OPTIONS: Final = {"standard": STANDARD, "variants": GAME.presets["variants"]}


def scored(hand: list[str], options: VillageOptions = STANDARD) -> tuple[int, str | None]:
    """Return the kernel's score of a retinue in rising order, and its title."""
    worths, _ = cached_tables(values_of(options), short=options.short_titles)
    return scored_by(worths, hand)


def scored_by(worths: bytes, hand: list[str]) -> tuple[int, str | None]:
    """Return the score of a retinue in rising order by a table of all retinues, and its title."""
    packed = sum((list(SHORT.values()).index(kind) + 1) * 16**place for place, kind in enumerate(hand))  # type: ignore[arg-type]
    title = named_kinds(worths, packed)
    return int(result_kinds(worths, packed)), TITLES[title - 1] if title else None


def sorted_kinds(hand: str) -> list[str]:
    """Return a retinue in rising order from the rulebook's short names."""
    return sorted(kinds(hand), key=oracle.KINDS.index)


RETINUES: Final = [
    row("points without a title add up", "FA HS KS HF", 6, None, rules="HW-40 HW-D28"),
    row("higher points add up too", "SW VA WW WW", 21, None, rules="HW-40 HW-D28"),
    row("four families", "FA FA FA FA", -5, "family_council", rules="HW-48 HW-D20"),
    row("three families and another", "FA FA FA HF", 11, "foreman", rules="HW-48 HW-49"),
    row("a feller of one hauler", "HS FA FA FA", 4, "feller", rules="HW-49"),
    row("a feller of four haulers", "HS HS HS HS", 7, "feller", rules="HW-49"),
    row("no feller with a clubber", "HS HS FA KS", 4, None, rules="HW-49 HW-41"),
    row("a foreman with all that may be", "HF HF HS FA", 15, "foreman", rules="HW-49"),
    row("no foreman with a clubber", "HF HF HS KS", 9, None, rules="HW-49 HW-41"),
    row("a master with haulers", "VA HF HS HS", 23, "master", rules="HW-49"),
    row("a master with fellers", "VA HF HF HF", 27, "master", rules="HW-49"),
    row("no master with a family", "VA HF HS FA", 9, None, rules="HW-49 HW-41"),
    row("no master without a feller", "VA HS HS HS", 8, None, rules="HW-49 HW-41"),
    row("no master with two foremen", "VA VA HF HS", 14, None, rules="HW-49 HW-41"),
    row("the grey eminence with foreman and feller", "ME VA VA HF", 43, "grey_eminence", rules="HW-49"),
    row("the grey eminence with fellers", "ME VA HF HF", 41, "grey_eminence", rules="HW-49"),
    row("no grey eminence with a family", "ME VA HF FA", 15, None, rules="HW-49 HW-41"),
    row("no grey eminence without a foreman", "ME HF HF HF", 16, None, rules="HW-49 HW-41"),
    row("a spear thrower of one clubber", "KS FA FA FA", 7, "spear_thrower", rules="HW-50"),
    row("a spear thrower of four clubbers", "KS KS KS KS", 13, "spear_thrower", rules="HW-50"),
    row("no spear thrower with a hauler", "KS KS FA HS", 5, None, rules="HW-50 HW-41"),
    row("a sergeant with all that may be", "SW SW KS FA", 20, "sergeant", rules="HW-50"),
    row("no sergeant with a hauler", "SW SW KS HS", 11, None, rules="HW-50 HW-41"),
    row("a general with clubbers", "WW SW KS KS", 29, "general", rules="HW-50"),
    row("a general with spear throwers", "WW SW SW SW", 33, "general", rules="HW-50"),
    row("no general with a family", "WW SW KS FA", 12, None, rules="HW-50 HW-41"),
    row("no general with two sergeants", "WW WW SW KS", 18, None, rules="HW-50 HW-41"),
    row("the lord of the wood with sergeants", "GE WW WW SW", 49, "lord_of_the_wood", rules="HW-50"),
    row("the lord of the wood with spear throwers", "GE WW SW SW", 47, "lord_of_the_wood", rules="HW-50"),
    row("no lord of the wood with a family", "GE WW SW FA", 18, None, rules="HW-50 HW-41"),
    row("no lord of the wood without a sergeant", "GE SW SW SW", 20, None, rules="HW-50 HW-41"),
    row("the tree chief takes the master", "HW HD ME VA", 71, "tree_chief", rules="HW-51 HW-D29"),
    row("the war chief", "HW HD GE WW", 78, "war_chief", rules="HW-51"),
    row("the chief of the tribe", "HW HD ME GE", 99, "tribal_chief", rules="HW-51 HW-57"),
    row("no chief with a foreman and the general", "HW HD GE VA", -23, None, rules="HW-51 HW-44"),
    row("no chief without the witch doctor himself", "HW ME GE VA", -20, None, rules="HW-51 HW-43"),
    row("the master sends haulers and clubbers away", "ME HS KS HF", 10, None, rules="HW-42"),
    row("the general sends them away too", "GE HS KS SW", 12, None, rules="HW-42"),
    row("families stay, for they are not sent away", "ME FA FA HF", 10, None, rules="HW-42"),
    row("three gnomes have no title", "ME VA VA HS", 17, None, rules="HW-D17"),
    row("the witch doctor counts ten whatever he is", "HD FA FA FA", 20, "sergeant", rules="HW-43 HW-D18"),
    row("the witch doctor as the master sends nobody away", "HD VA HF HS", 32, "master", rules="HW-43 HW-D18"),
    row("the witch doctor may stay himself", "HD GE ME HF", 28, None, rules="HW-43 HW-D18"),
    row("the rulebook's widow costs as much as she would bring", "KS KS HS HW", -5, None, rules="HW-44 HW-54"),
    row("the rulebook's master", "VA HF HF HS", 25, "master", rules="HW-53 HW-49"),
    row("the rulebook's master is none with a family, nor anything else", "VA HF HF FA", 11, None, rules="HW-53"),
    row("nor with a clubber", "VA HF HS KS", 11, None, rules="HW-53"),
    row("the widow doubles a loss as a family", "FA FA FA HW", -10, "family_council", rules="HW-44 HW-56 HW-D19"),
    row("the widow turns a title too", "HS HS FA HW", -5, "feller", rules="HW-44 HW-D19"),
    row("beside the widow the least is the best", "HD HW FA FA", -5, None, rules="HW-44 HW-D18"),
]


@pytest.mark.parametrize(("hand", "result", "title"), RETINUES)
def test_a_retinue_scores_as_the_rules_say(hand: str, result: int, title: str | None) -> None:
    found, named = scored(sorted_kinds(hand))
    assert found == result
    if "HD" not in hand or title is not None:
        assert named == title
    assert oracle.score(sorted_kinds(hand), STANDARD)[0] == result


@pytest.mark.rule("HW-D17")
def test_with_the_option_those_who_remain_are_enough_for_a_title() -> None:
    assert scored(sorted_kinds("ME VA VA HS")) == (17, None)
    assert scored(sorted_kinds("ME VA VA HS"), SHORT_TITLES) == (40, "grey_eminence")


def all_retinues() -> list[list[str]]:
    amounts = dict(zip(oracle.KINDS, (6, 6, 5, 4, 3, 2, 2, 1, 1, 1, 1), strict=True))
    return [
        list(hand)
        for hand in combinations_with_replacement(oracle.KINDS, 4)
        if all(hand.count(kind) <= amounts[kind] for kind in hand)
    ]


@pytest.mark.rule("HW-40", "HW-41", "HW-42", "HW-43", "HW-44", "HW-D17", "HW-D18", "HW-D19", "HW-D20", "HW-D28")
@pytest.mark.parametrize("name", OPTIONS)
def test_all_retinues_score_as_the_oracle_says(name: str) -> None:
    options = OPTIONS[name]
    assert isinstance(options, VillageOptions)
    worths = worths_of(values_of(options), options.short_titles)  # calculated here, and not read from a cache
    for hand in all_retinues():
        result, title = oracle.score(hand, options)
        found, named = scored_by(worths, hand)
        assert found == result, hand
        assert "witch_doctor" in hand or named == title, hand


@pytest.mark.rule("HW-41", "HW-D20")
def test_a_retinue_without_the_witch_doctor_fits_one_title_at_most() -> None:
    hands = all_retinues()
    assert len(hands) == 720
    assert all(len(oracle.titles(hand)) <= 1 for hand in hands if "witch_doctor" not in hand)


@pytest.mark.rule("HW-47", "HW-D28")
def test_the_highest_title_alone_makes_a_chief() -> None:
    best = max(all_retinues(), key=lambda hand: scored(hand)[0])
    assert best == sorted_kinds("HW HD ME GE")
    assert scored(best) == (STANDARD.goal, "tribal_chief")
