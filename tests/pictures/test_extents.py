"""No text of a picture needs more room than it has, and none of ours is cut off, with any content."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest

from games.barbarossa import GAME as BARBAROSSA
from games.barbarossa.table.lexicon import MAX_LETTERS
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERMS
from games.core.dice import FastDice
from games.core.game import Game, View
from games.core.svg import document, element, text
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from games.gartenzwerge import GAME as GARTENZWERGE
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.options import EVENT_NAMES
from games.wichtel import GAME as WICHTEL
from games.wichtel.moves import ACTIONS, GNOMES
from games.wichtel.view import TITLES
from tests.conformance.cases import every_game, walk
from tests.pictures.extents import overflows
from tests.pictures.stages import draw_stages

STEPS = 7
"""Of a walk, each so-manieth table is drawn."""

CUT = re.compile(r">([^<]*\w…)<")


def faults_of(game: Game, views: Iterable[View]) -> list[str]:
    """Return the overflowing or cut texts in pictures of views without names of players, in all languages."""
    found = []
    for view in views:
        for language in LANGUAGES:
            svg = game.picture(view, language, "light")
            found += [f"{language}: {fault}" for fault in [*overflows(svg), *CUT.findall(svg)]]
    return found


def viewed(game: Game, seats: int, **changes: Any) -> View:
    view = game.view(game.new(seats, game.options_type(), FastDice(3)), 0)
    return msgspec.structs.replace(view, **changes)


def test_an_overflow_is_found_beyond_the_picture_and_beyond_a_box() -> None:
    wide = text("Widest", 690, 60, "", font_size=20)
    box = element("rect", x=30, y=30, width=40, height=60) + text("−24−24", 31, 60, "", font_size=20)  # noqa: RUF001
    beyond = element("rect", x=600, y=30, width=200, height=60)
    assert [len(overflows(document(720, 200, drawn))) for drawn in (wide, box, beyond)] == [1, 1, 1]
    moved = element("g", text("Fits", 0, 0, "", font_size=20), transform="translate(600 60) scale(.5)")
    assert overflows(document(720, 200, moved)) == []


@pytest.mark.thorough
def test_no_text_overflows_at_any_stage_whatever_players_are_called() -> None:
    found = {one.name: faults for one in draw_stages(("light",)) if (faults := overflows(one.svg))}
    assert found == {}


@pytest.mark.thorough
@every_game
def test_no_text_overflows_or_is_cut_off_in_games_played_at_random(game: Game) -> None:
    def views() -> Iterator[View]:
        for seats in game.seat_numbers:
            table = game.new(seats, next(iter(game.presets.values())), FastDice(seats))
            for number, made in enumerate(walk(game, table, seats, 20 * STEPS)):
                if number % STEPS == 0:
                    yield game.view(made.step.table, number % seats)
            yield game.view(made.step.table, SPECTATOR)

    assert faults_of(game, views()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("seats", WICHTEL.seat_numbers)
def test_every_card_bribe_title_and_gnome_of_wichtel_fits(seats: int) -> None:
    def views() -> Iterator[View]:
        for number, card in enumerate([*ACTIONS, None]):
            view: Any = viewed(WICHTEL, seats, actions=[card or "no_way"] * 4, spent=[*ACTIONS] * 2)
            retinue = [GNOMES[(number + place) % len(GNOMES)] for place in range(4)]
            yield msgspec.structs.replace(
                view,
                candidates=[
                    msgspec.structs.replace(
                        each,
                        bribed=True,
                        bribe=card or (None if each.seat else "no_way"),
                        known=retinue,
                        gnomes=4,
                        points=-199,
                    )
                    for each in view.candidates
                ],
            )
        *_, last = walk(WICHTEL, WICHTEL.new(seats, WICHTEL.options_type(**WICHTEL.simulated), FastDice(1)), 1, 20_000)
        over: Any = WICHTEL.view(last.step.table, SPECTATOR)
        for title in TITLES:
            retinues = [msgspec.structs.replace(each, title=title) for each in over.last_round.retinues]
            yield msgspec.structs.replace(over, last_round=msgspec.structs.replace(over.last_round, retinues=retinues))

    assert faults_of(WICHTEL, views()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_every_event_competition_and_pair_of_gartenzwerge_fits(seats: int) -> None:
    def views() -> Iterator[View]:
        pairs = [
            {"own": own, "mate": mate, "owner": owner} for own in CAPS[1:6] for mate in CAPS[1:6] for owner in (None, 1)
        ]
        for number, event in enumerate(EVENT_NAMES):
            view: Any = viewed(GARTENZWERGE, seats, event=event)
            lower = number % 4
            row = dict.fromkeys(CAPS, 4)
            member = {"shed": pairs[number : number + 3], "lower": row, "higher": row, "free": row, "lent": row}
            yield msgspec.structs.replace(
                view,
                competitions=[CAPS[1 + lower], CAPS[2 + lower]],
                members=[msgspec.convert({**msgspec.to_builtins(each), **member}, type(each)) for each in view.members],
            )

    assert faults_of(GARTENZWERGE, views()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("seats", BARBAROSSA.seat_numbers)
def test_every_term_question_and_letter_of_barbarossa_fits(seats: int) -> None:
    longest = sorted(TERMS, key=lambda term: -max(len(term.name(language)) for language in LANGUAGES))[:24]
    places = [*range(1, MAX_LETTERS + 1), *range(-MAX_LETTERS, 0)]

    def views() -> Iterator[View]:
        *_, last = walk(BARBAROSSA, BARBAROSSA.new(seats, BARBAROSSA.options_type(), FastDice(1)), 1, 12)
        table: Any = last.step.table
        view: Any = BARBAROSSA.view(table, 0)
        for number in range(0, len(places), 8):
            riddles = []
            for place, riddle in enumerate(view.riddles):
                letters = [{"place": each, "letter": "W"} for each in places[number : number + 8 : 2]]
                notes = [msgspec.to_builtins(note) | {"letters": letters} for note in riddle.notes]
                asked = [ATTRIBUTES[(number + place) % len(ATTRIBUTES)].id]
                written = msgspec.to_builtins(riddle) | {
                    "notes": notes,
                    "term": longest[(number + place) % len(longest)].id,
                    "asked": asked,
                }
                riddles.append(msgspec.convert(written, type(riddle)))
            yield msgspec.structs.replace(view, riddles=riddles)

    assert faults_of(BARBAROSSA, views()) == []
