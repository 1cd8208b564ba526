"""Tables of Barbarossa in a state that a rule needs, and moves made at them."""

from collections.abc import Iterable
from functools import cache

from games.barbarossa.codec import encode
from games.barbarossa.events import event
from games.barbarossa.moves import AskAbout, AskFreely, Kneaded, ModelRiddles, Sketch
from games.barbarossa.options import WizardOptions, table_options
from games.barbarossa.record import read, write
from games.barbarossa.refuse import refuse
from games.barbarossa.table.codes import ATTEMPT, CURSE_ATTEMPT, kind_of, what_of
from games.barbarossa.table.constants import FACE, STARTER
from games.barbarossa.table.hall import Hall, new_hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, NO_TERM, answer
from games.barbarossa.table.phases import DWARF_LETTER, FIRST_ROUND, SECOND_ROUND
from games.barbarossa.table.riddle import Sheet
from games.barbarossa.terms.catalogue import ATTRIBUTES
from games.core.dice import FastDice, ScriptedDice
from games.core.game import Event, Move, Refusal
from games.core.table import SPECTATOR, SPECTATORS, Journal

RIDDLE_CAVE = 3
DWARF_CAVE = 6

Heard = list[tuple[int, Event]]


def opening(seats: int = 3, options: WizardOptions | None = None, starter: int = 0) -> Hall:
    house = table_options(options or WizardOptions())
    return new_hall(seats, house, ScriptedDice([(STARTER, starter)], None))


def riddles(*terms: str, explicitness: int = 50) -> ModelRiddles:
    return ModelRiddles(riddles=[Sketch(term=term, piece=Kneaded(explicitness=explicitness)) for term in terms])


def terms_of(seat: int, seats: int) -> list[str]:
    """Return the terms that a seat models at a test's table: a1, b1, c1 for the first, a2, b2, c2 for the next."""
    return [f"{column}{seat + 1}" for column in ("abc" if seats == 3 else "ab")]


@cache
def _modelled(seats: int, options: WizardOptions) -> Hall:
    hall = opening(seats, options)
    for seat in range(seats):
        hall, _ = play(hall, seat, riddles(*terms_of(seat, seats)))
    return hall


def modelled(seats: int = 3, options: WizardOptions | None = None) -> Hall:
    return apart(_modelled(seats, options or WizardOptions()).clone())


def apart(hall: Hall) -> Hall:
    """Return a table with riddles that no other table shares, so that a test may change them where they lie."""
    for number in range(hall.total()):
        hall.renew(number)
    return hall


def learn(
    hall: Hall,
    number: int,
    seat: int,
    *,
    places: int | None = None,
    wrong: Iterable[int] = (),
    close: Iterable[int] = (),
) -> None:
    riddle = hall.renew(number)
    sheet = riddle.sheet(seat)
    if places is not None:
        sheet = Sheet(places, sheet.wrong, sheet.close)
    for terms, near in ((wrong, False), (close, True)):
        for term in terms:
            sheet = sheet.with_attempt(term, near)
    riddle.put_sheet(seat, sheet)


def standing(phase: int, seats: int = 3, options: WizardOptions | None = None) -> Hall:
    """Return a table with seat 0 in a state of the turn."""
    hall = modelled(seats, options)
    if phase in {FIRST_ROUND, SECOND_ROUND}:
        hall.player(0).cave = RIDDLE_CAVE
    if phase == DWARF_LETTER:
        hall.player(0).cave = DWARF_CAVE
    hall.phase = phase
    return sound(hall)


def sound(hall: Hall) -> Hall:
    """Return a table that keeps every invariant, read back from its record."""
    return read(write(hall))


def question_of(hall: Hall, riddle: int, given: int) -> AskAbout:
    fits = (
        ATTRIBUTES[number].id
        for number in range(ATTRIBUTE_COUNT)
        if answer(hall.riddle(riddle).term, number) == given and not hall.riddle(riddle).asked.has(number)
    )
    return AskAbout(riddle=riddle, question=next(fits))


def play(hall: Hall, seat: int, move: Move, *faces: int) -> tuple[Hall, Heard]:
    """Make a legal move with these faces of the die; return the table after it and the events with their hearers."""
    assert refusal(hall, seat, move) is None, refuse(hall, seat, move)
    code = encode(hall, move)
    after, journal = hall.clone(), Journal()
    after.apply(seat, code, ScriptedDice([(FACE, face - 1) for face in faces], FastDice(1)), journal)
    return apart(after), [(hearers, event(after, kind, a, b, c)) for hearers, kind, a, b, c in journal.notes]


def after(hall: Hall, *steps: tuple[int, Move]) -> Hall:
    for seat, move in steps:
        hall, _ = play(hall, seat, move)
    return sound(hall)


def refusal(hall: Hall, seat: int, move: Move) -> tuple[str, str] | None:
    found: Refusal | None = refuse(hall, seat, move)
    code = encode(hall, move)
    in_words = kind_of(code) in {ATTEMPT, CURSE_ATTEMPT} and what_of(code) == NO_TERM
    if not isinstance(move, ModelRiddles | AskFreely) and not in_words:
        assert (code in hall.legal(seat)) == (found is None), "what is listed is legal, and nothing else"
    return None if found is None else (found.rule, found.reason)


def events_for(heard: Heard, viewer: int) -> list[Event]:
    return [said for hearers, said in heard if hearers & (SPECTATORS if viewer == SPECTATOR else 1 << viewer)]


def hats(hall: Hall) -> list[int]:
    return [int(hall.player(seat).hat) for seat in range(hall.seats)]


def solve_all(hall: Hall, solutions: Iterable[tuple[int, int]]) -> Hall:
    """Stick spears of these seats into these riddles, and leave the hats alone."""
    for seat, number in solutions:
        hall.renew(number).solvers |= 1 << seat
        hall.spears += 1
    return hall
