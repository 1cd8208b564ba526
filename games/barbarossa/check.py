"""The invariants of a table, each with its rule."""

from __future__ import annotations

from games.barbarossa.table import phases
from games.barbarossa.table.constants import (
    AUTOMATIC,
    DWARF,
    REJECTED,
    RIDDLE,
    SPEARS,
    STONE_LIMIT,
    STRUCTURED,
    UNANSWERED,
    UNJUDGED,
)
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.holds import answers_hold, attempts_hold, letters_hold, terms_differ
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, NO_TERM, TERM_COUNT
from games.barbarossa.table.listing import can_give_any
from games.barbarossa.table.riddle import FULL, NOTHING, Riddle
from games.barbarossa.table.stairs import at_goal, farthest
from games.core.bits import bit, count, full, has, nibble, part
from games.core.game import BrokenRecordError


def demand(fits: bool, rule: str, reason: str, pointer: str, **params: object) -> None:
    """Raise BrokenRecordError if an invariant does not hold."""
    if not fits:
        raise BrokenRecordError(rule, reason, pointer, **params)


def check(hall: Hall) -> None:
    """Raise BrokenRecordError if a table breaks an invariant of the game."""
    check_open(hall)
    for number in range(hall.total()):
        riddle, pointer = hall.riddle(number), f"/riddles/{number}"
        known = riddle.term != NOTHING
        demand(not known or terms_differ(hall, number), "BR-D1", "term_twice", f"{pointer}/term")
        demand(
            known == has(hall.modelled, hall.modeller(number)) == (riddle.figure is not None),
            "BR-12",
            "piece_wrong",
            pointer,
        )
        if known:
            check_answers(hall, riddle, pointer)
            check_sheets(hall, number, pointer)
        if hall.phase == phases.MODELLING:
            check_untouched(hall, riddle, pointer)
    if hall.phase == phases.JUDGING and hall.open_guess != NO_TERM:
        sheet = hall.riddle(hall.open_riddle).sheet(hall.asker)
        fresh = not sheet.wrong.has(hall.open_guess) and not sheet.close.has(hall.open_guess)
        fits = fresh and hall.open_guess < TERM_COUNT and hall.open_guess != hall.riddle(hall.open_riddle).term
        demand(fits, "BR-D46", "pending_wrong", "/pending/guess")


def check_open(hall: Hall) -> None:
    """Check the parts that every viewer sees, and so no term nor word."""
    demand(hall.turn < hall.seats and hall.starter < hall.seats, "BR-19", "turn_wrong", "/turn")
    demand((hall.starter + hall.turns) % hall.seats == hall.turn, "BR-19", "turn_wrong", "/turns")
    for seat in range(hall.seats):
        player = hall.player(seat)
        demand(player.stones <= STONE_LIMIT, "BR-48", "stones_wrong", f"/wizards/{seat}/stones")
        if hall.phase != phases.OVER:
            within = hall.options.floor <= player.hat < hall.options.goal
            demand(within, "BR-63", "hat_wrong", f"/wizards/{seat}/hat")
    hall.spears = 0
    for number in range(hall.total()):
        check_spears(hall, number)
    check_talk(hall)
    check_tries(hall)
    check_phase(hall)
    check_pending(hall)
    check_end(hall)


def check_spears(hall: Hall, number: int) -> None:
    """At most two spears in a riddle, of others than its modeller (BR-42, BR-D8)."""
    riddle, pointer = hall.riddle(number), f"/riddles/{number}"
    others = full(hall.seats) & ~bit(hall.modeller(number))
    demand(
        not riddle.solvers & ~others and count(riddle.solvers) <= FULL, "BR-42", "solvers_wrong", f"{pointer}/solvers"
    )
    hall.spears += riddle.spears()


def check_talk(hall: Hall) -> None:
    """Free questions about others' riddles, where they are played; only the last one waits (BR-27, BR-D30)."""
    demand(hall.options.asking != STRUCTURED or not hall.talk, "BR-D30", "question_wrong", "/free_questions")
    waiting = hall.phase == phases.ANSWERING and hall.open_question == ATTRIBUTE_COUNT
    for index, said in enumerate(hall.spoken):
        seat, number, given = part(said, 0, 4), part(said, 4, 4), part(said, 8, 4)
        pointer = f"/free_questions/{index}"
        others = seat < hall.seats and number < hall.total() and hall.modeller(number) != seat
        demand(others, "BR-27", "question_wrong", pointer)
        last = waiting and index == len(hall.spoken) - 1
        demand((given == UNANSWERED) == last and given <= REJECTED, "BR-29", "question_wrong", pointer)
    if waiting:
        fits = bool(hall.spoken) and hall.spoken[-1] % bit(8) == hall.asker + 16 * hall.open_riddle
        demand(fits, "BR-29", "pending_wrong", "/pending")


def check_tries(hall: Hall) -> None:
    """Words beyond the table at others' riddles, where they are judged; only the last ones wait (BR-36, BR-D46)."""
    waiting = hall.phase == phases.JUDGING and hall.open_guess == NO_TERM
    demand(hall.options.judging or not hall.tries, "BR-D37", "attempt_wrong", "/worded_attempts")
    for index, made in enumerate(hall.tried):
        seat, number, verdict = part(made, 0, 4), part(made, 4, 4), part(made, 8, 4)
        others = seat < hall.seats and number < hall.total() and hall.modeller(number) != seat
        last = waiting and index == len(hall.tried) - 1
        fits = others and (verdict == UNJUDGED) == last
        demand(fits, "BR-D46", "attempt_wrong", f"/worded_attempts/{index}")
    if waiting:
        fits = hall.tried[-1] % bit(8) == hall.asker + 16 * hall.open_riddle
        demand(fits, "BR-D46", "pending_wrong", "/pending")


def check_phase(hall: Hall) -> None:
    """See that the state of the turn has riddles, a cave and something left to do (BR-26, BR-49, BR-D22)."""
    phase = hall.resume if hall.phase in {phases.ANSWERING, phases.GIVING, phases.JUDGING} else hall.phase
    if hall.phase == phases.MODELLING:
        fresh = not (hall.spears or hall.turns or hall.questions or hall.talk or hall.silent)
        demand(fresh and hall.modelled != hall.everyone(), "BR-D41", "phase_wrong", "/phase")
        return
    demand(hall.modelled == hall.everyone(), "BR-17", "phase_wrong", "/phase")
    cave = nibble(hall.options.ring, hall.player(hall.turn).cave)
    rounds = phase in {phases.FIRST_ROUND, phases.SECOND_ROUND}
    demand(not rounds or cave == RIDDLE, "BR-26", "phase_wrong", "/phase")
    demand(not rounds or hall.askable(hall.turn) != 0, "BR-D22", "phase_wrong", "/phase")
    demand(phase != phases.DWARF_LETTER or cave == DWARF, "BR-49", "phase_wrong", "/phase")
    demand(phase != phases.DWARF_LETTER or hall.unsolved(hall.turn) != 0, "BR-D22", "phase_wrong", "/phase")
    demand(
        hall.questions <= (hall.options.question_cap if rounds or phase == phases.OVER else 0),
        "BR-D32",
        "questions_wrong",
        "/questions",
    )
    asked = sum(
        count(hall.riddle(number).asked.low) + count(hall.riddle(number).asked.high) for number in range(hall.total())
    )
    demand(asked <= hall.questions, "BR-D31", "questions_wrong", "/questions")
    cursable = sum(bit(seat) for seat in range(hall.seats) if seat != hall.turn and hall.may_curse(seat))
    demand(not hall.silent & ~cursable, "BR-D17", "silent_wrong", "/silent")


def check_pending(hall: Hall) -> None:
    """See that an answer is owed in a round, a letter where it is chosen, a verdict where it is given (BR-D40)."""
    if hall.phase not in {phases.ANSWERING, phases.GIVING, phases.JUDGING}:
        return
    demand(hall.asker < hall.seats, "BR-29", "pending_wrong", "/pending/asker")
    if hall.phase == phases.ANSWERING:
        fits = hall.asker == hall.turn and has(hall.askable(hall.asker), hall.open_riddle) and not hall.closing
        by_hand = hall.open_question == ATTRIBUTE_COUNT or hall.options.answering != AUTOMATIC
        demand(
            fits and by_hand and hall.resume in {phases.FIRST_ROUND, phases.SECOND_ROUND},
            "BR-29",
            "pending_wrong",
            "/pending",
        )
        return
    curse = hall.resume in {phases.MOVING, phases.FIRST_ROUND, phases.DWARF_LETTER}
    if hall.phase == phases.JUDGING:
        fits = has(hall.unsolved(hall.asker), hall.open_riddle) and hall.options.judging
        own = hall.asker == hall.turn and hall.resume == phases.SECOND_ROUND
        demand(fits and (own if hall.closing else curse), "BR-D46", "pending_wrong", "/pending")
        return
    own = hall.asker == hall.turn and (
        hall.resume == phases.DWARF_LETTER or (hall.resume == phases.SECOND_ROUND and hall.options.simple)
    )
    fits = has(hall.unsolved(hall.asker), hall.open_riddle) and hall.options.choosing
    demand(fits and (own if hall.closing else curse), "BR-D40", "pending_wrong", "/pending")


def check_end(hall: Hall) -> None:
    """See that the game ends at goal, thirteenth spear or cap, and that the right ones have won (BR-59, BR-63)."""
    finished = at_goal(hall)
    over = bool(finished) or hall.spears >= SPEARS or hall.turns >= hall.options.turn_cap
    demand(over == (hall.phase == phases.OVER) and hall.spears <= SPEARS, "BR-59", "end_wrong", "/phase")
    winners = farthest(hall, finished or full(hall.seats)) if over else 0
    demand(hall.winners == winners, "BR-62", "end_wrong", "/winners")


def check_answers(hall: Hall, riddle: Riddle, pointer: str) -> None:
    """Check that the list's answers are correct; a person may insist on another answer (BR-29, BR-D33)."""
    fits = hall.options.answering != AUTOMATIC or answers_hold(riddle)
    demand(fits, "BR-29", "answer_wrong", f"{pointer}/answers")


def check_untouched(hall: Hall, riddle: Riddle, pointer: str) -> None:
    """See that nobody has asked about a riddle or knows its letters before all pieces stand (BR-17)."""
    answers = (riddle.asked, riddle.no, riddle.yes, riddle.perhaps, riddle.unclear)
    demand(all(questions.none() for questions in answers), "BR-17", "phase_wrong", f"{pointer}/answers")
    sheets = [riddle.sheet(seat) for seat in range(hall.seats)]
    known = any(sheet.places or not sheet.wrong.none() or not sheet.close.none() for sheet in sheets)
    demand(not known, "BR-17", "sheet_wrong", f"{pointer}/sheets")


def check_sheets(hall: Hall, number: int, pointer: str) -> None:
    """See that failed attempts are of other terms, with the right verdict, and letters exist (BR-36, BR-38)."""
    demand(attempts_hold(hall, number), "BR-38", "sheet_wrong", f"{pointer}/sheets")
    if hall.options.choosing:
        demand(letters_hold(hall, number), "BR-D40", "sheet_wrong", f"{pointer}/sheets")
    if hall.phase == phases.GIVING and number == hall.open_riddle:
        demand(can_give_any(hall), "BR-D40", "pending_wrong", "/pending")
