"""The knowledge of a seat or a spectator about a table, and a table as the viewer may imagine it."""

from __future__ import annotations

from itertools import product
from typing import Final

from games.barbarossa import record
from games.barbarossa.check import check, check_open, demand
from games.barbarossa.content import spelling
from games.barbarossa.moves import place_named, place_number
from games.barbarossa.options import options_of
from games.barbarossa.table import codes
from games.barbarossa.table.codes import kind_of, riddle_of, what_of
from games.barbarossa.table.deal import possible
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ALPHABET, MAX_LETTERS, OWN_WORD, TERM_COUNT, letter_named, spelled
from games.barbarossa.table.phases import MODELLING, OVER
from games.barbarossa.table.riddle import NOTHING, Sheet, Terms, no_terms
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.barbarossa.view import PHASES, Exhibit, SeatsNotes, SeenLetter, WizardView
from games.core.bits import bit, full, has, members_of
from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.core.table import SPECTATOR

EXEMPLARY: Final = {codes.ATTEMPT, codes.CURSE_ATTEMPT, codes.LETTER, codes.CURSE_LETTER}
"""Kinds of moves of which one for each riddle is shown: any term, or any place, may stand there as well."""

STAGES: Final = 8
"""Viewers, and more, each with its own view of a riddle before, in and after the game."""

MAX_ATTEMPTS: Final = 300
"""Maximum number of failed attempts at a riddle in a view; there are enough terms for them beside the close ones."""


def view(hall: Hall, seat: int, ruleset: str) -> WizardView:
    """Return the view of a seat, or SPECTATOR (BR-14, BR-17, BR-28, BR-36, BR-50, BR-D10, BR-D41)."""
    modelling = hall.phase == MODELLING
    handed_in = modelling and seat != SPECTATOR and has(hall.modelled, seat)
    return WizardView(
        ruleset=ruleset,
        seats=hall.seats,
        ply=int(handed_in) if modelling else hall.ply,
        seat=None if seat == SPECTATOR else seat,
        actors=record.list_of(hall.asked()),
        options=options_of(hall.options),
        phase=PHASES[hall.phase],
        starter=hall.starter,
        turn=hall.turn,
        turns=hall.turns,
        questions=hall.questions,
        spears=hall.spears,
        holding_back=seat != SPECTATOR and has(hall.silent, seat),
        wizards=record.wizards(hall),
        riddles=[exhibit(hall, number, seat) for number in range(hall.total())],
        free_questions=record.free_questions(hall),
        worded_attempts=record.worded_attempts(
            hall, frozenset(range(hall.seats)) if hall.phase == OVER else frozenset([seat])
        ),
        pending=record.pending(hall, seat),
        winners=record.list_of(hall.winners),
    )


def exhibit(hall: Hall, number: int, viewer: int) -> Exhibit:
    """Return a riddle as a viewer knows it: the same object each time, until something is learned of it."""
    riddle = hall.riddle(number)
    key = viewer + STAGES * (int(hall.phase == MODELLING) + 2 * int(hall.phase == OVER))
    known = riddle.told.get(key)
    if not isinstance(known, Exhibit):
        known = _exhibit(hall, number, viewer)
        riddle.told = {**riddle.told, key: known}
    return known


def _exhibit(hall: Hall, number: int, viewer: int) -> Exhibit:
    riddle, modeller = hall.riddle(number), hall.modeller(number)
    own = viewer == modeller
    solved = viewer != SPECTATOR and has(riddle.solvers, viewer)
    hidden = riddle.term == NOTHING or not (own or solved or hall.phase == OVER)
    unseen = riddle.figure is None or (hall.phase == MODELLING and not own)
    return Exhibit(
        riddle=number,
        modeller=modeller,
        term=None if hidden else record.term_named(riddle),
        piece=None if unseen or riddle.figure is None else riddle.figure.sculpture(),
        solvers=record.list_of(riddle.solvers),
        answers=record.answers_of(riddle),
        asked=record.questions_of(riddle.asked),
        notes=[notes(hall, number, seat, viewer) for seat in range(hall.seats) if seat != modeller],
    )


def notes(hall: Hall, number: int, seat: int, viewer: int) -> SeatsNotes:
    """Return a viewer's knowledge of a seat's private notes (BR-36, BR-50, BR-D10, BR-D11, BR-D40, BR-D52)."""
    riddle = hall.riddle(number)
    sheet = riddle.sheet(seat)
    knows = viewer in {seat, hall.modeller(number)} or hall.phase == OVER
    letters = [
        SeenLetter(
            place=place_named(place) if knows or not hall.options.choosing else None,
            letter=letter_at(hall, number, place) if knows else None,
        )
        for place in members_of(sheet.places)
    ]
    return SeatsNotes(
        seat=seat,
        letters=letters,
        wrong=sheet.wrong.size(),
        close=sheet.close.size(),
        wrong_terms=record.ids_of(sheet.wrong) if knows else None,
        close_terms=record.ids_of(sheet.close) if knows else None,
    )


def letter_at(hall: Hall, number: int, place: int) -> str:
    """Return the letter at a place of a riddle's word, nothing if there is none (BR-D12)."""
    return letter_named(hall.letter(number, place))


def from_view(seen: WizardView, ruleset: str, dice: Dice) -> Hall:
    """Return a table as the view's owner may imagine it; raise BrokenRecordError for a view that no table has."""
    viewer = SPECTATOR if seen.seat is None else seen.seat
    hall = record.open_table(seen, seen.seats)
    demand(viewer < hall.seats, "BR-1", "seats_wrong", "/seat")
    hall.ply = seen.ply
    hall.silent = bit(viewer) if seen.holding_back and viewer != SPECTATOR else 0
    for number, told in enumerate(seen.riddles):
        demand(len(told.notes) == hall.seats - 1, "BR-36", "sheet_wrong", f"/riddles/{number}/notes")
        record.set_open_riddle(hall.riddle(number), told, f"/riddles/{number}")
        if told.piece is not None:
            hall.modelled |= bit(hall.modeller(number))
        if told.term is not None:
            record.set_term(hall, hall.riddle(number), told.term, f"/riddles/{number}/term")
    check_open(hall)
    if hall.phase != MODELLING:
        for number, told in enumerate(seen.riddles):
            imagine(hall, number, told, viewer)
        check_room(hall, viewer)
    hall.redeal(viewer, dice)
    check(hall)
    again = view(hall, viewer, ruleset)
    if again != seen:
        name = next(name for name in seen.__struct_fields__ if getattr(again, name) != getattr(seen, name))
        raise BrokenRecordError("BR-14", "view_inconsistent", f"/{name}", part=name)
    return hall


def imagine(hall: Hall, number: int, told: Exhibit, viewer: int) -> None:
    """Set a riddle's sheets, and a term that has the letters the viewer has seen, until the next deal."""
    riddle, pointer = hall.riddle(number), f"/riddles/{number}/notes"
    fitting = [riddle.term] if told.term is not None else list(range(TERM_COUNT))
    marks: list[tuple[int, int]] = []
    for kept in told.notes:
        demand(kept.seat < hall.seats and kept.wrong + kept.close <= MAX_ATTEMPTS, "BR-36", "sheet_wrong", pointer)
        wrong, close = (
            any_terms(size) if ids is None else record.terms_from(ids, pointer)
            for ids, size in ((kept.wrong_terms, kept.wrong), (kept.close_terms, kept.close))
        )
        riddle.put_sheet(kept.seat, Sheet(places_of(kept.letters, pointer), wrong, close))
        if kept.seat == viewer:
            for letter in kept.letters:
                place = place_number(letter.place or 1)
                demand((letter.letter or "A") in ALPHABET, "BR-50", "letter_wrong", pointer)
                marks.append((place, ALPHABET.index(letter.letter) + 1 if letter.letter else 0))
                if told.term is not None:
                    demand(letter_named(hall.letter(number, place)) == letter.letter, "BR-50", "letter_wrong", pointer)
                    continue
                fitting = [
                    term
                    for term in fitting
                    if letter_named(spelled(hall.options.language, term, place)) == letter.letter
                ]
    demand(bool(fitting) or hall.options.words, "BR-50", "letter_wrong", pointer)
    riddle.term = fitting[0] if fitting else OWN_WORD
    if not fitting:
        riddle.word = imagined_word(marks, pointer)


def imagined_word(marks: list[tuple[int, int]], pointer: str) -> str:
    """Return a word beyond the table with the letters that were seen (BR-D47)."""
    try:
        return spelling(marks, [])
    except ValueError:
        raise BrokenRecordError("BR-50", "letter_wrong", pointer) from None


def places_of(letters: list[SeenLetter], pointer: str) -> int:
    """Return the places of letters, any if the viewer does not know them."""
    known = [letter.place for letter in letters if letter.place is not None]
    demand(0 not in known and len(known) in {0, len(letters)}, "BR-D11", "place_none", pointer)
    demand(bool(known) or len(letters) <= MAX_LETTERS, "BR-D11", "sheet_wrong", pointer)
    if not known:
        return full(len(letters))
    return sum(bit(number) for number in {place_number(place) for place in known})


def any_terms(size: int) -> Terms:
    """Return a number of terms."""
    found = no_terms()
    for term in range(size):
        found.add(term)
    return found


def check_room(hall: Hall, viewer: int) -> None:
    """See that terms can be dealt at all: different ones for every player (BR-D1)."""
    if hall.phase == OVER or hall.options.words:
        return
    each = hall.each()
    for seat in range(hall.seats):
        few = [a_few(possible(hall, viewer, seat * each + index), each) for index in range(each)]
        fits = seat == viewer or any(len(set(terms)) == each for terms in product(*few))
        demand(fits, "BR-29", "nothing_fits", f"/riddles/{seat * each}")


def a_few(terms: Terms, number: int) -> list[int]:
    """Return at most `number` first members of a set, which is enough to find different ones."""
    found = [word * WIDTH + int(member) for word in range(WORDS) for member in members_of(terms.word(word))]
    return found[:number]


def listing(hall: Hall, seat: int) -> list[int]:
    """Return the shown codes: all except codes that differ from an example in a word or a place alone."""
    found: list[int] = []
    shown: set[tuple[int, int]] = set()
    for move in hall.legal(seat):
        kind, about = int(kind_of(move)), (int(kind_of(move)), int(riddle_of(move)))
        if about in shown or (kind == codes.ASK_FREELY and what_of(move) != codes.SAMPLE):
            continue
        if kind in EXEMPLARY:
            shown.add(about)
        found.append(int(move))
    return found
