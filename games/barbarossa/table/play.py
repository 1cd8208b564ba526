"""The effects of each move, and its events with their hearers; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.barbarossa import content
from games.barbarossa.table import codes, constants, notes, phases
from games.barbarossa.table.codes import explicitness_of, kind_of, modelled, riddle_of, term_of, what_of
from games.barbarossa.table.figure import Figure, handed_in
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, NO_TERM, OWN_WORD, SAMPLE_WORD, answer, is_close
from games.barbarossa.table.listing import can_give_any
from games.barbarossa.table.rounds import begin_round, end_idle_turn, end_round, end_turn, resume_round
from games.barbarossa.table.stairs import lift_others, solve_riddle
from games.barbarossa.terms.catalogue import NO
from games.core.bits import at, bit, nibble, part
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal

if TYPE_CHECKING:  # the hall imports its chapters
    from games.barbarossa.table.hall import Hall


def play(hall: Hall, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
    """Make a move."""
    kind: i64 = kind_of(move)
    if kind == codes.HOLD:  # nobody notices, so it counts as no move (BR-D17)
        hall.silent |= bit(seat)
        return
    hall.ply += 1
    hall.silent = 0
    if kind == codes.MODEL:
        model_riddles(hall, seat, move, dice, journal)
    elif kind == codes.ANSWER or kind == codes.REJECT:
        answer_by_hand(hall, seat, move, journal)
    elif kind == codes.GIVE:
        show_letter(hall, what_of(move), journal)
    elif kind == codes.ASK or kind == codes.ASK_FREELY:
        ask_question(hall, seat, move, journal)
    elif kind == codes.CURSE_LETTER or kind == codes.CURSE_ATTEMPT:
        speak_curse(hall, seat, move, journal)
    elif kind == codes.ATTEMPT:
        hall.closing = True
        attempt_riddle(hall, seat, move, journal)
    elif kind == codes.JUDGE:
        judge_attempt(hall, what_of(move), journal)
    elif kind == codes.LETTER:
        hall.closing = True
        ask_letter(hall, seat, move, journal)
    elif kind == codes.END_ROUND or kind == codes.FORGO:
        if journal is not None:
            journal.tell(EVERYONE, kind, seat, 0, 0)
        end_round(hall, journal)
    else:
        move_wizard(hall, seat, move, dice, journal)
    hall.content = ""


# Modelling.


def model_riddles(hall: Hall, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
    """Note a seat's terms and pieces; when all are done they stand in the hall (BR-13, BR-14, BR-17, BR-D41)."""
    own: i64 = 0
    index: i64
    for index in range(hall.each()):
        riddle = hall.renew(seat * hall.each() + index)
        riddle.term = term_of(move, index)
        if riddle.term == NO_TERM:
            riddle.term = OWN_WORD
            riddle.word = content.own_word(hall.content, own)
            own += 1
        elif riddle.term == SAMPLE_WORD:
            riddle.term = OWN_WORD
            riddle.word = content.sample_word(hall.options.language)
        explicitness: i64 = explicitness_of(move, index)
        if explicitness == codes.OWN:
            riddle.figure = handed_in(content.own_piece(hall.content, own))
            own += 1
        elif explicitness == codes.STOCK:
            riddle.figure = handed_in(content.STOCK_PIECE)
        else:
            hand: i64 = dice.below(constants.FINGERS, constants.HAND)
            hand = hand * constants.FINGERS + dice.below(constants.FINGERS, constants.HAND)
            riddle.figure = Figure(riddle.term, explicitness, hand, hall.each())
    hall.modelled |= bit(seat)
    if journal is not None:
        journal.tell(bit(seat), codes.MODEL, seat, 0, 0)
    if hall.modelled == hall.everyone():
        hall.phase = phases.MOVING
        if journal is not None:
            journal.tell(EVERYONE, notes.SHOWN, hall.turn, 0, 0)


# Moving.


def move_wizard(hall: Hall, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
    """Move the wizard by the die or by stones, and do what the cave says (BR-20, BR-21, BR-22, BR-23, BR-D3)."""
    player = hall.player(seat)
    steps: i64 = what_of(move)
    if kind_of(move) == codes.ROLL:
        steps = dice.below(constants.FACES, constants.FACE) + 1
    else:
        player.stones -= steps
    player.cave = (player.cave + steps) % constants.CAVES
    if journal is not None:
        journal.tell(EVERYONE, kind_of(move), seat, steps, player.cave)
    enter_cave(hall, seat, nibble(hall.options.ring, player.cave), journal)


def enter_cave(hall: Hall, seat: i64, kind: i64, journal: Journal | None) -> None:
    """Do what a cave does, or open what it allows (BR-25, BR-26, BR-45 to BR-47, BR-D4, BR-D22)."""
    if journal is not None:
        journal.tell(EVERYONE, notes.FIELD, seat, kind, 0)
    if kind == constants.RIDDLE:
        begin_round(hall, phases.FIRST_ROUND)
    elif kind == constants.DWARF:
        hall.phase = phases.DWARF_LETTER
    elif kind == constants.ELF:
        player = hall.player(seat)
        if player.stones < constants.STONE_LIMIT:
            player.stones += 1
        end_turn(hall, journal)
    else:
        lift: i64 = 1
        if kind == constants.GHOST:
            lift = 2
        lift_others(hall, seat, lift, journal)
        end_turn(hall, journal)
    end_idle_turn(hall, journal)


# Questions.


def ask_question(hall: Hall, seat: i64, move: i64, journal: Journal | None) -> None:
    """Handle a question about a riddle; the list answers, or its modeller has to (BR-27, BR-28, BR-D33)."""
    hall.questions += 1
    hall.asker = seat
    hall.open_riddle = riddle_of(move)
    hall.open_question = what_of(move)
    if kind_of(move) == codes.ASK_FREELY:
        hall.open_question = ATTRIBUTE_COUNT
        text = hall.content
        if what_of(move) == codes.SAMPLE:
            text = content.sample_question(hall.options.language)
        elif codes.WORDED <= what_of(move) < codes.WORDED + ATTRIBUTE_COUNT:
            text = content.worded_question(hall.options.language, what_of(move) - codes.WORDED)
        hall.talk = (*hall.talk, text)
        hall.spoken = (*hall.spoken, pack_speech(seat, hall.open_riddle, constants.UNANSWERED))
    else:
        riddle = hall.renew(hall.open_riddle)
        riddle.asked = riddle.asked.plus(hall.open_question)
    if journal is not None:
        last: i64 = len(hall.talk)
        journal.tell(EVERYONE, notes.ASKED, seat, hall.open_riddle, hall.open_question + at(last, 8))
    hall.resume = hall.phase
    hall.phase = phases.ANSWERING
    if hall.options.answering == constants.AUTOMATIC and hall.open_question < ATTRIBUTE_COUNT:
        give_answer(hall, answer(hall.riddle(hall.open_riddle).term, hall.open_question), journal)


def answer_by_hand(hall: Hall, seat: i64, move: i64, journal: Journal | None) -> None:
    """Answer as the modeller, or reject what may not be asked (BR-29, BR-31, BR-D35)."""
    if kind_of(move) == codes.ANSWER:
        given: i64 = what_of(move) % codes.INSIST
        if given != what_of(move) and journal is not None:
            journal.tell(bit(seat), notes.INSISTED, seat, hall.open_riddle, hall.open_question + at(given, 8))
        give_answer(hall, given, journal)
        return
    write_answer(hall, constants.REJECTED)
    resume_round(hall)
    if journal is not None:
        journal.tell(EVERYONE, codes.REJECT, seat, hall.open_riddle, 0)


def give_answer(hall: Hall, given: i64, journal: Journal | None) -> None:
    """Publish the answer; a no ends the round (BR-28, BR-32, BR-34, BR-D6)."""
    if hall.open_question < ATTRIBUTE_COUNT:
        hall.renew(hall.open_riddle).put_answer(given, hall.open_question)
    else:
        write_answer(hall, given)
    if journal is not None:
        what: i64 = hall.open_question
        journal.tell(EVERYONE, codes.ANSWER, hall.modeller(hall.open_riddle), hall.open_riddle, what + at(given, 8))
    resume_round(hall)
    if given == NO:
        end_round(hall, journal)


def write_answer(hall: Hall, given: i64) -> None:
    """Write down what was said to the last free question."""
    last: i64 = hall.spoken[-1]
    hall.spoken = (*hall.spoken[:-1], pack_speech(part(last, 0, 4), part(last, 4, 4), given))


# Letters, attempts and curses.


def speak_curse(hall: Hall, seat: i64, move: i64, journal: Journal | None) -> None:
    """Pay a stone for a letter or an attempt, then continue (BR-52 to BR-55, BR-D18, BR-D20)."""
    hall.player(seat).curses -= 1
    hall.closing = False
    if kind_of(move) == codes.CURSE_LETTER:
        ask_letter(hall, seat, move, journal)
    else:
        attempt_riddle(hall, seat, move, journal)


def ask_letter(hall: Hall, seat: i64, move: i64, journal: Journal | None) -> None:
    """Handle a request for a letter: all see its place, the asker the letter (BR-49, BR-50, BR-D11, BR-D12, BR-D40)."""
    hall.asker = seat
    hall.open_riddle = riddle_of(move)
    if journal is not None:
        journal.tell(EVERYONE, kind_of(move), seat, hall.open_riddle, what_of(move))
    hall.resume = hall.phase
    if what_of(move) == codes.ANY and can_give_any(hall):
        hall.phase = phases.GIVING
    else:
        show_letter(hall, what_of(move), journal)


def show_letter(hall: Hall, place: i64, journal: Journal | None) -> None:
    """Show the asker a letter, or that there is none; by dwarf or variant it ends the turn (BR-25, BR-65)."""
    mark: i64 = 0
    if place != codes.ANY:
        riddle = hall.renew(hall.open_riddle)
        riddle.put_sheet(hall.asker, riddle.sheet(hall.asker).with_place(place))
        mark = hall.letter(hall.open_riddle, place)
    if journal is not None:
        pair: i64 = bit(hall.asker) | bit(hall.modeller(hall.open_riddle))
        journal.tell(pair, notes.LETTER, hall.asker, hall.open_riddle, place + at(mark, 8))
    resume_round(hall)
    if hall.closing:
        hall.closing = False
        end_turn(hall, journal)
    else:
        end_idle_turn(hall, journal)


def attempt_riddle(hall: Hall, seat: i64, move: i64, journal: Journal | None) -> None:
    """Show a word to the modeller, who judges it where it is not simply right (BR-36, BR-37, BR-D46)."""
    number: i64 = riddle_of(move)
    term: i64 = what_of(move)
    verdict: i64 = verdict_of(hall, number, term)
    hall.asker = seat
    hall.open_riddle = number
    hall.open_guess = term
    if term == NO_TERM:
        hall.tries = (*hall.tries, hall.content)
        hall.tried = (*hall.tried, pack_speech(seat, number, constants.UNJUDGED))
    if not hall.options.judging or verdict == constants.RIGHT:
        apply_verdict(hall, verdict, kind_of(move) == codes.CURSE_ATTEMPT, journal)
        return
    if journal is not None:
        note_attempt(hall, notes.TRIED, 0, kind_of(move) == codes.CURSE_ATTEMPT, journal)
    hall.resume = hall.phase
    hall.phase = phases.JUDGING


def judge_attempt(hall: Hall, verdict: i64, journal: Journal | None) -> None:
    """Give the modeller's verdict, then go on where the attempt was made (BR-37, BR-38, BR-D46)."""
    resume_round(hall)
    apply_verdict(hall, verdict, False, journal)  # that it was a curse was told when it was written down


def apply_verdict(hall: Hall, verdict: i64, cursed: bool, journal: Journal | None) -> None:
    """Publish the verdict, show modeller and attempter the word, and apply the effects (BR-36 to BR-39, BR-D10)."""
    if hall.open_guess == NO_TERM:
        last: i64 = hall.tried[-1]
        hall.tried = (*hall.tried[:-1], pack_speech(part(last, 0, 4), part(last, 4, 4), verdict))
    elif verdict != constants.RIGHT:
        riddle = hall.renew(hall.open_riddle)
        sheet = riddle.sheet(hall.asker).with_attempt(hall.open_guess, verdict == constants.NEAR)
        riddle.put_sheet(hall.asker, sheet)
    if journal is not None:
        kind: i64 = codes.ATTEMPT
        if cursed:
            kind = codes.CURSE_ATTEMPT
        note_attempt(hall, kind, verdict, False, journal)
    closing: bool = hall.closing
    hall.closing = False
    if verdict == constants.RIGHT:
        solve_riddle(hall, hall.asker, hall.open_riddle, journal)
    if closing:
        end_turn(hall, journal)
    else:
        end_idle_turn(hall, journal)


def note_attempt(hall: Hall, kind: i64, what: i64, cursed: bool, journal: Journal) -> None:
    """Record an attempt with its word for attempter and modeller, without it for all others (BR-36, BR-D10)."""
    pair: i64 = bit(hall.asker) | bit(hall.modeller(hall.open_riddle))
    seen: i64 = what
    if cursed:
        seen = 1
    words: i64 = 0
    if hall.open_guess == NO_TERM:
        words = len(hall.tries)
    journal.tell(pair, kind, hall.asker, hall.open_riddle, seen + at(hall.open_guess + 1, 4) + at(words, 14))
    journal.tell(EVERYONE & ~pair, kind, hall.asker, hall.open_riddle, seen)


def verdict_of(hall: Hall, number: i64, term: i64) -> i64:
    """Return the table's verdict on an attempt (BR-37, BR-38, BR-D39, BR-D47)."""
    riddle = hall.riddle(number)
    if term == NO_TERM:
        if riddle.term == OWN_WORD and content.same_words(hall.content, riddle.word, hall.options.language):
            return constants.RIGHT
        return constants.WRONG
    if term == riddle.term:
        return constants.RIGHT
    if hall.options.hints and is_close(riddle.term, term):
        return constants.NEAR
    return constants.WRONG


def seen_modelling(hall: Hall, seat: i64, move: i64) -> i64:
    """Return the public part of a modelling: nothing before the last, then its pieces (BR-17, BR-D41)."""
    seen: i64 = codes.MODEL
    if (hall.modelled | bit(seat)) != hall.everyone():
        return seen
    index: i64
    for index in range(hall.each()):
        explicitness: i64 = explicitness_of(move, index)
        term: i64 = term_of(move, index)
        if explicitness >= codes.STOCK:
            term = 0
        seen |= modelled(index, term, explicitness)
    return seen


def pack_speech(seat: i64, riddle: i64, given: i64) -> int:
    """Pack the asker and the riddle of a free question with its answer."""
    return seat + at(riddle, 4) + at(given, 8)
