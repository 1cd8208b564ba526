"""A table written down in full and read back."""

from __future__ import annotations

from games.barbarossa import view
from games.barbarossa.check import check, demand
from games.barbarossa.clay.settle import settle
from games.barbarossa.content import UNHEARD
from games.barbarossa.moves import place_named, place_number
from games.barbarossa.options import options_of, table_options
from games.barbarossa.table.figure import handed_in
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ALPHABET, ATTRIBUTE_COUNT, MAX_LETTERS, NO_TERM, OWN_WORD
from games.barbarossa.table.phases import ANSWERING, GIVING, JUDGING
from games.barbarossa.table.play import pack_speech
from games.barbarossa.table.player import beginner
from games.barbarossa.table.riddle import NOTHING, NOTHING_ASKED, Asked, Riddle, Sheet, Terms, asked_of, terms_of
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES, TERM_NUMBERS, TERMS
from games.barbarossa.terms.words import letters_in
from games.core.bits import bit, members_of, part
from games.core.game import BrokenRecordError


def write(hall: Hall) -> view.WizardRecord:
    """Write a table down in full."""
    return view.WizardRecord(
        ply=hall.ply,
        options=options_of(hall.options),
        phase=view.PHASES[hall.phase],
        starter=hall.starter,
        turn=hall.turn,
        turns=hall.turns,
        questions=hall.questions,
        silent=list_of(hall.silent),
        wizards=wizards(hall),
        riddles=[_riddle(hall, number) for number in range(hall.total())],
        free_questions=free_questions(hall),
        worded_attempts=worded_attempts(hall, frozenset(range(hall.seats))),
        pending=pending(hall, hall.modeller(hall.open_riddle)),
        winners=list_of(hall.winners),
    )


def _riddle(hall: Hall, number: int) -> view.RiddleRecord:
    riddle = hall.riddle(number)
    return view.RiddleRecord(
        term=term_named(riddle),
        piece=riddle.figure.sculpture() if riddle.figure else None,
        solvers=list_of(riddle.solvers),
        answers=answers_of(riddle),
        asked=questions_of(riddle.asked),
        sheets=[
            view.SheetRecord(
                seat=seat,
                places=[place for place in map(place_named, members_of(riddle.sheet(seat).places)) if place],
                wrong=ids_of(riddle.sheet(seat).wrong),
                close=ids_of(riddle.sheet(seat).close),
            )
            for seat in range(hall.seats)
            if seat != hall.modeller(number)
        ],
    )


def read(record: view.WizardRecord) -> Hall:
    """Read a table back; raise BrokenRecordError if an invariant does not hold."""
    hall = open_table(record, len(record.wizards))
    hall.ply = record.ply
    hall.silent = set_of(record.silent, "/silent")
    for number, written_riddle in enumerate(record.riddles):
        riddle = hall.riddle(number)
        pointer = f"/riddles/{number}"
        if written_riddle.term is not None:
            set_term(hall, riddle, written_riddle.term, f"{pointer}/term")
            hall.modelled |= bit(hall.modeller(number))
        set_open_riddle(riddle, written_riddle, pointer)
        seats = [seat for seat in range(hall.seats) if seat != hall.modeller(number)]
        demand([sheet.seat for sheet in written_riddle.sheets] == seats, "BR-36", "sheet_wrong", f"{pointer}/sheets")
        for sheet in written_riddle.sheets:
            if sheet.places or sheet.wrong or sheet.close:
                riddle.put_sheet(sheet.seat, sheet_from(sheet, f"{pointer}/sheets"))
    check(hall)
    return hall


# Common parts of a record and a view.


def open_table(told: view.WizardRecord | view.WizardView, seats: int) -> Hall:
    """Return a table with its open parts except the riddles; raise BrokenRecordError for a wrong number of parts."""
    hall = Hall(seats, table_options(told.options), beginner(), beginner(), beginner(), beginner())
    demand(seats in {3, 4} and len(told.wizards) == seats, "BR-1", "seats_wrong", "/wizards")
    demand(len(told.riddles) == hall.total(), "BR-12", "riddles_wrong", "/riddles")
    hall.phase = view.PHASES.index(told.phase)
    hall.starter, hall.turn, hall.turns = told.starter, told.turn, told.turns
    hall.questions = told.questions
    hall.winners = set_of(told.winners, "/winners")
    for seat, wizard in enumerate(told.wizards):
        demand(wizard.seat == seat, "BR-1", "seats_wrong", f"/wizards/{seat}/seat")
        player = hall.player(seat)
        player.cave, player.stones, player.curses, player.hat = wizard.cave, wizard.stones, wizard.curses, wizard.hat
    hall.talk = tuple(question.text for question in told.free_questions)
    hall.spoken = tuple(
        pack_speech(question.seat, question.riddle, view.SAID.index(question.said)) for question in told.free_questions
    )
    hall.tries = tuple(attempt.words or UNHEARD for attempt in told.worded_attempts)
    hall.tried = tuple(
        pack_speech(attempt.seat, attempt.riddle, view.JUDGED.index(attempt.verdict))
        for attempt in told.worded_attempts
    )
    owed = hall.phase in {ANSWERING, GIVING, JUDGING}
    demand((told.pending is not None) == owed, "BR-D15", "pending_wrong", "/pending")
    if told.pending is not None:
        demand(told.pending.riddle < hall.total(), "BR-12", "riddles_wrong", "/pending/riddle")
        hall.asker, hall.open_riddle = told.pending.asker, told.pending.riddle
        hall.resume = view.PHASES.index(told.pending.interrupted)
        hall.closing = told.pending.closing
        question = told.pending.question
        hall.open_question = ATTRIBUTE_COUNT if question is None else attribute_from(question, "/pending/question")
        hall.open_guess = open_guess(told)
    return hall


def set_open_riddle(riddle: Riddle, told: view.RiddleRecord | view.Exhibit, pointer: str) -> None:
    """Set the public knowledge of a riddle."""
    riddle.figure = None if told.piece is None else handed_in(settle(told.piece))
    riddle.solvers = set_of(told.solvers, f"{pointer}/solvers")
    riddle.no = asked_from(told.answers.no, f"{pointer}/answers/no")
    riddle.yes = asked_from(told.answers.yes, f"{pointer}/answers/yes")
    riddle.perhaps = asked_from(told.answers.perhaps, f"{pointer}/answers/perhaps")
    riddle.unclear = asked_from(told.answers.unclear, f"{pointer}/answers/unclear")
    riddle.asked = asked_from(told.asked, f"{pointer}/asked")


def wizards(hall: Hall) -> list[view.Wizard]:
    """Return the public possessions of the players."""
    return [
        view.Wizard(seat=seat, cave=player.cave, stones=player.stones, curses=player.curses, hat=player.hat)
        for seat, player in enumerate(map(hall.player, range(hall.seats)))
    ]


def free_questions(hall: Hall) -> list[view.FreeQuestion]:
    """Return the questions in players' own words."""
    return [
        view.FreeQuestion(seat=part(said, 0, 4), riddle=part(said, 4, 4), text=text, said=view.SAID[part(said, 8, 4)])
        for text, said in zip(hall.talk, hall.spoken, strict=True)
    ]


def worded_attempts(hall: Hall, viewers: frozenset[int]) -> list[view.WordedAttempt]:
    """Return the attempts in words beyond the table, with the words that one of some viewers knows (BR-36)."""
    found = []
    for words, made in zip(hall.tries, hall.tried, strict=True):
        seat, number = part(made, 0, 4), part(made, 4, 4)
        known = not viewers.isdisjoint({seat, hall.modeller(number)})
        verdict = view.JUDGED[part(made, 8, 4)]
        found.append(view.WordedAttempt(seat=seat, riddle=number, words=words if known else None, verdict=verdict))
    return found


def pending(hall: Hall, viewer: int) -> view.Pending | None:
    """Return a modeller's open duty; he and the attempter alone see the attempt (BR-36)."""
    if hall.phase not in {ANSWERING, GIVING, JUDGING}:
        return None
    told = hall.phase == JUDGING and hall.open_guess != NO_TERM
    knows = viewer in {hall.asker, hall.modeller(hall.open_riddle)}
    by_attribute = hall.phase == ANSWERING and hall.open_question < ATTRIBUTE_COUNT
    return view.Pending(
        asker=hall.asker,
        riddle=hall.open_riddle,
        question=ATTRIBUTES[hall.open_question].id if by_attribute else None,
        guess=TERMS[hall.open_guess].id if told and knows else None,
        interrupted=view.PHASES[hall.resume],
        closing=hall.closing,
    )


def answers_of(riddle: Riddle) -> view.Answers:
    """Return the answers about a riddle."""
    return view.Answers(
        no=questions_of(riddle.no),
        yes=questions_of(riddle.yes),
        perhaps=questions_of(riddle.perhaps),
        unclear=questions_of(riddle.unclear),
    )


# Between sets and lists, numbers and names.


def term_named(riddle: Riddle) -> str | None:
    """Return a riddle's term: its coordinate, or a word of its modeller's own (BR-13, BR-D47)."""
    if riddle.term == OWN_WORD:
        return riddle.word
    return None if riddle.term == NOTHING else TERMS[riddle.term].id


def set_term(hall: Hall, riddle: Riddle, name: str, pointer: str) -> None:
    """Set a riddle's term: one of the table, or if that is played a word beyond it (BR-13, BR-D47)."""
    if name in TERM_NUMBERS:
        riddle.term = TERM_NUMBERS[name]
        return
    letters = letters_in(name)
    fits = hall.options.words and 1 < len(letters) <= MAX_LETTERS and not set(letters) - set(ALPHABET)
    demand(fits, "BR-13", "term_unknown", pointer, term=name)
    riddle.term, riddle.word = OWN_WORD, name


def open_guess(told: view.WizardRecord | view.WizardView) -> int:
    """Return the term that waits for its verdict, NO_TERM for words, and any if that is not told (BR-D46)."""
    waiting = bool(told.worded_attempts) and told.worded_attempts[-1].verdict == "waiting"
    guess = told.pending.guess if told.pending is not None else None
    return NO_TERM if waiting else TERM_NUMBERS.get(guess or "", 0)


def list_of(members: int) -> list[int]:
    """Return a set of seats as numbers."""
    return [int(member) for member in members_of(members)]


def set_of(seats: list[int], pointer: str) -> int:
    """Return a list of seats as a set; it must stand in order."""
    if not seats:
        return 0
    demand(seats == sorted(set(seats)), "BR-1", "seats_wrong", pointer)
    return sum(bit(seat) for seat in seats)


def questions_of(asked: Asked) -> list[str]:
    """Return a set of attributes by name."""
    return [] if asked.none() else [ATTRIBUTES[number].id for number in asked.members()]


def attribute_from(question: str, pointer: str) -> int:
    """Return an attribute by name."""
    number = ATTRIBUTE_NUMBERS.get(question)
    if number is None:
        raise BrokenRecordError("BR-D30", "question_unknown", pointer)
    return number


def asked_from(questions: list[str], pointer: str) -> Asked:
    """Return attributes as a set; they must stand in order."""
    if not questions:
        return NOTHING_ASKED
    found = asked_of([attribute_from(question, pointer) for question in questions])
    if found is None:
        raise BrokenRecordError("BR-D31", "question_twice", pointer)
    return found


def ids_of(terms: Terms) -> list[str]:
    """Return a set of terms by their coordinates."""
    if terms.none():
        return []
    return [TERMS[word * WIDTH + int(member)].id for word in range(WORDS) for member in members_of(terms.word(word))]


def sheet_from(sheet: view.SheetRecord, pointer: str) -> Sheet:
    """Return the private knowledge of a seat."""
    places = places_from(sheet.places, pointer)
    return Sheet(places, terms_from(sheet.wrong, pointer), terms_from(sheet.close, pointer))


def terms_from(ids: list[str], pointer: str) -> Terms:
    """Return terms as a set; they must stand in order."""
    found = terms_of([TERM_NUMBERS[name] for name in ids])
    if found is None:
        raise BrokenRecordError("BR-36", "sheet_wrong", pointer)
    return found


def places_from(places: list[int], pointer: str) -> int:
    """Return places of letters as a set; they must stand in order."""
    if not places:
        return 0
    demand(0 not in places, "BR-D11", "place_none", pointer)
    numbers = [place_number(place) for place in places]
    demand(numbers == sorted(set(numbers)), "BR-D13", "sheet_wrong", pointer)
    return sum(bit(number) for number in numbers)
