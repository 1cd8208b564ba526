"""Random games of Barbarossa with every set of options: records, views, refusals and events at each of their tables."""

from __future__ import annotations

import msgspec
import pytest

from games.barbarossa.codec import decode, encode
from games.barbarossa.events import EVENTS, event
from games.barbarossa.observation import from_view, view
from games.barbarossa.options import Presets, WizardOptions, table_options
from games.barbarossa.record import read, write
from games.barbarossa.refuse import refuse
from games.barbarossa.speech import label, spoken_texts, tell
from games.barbarossa.standing import timeout_move
from games.barbarossa.table.codes import ASK_FREELY, MODEL, kind_of
from games.barbarossa.table.hall import Hall, new_hall
from games.barbarossa.view import WizardRecord, WizardView
from games.barbarossa.worth import WizardWorth
from games.core.bits import members_of
from games.core.dice import FastDice
from games.core.table import SPECTATOR, Journal
from games.core.texts import LANGUAGES
from tests.games.barbarossa.courses import chosen

TEXTS = spoken_texts()
WORTH = WizardWorth(6.0, 0.1)

OPTIONS = {
    **Presets.named,
    "free": WizardOptions(questions="free", answers="human", close_hints=False, language="it"),
}
CASES = pytest.mark.parametrize(
    ("seats", "options"),
    [
        pytest.param(3, WizardOptions(), id="standard-3"),
        *(pytest.param(4 - place % 2, options, id=name) for place, (name, options) in enumerate(OPTIONS.items())),
    ],
)
"""The standard at both numbers of seats, the others at one of them each."""


def check_views(hall: Hall, dice: FastDice) -> None:
    """Hold every view against a table made of it, and against the table dealt anew."""
    for viewer in (SPECTATOR, *range(hall.seats)):
        seen = view(hall, viewer, "x")
        assert msgspec.json.decode(msgspec.json.encode(seen), type=WizardView) == seen
        imagined = from_view(seen, "x", dice)
        assert view(imagined, viewer, "x") == seen
        dealt = hall.clone()
        dealt.redeal(viewer, dice)
        assert view(dealt, viewer, "x") == seen
        read(write(dealt))
        if viewer != SPECTATOR:
            assert list(imagined.legal(viewer)) == list(hall.legal(viewer))
            assert list(imagined.candidates(viewer)) == list(dealt.candidates(viewer))


def check_refusals(hall: Hall, others: list[int]) -> None:
    """See that what is listed is legal and nothing else, but for content that no list holds."""
    for seat in range(hall.seats):
        legal = {int(code) for code in hall.legal(seat)}
        for code in (*list(legal)[:30], *others):
            if kind_of(code) == MODEL and code not in legal and seat in members_of(hall.actors()):
                continue
            refusal = refuse(hall, seat, decode(hall, code))
            assert (refusal is None) == (code in legal), refusal
        made = timeout_move(hall, seat)
        assert made is None or made in legal


@CASES
def test_a_random_game_keeps_its_promises(seats: int, options: WizardOptions) -> None:
    dice = FastDice(seats)
    hall = new_hall(seats, table_options(options), dice)
    recent: list[int] = []
    for ply in range(70):
        actors = members_of(hall.actors())
        if not actors:
            break
        seat = int(actors[dice.below(len(actors), 0)])
        if ply % 7 == 0:
            record = write(hall)
            assert write(read(msgspec.json.decode(msgspec.json.encode(record), type=WizardRecord))) == record
            check_views(hall, dice)
            check_refusals(hall, recent)
            assert sum(WORTH.estimate(hall)) == pytest.approx(1)
        code = chosen(hall, seat, dice)
        move = decode(hall, code)
        assert encode(hall, move) == code
        assert all(
            label(move, language, view(hall, seat, "x"), TEXTS.seats(language, seats), TEXTS) for language in LANGUAGES
        )
        recent = [*recent[-20:], code] if kind_of(code) != ASK_FREELY else recent
        before, journal = write(hall), Journal()
        after = hall.clone()
        after.apply(seat, code, dice, journal)
        assert write(hall) == before
        names = TEXTS.seats("en", seats)
        for _, kind, a, b, c in journal.notes:
            said = event(after, kind, a, b, c)
            assert type(said) in EVENTS
            assert all("{" not in tell(said, language, names, TEXTS) for language in LANGUAGES)
        hall = after
