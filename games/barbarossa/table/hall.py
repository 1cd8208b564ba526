"""The hall in play: what each move does, and what becomes known to whom; compiled.

`sitting.py` says how the table lies, `listing.py` what is legal, `stairs.py` how hats move and the game ends.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.barbarossa.studio import (
    own_piece,
    own_word,
    piece_of,
    same_words,
    sample_question,
    sample_word,
    stock_piece,
    worded_question,
)
from games.barbarossa.table.codes import (
    ANSWER,
    ANY,
    ASK,
    ASK_FREELY,
    ATTEMPT,
    CURSE_ATTEMPT,
    CURSE_LETTER,
    END_ROUND,
    FORGO,
    GIVE,
    HOLD,
    INSIST,
    JUDGE,
    LETTER,
    MODEL,
    OWN,
    REJECT,
    ROLL,
    SAMPLE,
    STOCK,
    WORDED,
    code,
    explicitness_of,
    kind_of,
    modelled,
    riddle_of,
    term_of,
    what_of,
)
from games.barbarossa.table.deal import candidates_of, redealt
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, NO_TERM, OWN_WORD, SAMPLE_WORD, answer, is_close
from games.barbarossa.table.listing import can_give_any, moves_of
from games.barbarossa.table.riddle import Terms
from games.barbarossa.table.rounds import Rounds
from games.barbarossa.table.sitting import (
    ANSWERING,
    AUTOMATIC,
    CAVES,
    DWARF,
    DWARF_LETTER,
    ELF,
    FIRST_ROUND,
    GHOST,
    GIVING,
    JUDGING,
    MOVING,
    NOBODY,
    RIDDLE,
    House,
    beginner,
)
from games.barbarossa.table.stairs import (
    TOLD_ASKED,
    TOLD_FIELD,
    TOLD_INSISTED,
    TOLD_LETTER,
    TOLD_SHOWN,
    TOLD_TRIED,
)
from games.barbarossa.terms.catalogue import NO
from games.core.bits import at, bit, nibble, part
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal

STARTER: Final = 0
FACE: Final = 1
HAND: Final = 2
"""What chance decides: the first player, the die, and the fingers that knead."""

FACES: Final = 6
FINGERS: Final = 1_000_000_000
"""Two draws of so many, so that nobody can try every hand that may have kneaded a piece (BR-D43)."""

STONE_LIMIT: Final = 13

WRONG: Final = 0
NEAR: Final = 1
RIGHT: Final = 2
UNJUDGED: Final = 3
"""Verdicts, and that there is none yet."""

UNANSWERED: Final = 4
REJECTED: Final = 5
"""What is written of a free question beside the four answers."""


@mypyc_attr(acyclic=True)
class Hall(Rounds):
    """One sitting of the wizards, in play."""

    __slots__ = ()

    def clone(self) -> Hall:
        """Return a copy that shares nothing changeable."""
        copy = Hall(
            self.seats,
            self.house.clone(),
            self.first.clone(),
            self.second.clone(),
            self.third.clone(),
            self.fourth.clone(),
        )
        copy.lie_like(self)
        return copy

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat; of modellings and free questions, examples."""
        return moves_of(self, seat)

    def candidates(self, seat: i64) -> vec[i64]:
        """Return the legal moves without attempts that the seat knows to be wrong."""
        found = vec[i64](capacity=64)
        last: i64 = NOBODY
        possible: Terms | None = None
        for move in moves_of(self, seat):
            kind: i64 = kind_of(move)
            if kind == ATTEMPT or kind == CURSE_ATTEMPT:
                if possible is None or riddle_of(move) != last:
                    last = riddle_of(move)
                    possible = candidates_of(self, seat, last)
                if not possible.has(what_of(move)):
                    continue
            found = append(found, move)
        return found

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal anew the terms, words and letters that a seat, or SPECTATOR, cannot know."""
        redealt(self, seat, dice)

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return a move as a viewer sees it: terms and words are seen by those they concern (BR-14, BR-36, BR-D10)."""
        kind: i64 = kind_of(move)
        if viewer == seat:
            return move
        if kind == MODEL:
            return self.shown(seat, move)
        if kind == GIVE and viewer != self.asker:
            return kind
        if kind == ANSWER:
            return code(kind, 0, what_of(move) % INSIST)
        if (kind == ATTEMPT or kind == CURSE_ATTEMPT) and viewer != self.modeller(riddle_of(move)):
            verdict: i64 = self.verdict(riddle_of(move), what_of(move))
            return code(kind, riddle_of(move), UNJUDGED if self.house.judging and verdict != RIGHT else verdict)
        return move

    def shown(self, seat: i64, move: i64) -> i64:
        """Return what all see of a modelling: nothing before the last, then its pieces (BR-17, BR-D41)."""
        seen: i64 = MODEL
        if (self.modelled | bit(seat)) != self.everyone():
            return seen
        index: i64
        for index in range(self.each()):
            explicitness: i64 = explicitness_of(move, index)
            term: i64 = term_of(move, index)
            if explicitness >= STOCK:
                term = 0
            seen |= modelled(index, term, explicitness)
        return seen

    # What a move does.

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        kind: i64 = kind_of(move)
        if kind == HOLD:  # nobody notices, so it counts as no move (BR-D17)
            self.silent |= bit(seat)
            return
        self.ply += 1
        self.silent = 0
        if kind == MODEL:
            self.model(seat, move, dice, journal)
        elif kind == ANSWER or kind == REJECT:
            self.answer_by_hand(seat, move, journal)
        elif kind == GIVE:
            self.show(what_of(move), journal)
        elif kind == ASK or kind == ASK_FREELY:
            self.ask(seat, move, journal)
        elif kind == CURSE_LETTER or kind == CURSE_ATTEMPT:
            self.curse(seat, move, journal)
        elif kind == ATTEMPT:
            self.closing = True
            self.attempt(seat, move, journal)
        elif kind == JUDGE:
            self.judge(what_of(move), journal)
        elif kind == LETTER:
            self.closing = True
            self.ask_letter(seat, move, journal)
        elif kind == END_ROUND or kind == FORGO:
            if journal is not None:
                journal.tell(EVERYONE, kind, seat, 0, 0)
            self.end_round(journal)
        else:
            self.walk(seat, move, dice, journal)
        self.paper = ""

    # Modelling.

    def model(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Note a seat's terms and pieces; when all are done they stand in the hall (BR-13, BR-14, BR-17, BR-D41)."""
        player = self.player(seat)
        own: i64 = 0
        index: i64
        for index in range(self.each()):
            riddle = player.riddle(index)
            riddle.term = term_of(move, index)
            if riddle.term == NO_TERM:
                riddle.term = OWN_WORD
                riddle.word = own_word(self.paper, own)
                own += 1
            elif riddle.term == SAMPLE_WORD:
                riddle.term = OWN_WORD
                riddle.word = sample_word(self.house.language)
            explicitness: i64 = explicitness_of(move, index)
            if explicitness == OWN:
                riddle.piece = own_piece(self.paper, own)
                own += 1
            elif explicitness == STOCK:
                riddle.piece = stock_piece()
            else:
                hand: i64 = dice.below(FINGERS, HAND) * FINGERS + dice.below(FINGERS, HAND)
                riddle.piece = piece_of(riddle.term, explicitness, hand, self.each(), self.house.edition)
        self.modelled |= bit(seat)
        if journal is not None:
            journal.tell(bit(seat), MODEL, seat, 0, 0)
        if self.modelled == self.everyone():
            self.phase = MOVING
            if journal is not None:
                journal.tell(EVERYONE, TOLD_SHOWN, self.turn, 0, 0)

    # Moving.

    def walk(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Move the wizard by the die or by stones, and do what the cave says (BR-20, BR-21, BR-22, BR-23, BR-D3)."""
        player = self.player(seat)
        steps: i64 = what_of(move)
        if kind_of(move) == ROLL:
            steps = dice.below(FACES, FACE) + 1
        else:
            player.stones -= steps
        player.cave = (player.cave + steps) % CAVES
        if journal is not None:
            journal.tell(EVERYONE, kind_of(move), seat, steps, player.cave)
        self.land(seat, nibble(self.house.ring, player.cave), journal)

    def land(self, seat: i64, kind: i64, journal: Journal | None) -> None:
        """Do what a cave does, or open what it allows (BR-25, BR-26, BR-45 to BR-47, BR-D4, BR-D22)."""
        if journal is not None:
            journal.tell(EVERYONE, TOLD_FIELD, seat, kind, 0)
        if kind == RIDDLE:
            self.begin_round(FIRST_ROUND)
        elif kind == DWARF:
            self.phase = DWARF_LETTER
        elif kind == ELF:
            player = self.player(seat)
            if player.stones < STONE_LIMIT:
                player.stones += 1
            self.end_turn(journal)
        else:
            lift: i64 = 1
            if kind == GHOST:
                lift = 2
            self.lift_others(seat, lift, journal)
            self.end_turn(journal)
        self.go_on(journal)

    # Questions.

    def ask(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Ask about a riddle; the list answers, or its modeller has to (BR-27, BR-28, BR-D33)."""
        self.questions += 1
        self.asker = seat
        self.open_riddle = riddle_of(move)
        self.open_question = what_of(move)
        riddle = self.riddle(self.open_riddle)
        if kind_of(move) == ASK_FREELY:
            self.open_question = ATTRIBUTE_COUNT
            text = self.paper
            if what_of(move) == SAMPLE:
                text = sample_question(self.house.language)
            elif WORDED <= what_of(move) < WORDED + ATTRIBUTE_COUNT:
                text = worded_question(self.house.language, what_of(move) - WORDED)
            self.talk = (*self.talk, text)
            self.spoken = (*self.spoken, spoken(seat, self.open_riddle, UNANSWERED))
        else:
            riddle.asked.add(self.open_question)
        if journal is not None:
            last: i64 = len(self.talk)
            journal.tell(EVERYONE, TOLD_ASKED, seat, self.open_riddle, self.open_question + at(last, 8))
        self.resume = self.phase
        self.phase = ANSWERING
        if self.house.answering == AUTOMATIC and self.open_question < ATTRIBUTE_COUNT:
            self.hear(answer(riddle.term, self.open_question, self.house.edition), journal)

    def answer_by_hand(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Answer as the modeller, or reject what may not be asked (BR-29, BR-31, BR-D35)."""
        if kind_of(move) == ANSWER:
            given: i64 = what_of(move) % INSIST
            if given != what_of(move) and journal is not None:
                journal.tell(bit(seat), TOLD_INSISTED, seat, self.open_riddle, self.open_question + at(given, 8))
            self.hear(given, journal)
            return
        self.write_answer(REJECTED)
        self.resume_round()
        if journal is not None:
            journal.tell(EVERYONE, REJECT, seat, self.open_riddle, 0)

    def hear(self, given: i64, journal: Journal | None) -> None:
        """Tell all the answer; a no ends the round (BR-28, BR-32, BR-34, BR-D6)."""
        if self.open_question < ATTRIBUTE_COUNT:
            self.riddle(self.open_riddle).answered(given).add(self.open_question)
        else:
            self.write_answer(given)
        if journal is not None:
            what: i64 = self.open_question
            journal.tell(EVERYONE, ANSWER, self.modeller(self.open_riddle), self.open_riddle, what + at(given, 8))
        self.resume_round()
        if given == NO:
            self.end_round(journal)

    def write_answer(self, given: i64) -> None:
        """Write down what was said to the last free question."""
        last: i64 = self.spoken[-1]
        self.spoken = (*self.spoken[:-1], spoken(part(last, 0, 4), part(last, 4, 4), given))

    # Letters, attempts and curses.

    def curse(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Give a stone up for a letter or an attempt, then go on (BR-52 to BR-55, BR-D18, BR-D20)."""
        self.player(seat).curses -= 1
        if kind_of(move) == CURSE_LETTER:
            self.closing = False
            self.ask_letter(seat, move, journal)
        else:
            self.closing = False
            self.attempt(seat, move, journal)

    def ask_letter(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Ask for a letter: all hear which, the asker alone learns it (BR-49, BR-50, BR-D11, BR-D12, BR-D40)."""
        self.asker = seat
        self.open_riddle = riddle_of(move)
        if journal is not None:
            journal.tell(EVERYONE, kind_of(move), seat, self.open_riddle, what_of(move))
        self.resume = self.phase
        if what_of(move) == ANY and can_give_any(self):
            self.phase = GIVING
        else:
            self.show(what_of(move), journal)

    def show(self, place: i64, journal: Journal | None) -> None:
        """Show the asker a letter, or that there is none; by dwarf or variant it ends the turn (BR-25, BR-65)."""
        riddle = self.riddle(self.open_riddle)
        mark: i64 = 0
        if place != ANY:
            riddle.sheet(self.asker).places |= bit(place)
            mark = self.mark(self.open_riddle, place)
        if journal is not None:
            pair: i64 = bit(self.asker) | bit(self.modeller(self.open_riddle))
            journal.tell(pair, TOLD_LETTER, self.asker, self.open_riddle, place + at(mark, 8))
        self.resume_round()
        if self.closing:
            self.closing = False
            self.end_turn(journal)
        else:
            self.go_on(journal)

    def attempt(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Show a word to the modeller, who judges it where it is not simply right (BR-36, BR-37, BR-D46)."""
        number: i64 = riddle_of(move)
        term: i64 = what_of(move)
        verdict: i64 = self.verdict(number, term)
        self.asker = seat
        self.open_riddle = number
        self.open_guess = term
        if term == NO_TERM:
            self.tries = (*self.tries, self.paper)
            self.tried = (*self.tried, spoken(seat, number, UNJUDGED))
        if not self.house.judging or verdict == RIGHT:
            self.rule(verdict, kind_of(move) == CURSE_ATTEMPT, journal)
            return
        if journal is not None:
            self.tell_two(TOLD_TRIED, 0, kind_of(move) == CURSE_ATTEMPT, journal)
        self.resume = self.phase
        self.phase = JUDGING

    def judge(self, verdict: i64, journal: Journal | None) -> None:
        """Give the modeller's verdict, then go on where the attempt was made (BR-37, BR-38, BR-D46)."""
        self.resume_round()
        self.rule(verdict, False, journal)  # that it was a curse was told when it was written down

    def rule(self, verdict: i64, cursed: bool, journal: Journal | None) -> None:
        """Tell all the verdict, the word to modeller and attempter, and do what it brings (BR-36 to BR-39, BR-D10)."""
        sheet = self.riddle(self.open_riddle).sheet(self.asker)
        if self.open_guess == NO_TERM:
            last: i64 = self.tried[-1]
            self.tried = (*self.tried[:-1], spoken(part(last, 0, 4), part(last, 4, 4), verdict))
        elif verdict == NEAR:
            sheet.close.add(self.open_guess)
        elif verdict == WRONG:
            sheet.wrong.add(self.open_guess)
        if journal is not None:
            kind: i64 = ATTEMPT
            if cursed:
                kind = CURSE_ATTEMPT
            self.tell_two(kind, verdict, False, journal)
        closing: bool = self.closing
        self.closing = False
        if verdict == RIGHT:
            self.solve(self.asker, self.open_riddle, journal)
        if closing:
            self.end_turn(journal)
        else:
            self.go_on(journal)

    def tell_two(self, kind: i64, what: i64, cursed: bool, journal: Journal) -> None:
        """Tell attempter and modeller of an attempt with its word, all others without it (BR-36, BR-D10)."""
        pair: i64 = bit(self.asker) | bit(self.modeller(self.open_riddle))
        seen: i64 = what
        if cursed:
            seen = 1
        words: i64 = 0
        if self.open_guess == NO_TERM:
            words = len(self.tries)
        journal.tell(pair, kind, self.asker, self.open_riddle, seen + at(self.open_guess + 1, 4) + at(words, 14))
        journal.tell(EVERYONE & ~pair, kind, self.asker, self.open_riddle, seen)

    def verdict(self, number: i64, term: i64) -> i64:
        """Return what the table says of an attempt (BR-37, BR-38, BR-D39, BR-D47)."""
        riddle = self.riddle(number)
        if term == NO_TERM:
            if riddle.term == OWN_WORD and same_words(self.paper, riddle.word, self.house.language):
                return RIGHT
            return WRONG
        if term == riddle.term:
            return RIGHT
        if self.house.hints and is_close(riddle.term, term, self.house.edition):
            return NEAR
        return WRONG


def spoken(seat: i64, riddle: i64, given: i64) -> int:
    """Pack who asked a free question about which riddle, and what was answered."""
    return seat + at(riddle, 4) + at(given, 8)


def new_hall(seats: i64, house: House, dice: Dice) -> Hall:
    """Set a table up with the first player by lot (BR-1, BR-8 to BR-11, BR-D2)."""
    hall = Hall(seats, house, beginner(), beginner(), beginner(), beginner())
    hall.starter = dice.below(seats, STARTER)
    hall.turn = hall.starter
    return hall
