"""A stranger's game is taken where it can stand beside the others, and is else told what is wrong."""

from itertools import count
from typing import Any, Final, cast

import msgspec
import pytest

from games.core.admission import CODES_END, UnfitGameError, admit
from games.core.contract import GameContract
from games.core.game import Event, Heard, Move, Options, Record, View
from games.core.registry import ours
from games.core.table import EVERYONE, Table
from tests.toy import GAME as PEBBLES
from tests.toy.game import BidGiven, BidPebbles, PebbleOptions, PebbleRecord, PebbleView, TakePebbles, Toy

OTHERS: Final = {slug: game for slug, game in ours().items() if slug != "pebbles"}


Loose: Final = msgspec.defstruct("Loose", [], bases=(Move,), frozen=False, tag="loose_pebbles")
"""A move that may be changed."""


class Open(Event, frozen=True, tag="open_pebbles", forbid_unknown_fields=False):
    """An event that takes what it does not know."""


class Taken(Move, frozen=True, tag="undo_asked"):
    """A move by a name that the service has given."""


class Foreign(Event, frozen=True, tag="ask_about"):
    """An event by a name that another game has given."""


class Twice(Event, frozen=True, tag="bid_pebbles"):
    """An event by the name of a move."""


class Other(PebbleView, frozen=True, tag="marbles"):
    """The view of another game."""


class Strange(Options, frozen=True):
    """The options of another game."""


def toy_with(**facts: Any) -> Toy:
    return type("Made", (Toy,), {"__module__": Toy.__module__, **facts})()  # type: ignore[no-any-return]


def named(slug: str, **facts: Any) -> Toy:
    seen = msgspec.defstruct("Named", [], bases=(PebbleView,), frozen=True, tag=slug)

    def view(self: Toy, table: Table, seat: int) -> View:
        return cast("View", seen(**msgspec.structs.asdict(Toy.view(self, table, seat))))

    return toy_with(**{"slug": slug, "ruleset": f"{slug}/1", "view_type": seen, "view": view, **facts})


FIT: Final = {
    "as it is": lambda: PEBBLES,
    "a name of several words": lambda: named("pebbles-of-the-beach2"),
    "the longest name": lambda: named("p" * 40),
    "a later ruleset": lambda: toy_with(ruleset="pebbles/12"),
    "the highest codes": lambda: toy_with(code_limit=CODES_END),
}

UNFIT: Final = {
    "no game": (list, "it names 'list', and not an instance"),
    "no ruleset": (lambda: toy_with(worths={"greedy": PEBBLES.worths["greedy"]}), "it has no evaluation 'tuned'"),
    "no rules beside it": (lambda: toy_with(__module__="tests.games.core.test_admission"), "there is no RULES.md"),
    "no package": (lambda: toy_with(__module__="alone"), "its class lies in alone"),
    "no authors": (lambda: toy_with(authors=()), "its `authors` are empty"),
    "no presets": (lambda: toy_with(presets={}), "its `presets` are empty"),
    "capitals": (lambda: named("Pebbles"), "its slug 'Pebbles' is not of small letters"),
    "a hyphen at the end": (lambda: named("pebbles-"), "is not of small letters"),
    "a digit at the beginning": (lambda: named("1-pebble"), "is not of small letters"),
    "a name too long": (lambda: named("p" * 41), "is not of small letters"),
    "the ruleset of another": (lambda: toy_with(ruleset="marbles/1"), "its ruleset 'marbles/1' is not pebbles/"),
    "a ruleset without number": (lambda: toy_with(ruleset="pebbles/"), "is not pebbles/ and a number"),
    "the name of another": (lambda: named("wichtel"), "another game is called wichtel"),
    "the beginning of another's name": (lambda: named("hoher"), "its slug begins like hoher-rat"),
    "another's name with more behind it": (lambda: named("wichtel-haus"), "its slug begins like wichtel"),
    "one seat": (lambda: toy_with(seat_numbers=(1, 2)), "it is played by [1, 2]"),
    "seven seats": (lambda: toy_with(seat_numbers=(6, 7)), "it is played by [6, 7], and a table has 2 to 6 seats"),
    "no seats": (lambda: toy_with(seat_numbers=()), "it is played by []"),
    "no codes": (lambda: toy_with(code_limit=0), "its code_limit 0 is not within 1 and 2^53"),
    "codes too high": (lambda: toy_with(code_limit=CODES_END + 1), "is not within 1 and 2^53"),
    "codes far too high": (lambda: toy_with(code_limit=2**61), "is not within 1 and 2^53"),
    "codes above the limit": (lambda: toy_with(code_limit=2), "of 2 is to move, and its legal codes are [0, 1, 2]"),
    "an event for a move": (lambda: toy_with(moves=(BidPebbles, BidGiven)), "BidGiven is no Move"),
    "a move for an event": (lambda: toy_with(events=(TakePebbles,)), "TakePebbles is no Event"),
    "a record for options": (lambda: toy_with(options_type=PebbleRecord), "PebbleRecord is no Options"),
    "options for a record": (lambda: toy_with(record_type=PebbleOptions), "PebbleOptions is no Record"),
    "a move that may be changed": (lambda: toy_with(moves=(*PEBBLES.moves, Loose)), "Loose is not frozen, or takes"),
    "unknown fields": (lambda: toy_with(events=(*PEBBLES.events, Open)), "Open is not frozen, or takes unknown fields"),
    "the view of another": (lambda: toy_with(view_type=Other), "the tag of Other is not pebbles"),
    "presets of another": (lambda: toy_with(presets={"odd": Strange()}), "its preset 'odd' is no PebbleOptions"),
    "a kind of the service": (lambda: toy_with(moves=(*PEBBLES.moves, Taken)), "'undo_asked' belongs to the service"),
    "a kind of another game": (
        lambda: toy_with(events=(*PEBBLES.events, Foreign)),
        "'ask_about' belongs to barbarossa",
    ),
    "a kind twice": (lambda: toy_with(events=(*PEBBLES.events, Twice)), "'bid_pebbles' belongs to another of its own"),
    "no picture": (lambda: toy_with(picture=lambda *_: "a drawing"), "its picture is no SVG"),
    "nobody who may move": (lambda: toy_with(legal=lambda *_: []), "is to move, and its legal codes are []"),
}


def test_pebbles_has_kinds_that_no_other_game_has_taken() -> None:
    assert issubclass(PebbleRecord, Record)
    assert {"hoher-rat", "wichtel", "barbarossa"} <= OTHERS.keys()


@pytest.mark.parametrize("fit", FIT.values(), ids=FIT)
def test_a_game_that_fits_is_taken(fit: Any) -> None:
    admit(fit(), OTHERS)


@pytest.mark.parametrize(("unfit", "reason"), UNFIT.values(), ids=UNFIT)
def test_a_game_that_does_not_fit_is_told_why(unfit: Any, reason: str) -> None:
    with pytest.raises(UnfitGameError) as told:
        admit(unfit(), OTHERS)
    assert reason in str(told.value)


def test_a_table_that_is_another_when_it_is_read_back_is_none() -> None:
    changes = count()

    def write(self: Toy, table: Table) -> Record:
        return msgspec.structs.replace(Toy.write(self, table), ply=next(changes))

    with pytest.raises(UnfitGameError, match="a table of 2 seats, written down and read back, is another"):
        admit(toy_with(write=write), OTHERS)


def test_an_opening_may_tell_only_events_of_its_game() -> None:
    game = toy_with(opening=lambda _self, _table: [Heard(EVERYONE, Foreign())])
    with pytest.raises(UnfitGameError, match="Foreign, which is not among"):
        admit(game, OTHERS)


@pytest.mark.parametrize("name", GameContract.__annotations__)
def test_a_game_has_every_attribute_of_the_contract(name: str) -> None:
    def found(self: Toy, wanted: str) -> Any:
        if wanted == name:
            raise AttributeError(name)
        return object.__getattribute__(self, wanted)

    game = toy_with()
    type.__setattr__(type(game), "__getattribute__", found)
    with pytest.raises(UnfitGameError, match=f"it has no `{name}`"):
        admit(game, OTHERS)
