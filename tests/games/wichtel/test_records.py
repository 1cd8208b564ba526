"""Records that no table has are refused, each by its rule; so are views."""

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

import msgspec
import pytest

from games.core.dice import FastDice
from games.core.game import BrokenRecordError
from games.wichtel.moves import CallGnome, LayBribe, RecruitGnome, SwapGnome
from games.wichtel.options import VillageOptions
from games.wichtel.record import ACTION_NAMES, GNOME_NAMES
from service.snapshots.sealing import packed_size
from tests.games.wichtel.positions import GAME, after, play_moves, position, record_of, view_of

BASE: Final = position(hands={0: "FA HS KS HF"}, left="HS", officer_free=True)
CALLED: Final = play_moves(BASE, CallGnome(gnome="family"))
COURTING: Final = after(position(actions={1: ["six_coins"]}), 0, RecruitGnome(place=1))
SWAPPING: Final = after(BASE, 0, SwapGnome(gnome="family", partner=1))

CAPPED: Final = msgspec.to_builtins(VillageOptions(turn_cap=400))
BROKEN: Final[list[tuple[str, Any, Mapping[str, Any], str]]] = [
    ("a seat that is not there has the turn", BASE, {"turn": 4}, "HW-11"),
    ("the caravan is too short", BASE, {"caravan": [None] * 19}, "HW-8"),
    ("a card that does not exist", BASE, {"open": ["elf 1"]}, "HW-2"),
    ("an action card that does not exist", BASE, {"spent": ["bribe 1"]}, "HW-3"),
    ("an action card that is spent twice", BASE, {"spent": [ACTION_NAMES[0]] * 2}, "HW-3"),
    ("the draw pile is empty and the march goes on", BASE, {"onward": False, "start": 0}, "HW-14"),
    ("the square lies where nobody has looked", BASE, {"start": 9}, "HW-13"),
    ("a pile lies open that nobody has", BASE, {"open": ["witch_doctor 1"]}, "HW-7"),
    ("a card of movement waits that was not played", BASE, {"back": True}, "HW-32"),
    ("another card of movement waits", BASE, {"still": True}, "HW-33"),
    ("a later round without the one before", BASE, {"round": 2}, "HW-40"),
    ("the first round has a last one", BASE, {"ended_by": 1}, "HW-40"),
    ("a swap without a gnome on its way", BASE, {"phase": "answer", "actor": 1}, "HW-18"),
    ("another gnome is on its way", SWAPPING, {"offered": "general 1"}, "HW-17"),
    ("a bribe outside an auction", BASE, {"phase": "opened"}, "HW-20"),
    ("the last seat is asked and all others too", COURTING, {"asked": [1]}, "HW-D25"),
    ("a seat is asked twice", COURTING, {"asked": [1, 1]}, "HW-D25"),
    ("a roll that waits for nothing", BASE, {"roll": 3}, "HW-26"),
    ("the round has lasted too long", BASE, {"turns": 400, "options": CAPPED}, "HW-D26"),
    ("nobody has walked the trail", CALLED, {"trail": []}, "HW-D23"),
    ("the trail ends in the air", BASE, {"trail": [{"seat": 0, "way": "left", "gnome": "general 1"}]}, "HW-6"),
    ("nobody is asked for an end that is not due", BASE, {"phase": "ending"}, "HW-D25"),
]


@pytest.mark.parametrize(("claim", "table", "changes", "rule"), BROKEN, ids=[row[0] for row in BROKEN])
def test_a_broken_record_is_refused_by_a_rule(claim: str, table: Any, changes: Mapping[str, Any], rule: str) -> None:
    wire = msgspec.to_builtins(record_of(table)) | changes
    with pytest.raises(BrokenRecordError) as refused:
        GAME.read(msgspec.convert(wire, GAME.record_type))
    assert refused.value.rule == rule, claim
    for language in ("en", "de", "it"):
        assert GAME.explain(refused.value.rule, refused.value.reason, refused.value.params, language)


VIEWS: Final[list[tuple[str, Any, Mapping[str, Any]]]] = [
    ("the trail names a crossing to come", CALLED, {"trail": [{"seat": 1, "way": "came", "gnome": None, "origin": 5}]}),
    ("an own gnome is not known", CALLED, {"trail": [{"seat": 0, "way": "left", "gnome": None, "origin": None}]}),
    ("seats are missing", BASE, {"seat_count": 4}),
    (
        "a gnome of the square has not been seen by all",
        BASE,
        {"caravan": [msgspec.to_builtins(cell) | {"open": False} for cell in view_of(BASE, 0).caravan]},
    ),
    ("an action card is held twice", BASE, {"spent": ["six_coins", "six_coins"]}),
    ("a bribe lies where none can", BASE, {"phase": "bribing", "place": 1}),
]


@pytest.mark.parametrize(("claim", "table", "changes"), VIEWS, ids=[row[0] for row in VIEWS])
def test_a_broken_view_is_refused(claim: str, table: Any, changes: Mapping[str, Any]) -> None:
    wire = msgspec.to_builtins(view_of(table, 0)) | changes
    with pytest.raises(BrokenRecordError):
        GAME.from_view(msgspec.convert(wire, GAME.view_type), FastDice(1))
    assert claim


@pytest.mark.rule("HW-D31", "HW-D23")
def test_a_view_whose_hidden_bribes_cannot_be_is_refused_and_does_not_loop() -> None:
    table = after(COURTING, 1, LayBribe(card="six_coins", recruiter=0))
    wire = msgspec.to_builtins(view_of(table, 0))
    spent = ["two_coins"] * 4 + ["three_coins"] * 4 + ["four_coins"] * 3 + ["five_coins"] * 2
    wire["spent"] = [*spent, "six_coins", "i_am_best", "he_is_best"]
    wire["actions"] = []
    with pytest.raises(BrokenRecordError):
        GAME.from_view(msgspec.convert(wire, GAME.view_type), FastDice(1))


@pytest.mark.rule("HW-D31")
def test_a_view_that_no_deal_fits_is_refused_for_that() -> None:
    held = position(hands={0: "GE HS KS HF"}, square="FA HS KS")
    wire = msgspec.to_builtins(view_of(held, 0))
    twice = next(cell for cell in wire["caravan"] if cell["gnome"] == "family")
    twice["gnome"] = "general"
    with pytest.raises(BrokenRecordError) as refused:
        GAME.from_view(msgspec.convert(wire, GAME.view_type), FastDice(1))
    assert (refused.value.rule, refused.value.pointer) == ("HW-D31", "/trail"), "there is one general"


@pytest.mark.parametrize("variants", list(product([False, True], repeat=3)))
def test_each_variant_is_written_down_whatever_the_others_are(variants: tuple[bool, bool, bool]) -> None:
    options = VillageOptions(**dict(zip(("no_way_for_all", "pick_who_leaves", "short_titles"), variants, strict=True)))
    record = record_of(GAME.new(3, options, FastDice(1)))
    assert record.options == record_of(GAME.read(record)).options == options


def test_the_longest_round_fits_into_a_sealed_snapshot() -> None:
    ways = ("came", "left", "came_open")
    trail = [
        {"seat": step % 5, "way": ways[step % 3], "gnome": GNOME_NAMES[step % len(GNOME_NAMES)]}
        for step in range(1_610)
    ]
    wire = msgspec.to_builtins(record_of(play_moves(BASE, CallGnome(gnome="family")))) | {"trail": trail}
    assert packed_size(msgspec.convert(wire, GAME.record_type)) + 1_500 < GAME.record_bytes, (
        "and hands and squares vary"
    )
