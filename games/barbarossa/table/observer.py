"""The observation of a hall for learners, and the mask of their actions; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.table import codes
from games.barbarossa.table.codes import code, kind_of, modelled, riddle_of, what_of
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, NO_TERM, PLACES, TERM_COUNT
from games.barbarossa.table.listing import moves_of
from games.barbarossa.table.phases import ANSWERING, GIVING, JUDGING, MODELLING, OVER
from games.barbarossa.table.riddle import Asked, Riddle, Terms
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import bit, has, members_of
from games.core.learning import MORE, Mask, Observer, numbers
from games.core.table import Table

HAT: Final = 256
"""Offset of a hat's steps, which may be below 0."""

UNKNOWN: Final = 255
"""Value of an unknown letter."""

RIDDLES: Final = 9
"""No hall has more."""

KINDS: Final = 16


class HallObserver(Observer):
    """The observation of one seat of a hall (BR-14, BR-28, BR-36, BR-50).

    A riddle is never changed, but replaced; so the fields of a riddle that is still there stay as they are.
    """

    __slots__ = ("ended", "riddles", "viewer")

    def __init__(self) -> None:
        """Keep no riddles yet."""
        super().__init__()
        self.riddles: list[Riddle | None] = [None] * 9
        self.viewer: i64 = -1
        self.ended: bool = False

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put all fields."""
        assert isinstance(table, Hall)  # noqa: S101 -- tells the compiler the type
        self.put_round(table, seat)
        self.put_question(table, seat)
        other: i64
        for other in range(table.seats):
            self.outer = other
            player = table.player(other)
            self.put(bit(player.cave), "seat_{outer}_cave: one_hot 12, where the wizard stands")
            self.put(player.stones, "seat_{outer}_stones: number 4, elf stones")
            self.put(player.curses, "seat_{outer}_curses: number 2, curse stones")
            self.put(player.hat + HAT, "seat_{outer}_hat: number 16, the hat's steps from START, plus 256")
        self.put_begun(begun, 5)
        self.put_riddles(table, seat)

    def put_round(self, hall: Hall, seat: i64) -> None:
        """Write a seat's knowledge of the round."""
        phase: i64 = hall.phase
        interrupted: i64 = bit(hall.resume) if phase in (ANSWERING, GIVING, JUDGING) else 0
        holding: i64 = 1 if has(hall.silent, seat) else 0
        modelled: i64 = 1 if has(hall.modelled, seat) else 0
        self.put(bit(seat), "seat: one_hot {seats}, the observing seat")
        self.put(bit(hall.turn), "turn: one_hot {seats}, the seat on turn")
        self.put(bit(hall.starter), "starter: one_hot {seats}, the first seat")
        self.put(bit(phase), "phase: one_hot 9, the phase, in the order of the view's")
        self.put(interrupted, "interrupted: one_hot 9, the phase that a question, a letter or an attempt interrupts")
        self.put(hall.turns, "turns: number 16, turns so far")
        self.put(hall.questions, "questions: number 8, questions asked in this round")
        self.put(hall.spears, "spears: number 8, solutions so far")
        self.put(holding, "holding_back: set 1, whether the seat holds a curse back for now")
        self.put(modelled, "handed_in: set 1, whether the seat has modelled")
        self.put(hall.winners, "winners: set {seats}, the winners")

    def put_question(self, hall: Hall, seat: i64) -> None:
        """Write a seat's knowledge of an open question, letter or attempt."""
        phase, about = hall.phase, hall.open_riddle
        asking: bool = phase in (ANSWERING, GIVING, JUDGING)
        asked: bool = phase == ANSWERING and hall.open_question < ATTRIBUTE_COUNT
        judged: bool = phase == JUDGING and hall.open_guess != NO_TERM
        if judged and seat != hall.asker and seat != hall.modeller(about):
            judged = False
        asker: i64 = bit(hall.asker) if asking else 0
        riddle: i64 = bit(about) if asking else 0
        question: i64 = hall.open_question + 1 if asked else 0
        guess: i64 = hall.open_guess + 1 if judged else 0
        closing: i64 = 1 if asking and hall.closing else 0
        self.put(asker, "asker: one_hot {seats}, the seat that waits for an answer, a letter or a verdict")
        self.put(riddle, "open_riddle: one_hot 9, the riddle of the open question")
        self.put(question, "open_question: number 8, the attribute of the question, plus one; 0 for none")
        self.put(guess, "open_guess: number 9, the judged term, plus one; 0 if unknown")
        self.put(closing, "closing: set 1, whether the letter or the verdict ends the turn")

    def put_riddles(self, hall: Hall, seat: i64) -> None:
        """Write the knowledge of each riddle that has been replaced since the last call."""
        ended: bool = hall.phase == OVER
        if seat != self.viewer or ended != self.ended:
            self.riddles = [None] * 9
            self.viewer = seat
            self.ended = ended
        fields: i64 = (len(self.values) - self.field) // hall.total()
        number: i64
        for number in range(hall.total()):
            riddle = hall.riddle(number)
            if riddle is self.riddles[number]:
                self.skip(fields)
            else:
                self.riddles[number] = riddle
                self.outer = number
                self.put_riddle(hall, riddle, number, seat)

    def put_riddle(self, hall: Hall, riddle: Riddle, number: i64, seat: i64) -> None:
        """Put the fields of a riddle."""
        sheet = riddle.sheet(seat)
        known: bool = hall.modeller(number) == seat or has(riddle.solvers, seat) or hall.phase == OVER
        term: i64 = riddle.term + 1 if known else 0
        self.put(term, "riddle_{outer}_term: number 9, its term, plus one; 0 if unknown")
        self.put(riddle.solvers, "riddle_{outer}_solvers: set {seats}, the seats that have solved it")
        self.put_asked(riddle.no, "no")
        self.put_asked(riddle.yes, "yes")
        self.put_asked(riddle.perhaps, "perhaps")
        self.put_asked(riddle.unclear, "unclear")
        self.put(riddle.asked.low, "riddle_{outer}_asked_low: set 32, attributes asked for in this round")
        self.put(
            riddle.asked.high, "riddle_{outer}_asked_high: set 32, attributes asked for, the later half of the list"
        )
        self.put_terms(sheet.wrong, "wrong")
        self.put_terms(sheet.close, "close")
        self.put(sheet.places, "riddle_{outer}_places: set 48, places whose letters the seat has asked for")
        place: i64
        for place in range(PLACES):
            self.inner = place
            self.put(
                hall.letter(number, place) if has(sheet.places, place) else UNKNOWN,
                "riddle_{outer}_letter_{inner}: number 8, the letter there, 0 for none; 255 where it is not known",
            )
        other: i64
        for other in range(hall.seats):
            self.inner = other
            his = riddle.sheet(other)
            self.put(
                his.wrong.size() + his.close.size(),
                "riddle_{outer}_seat_{inner}_failed: number 16, how many attempts of this seat failed",
            )
            self.put(
                his.places, "riddle_{outer}_seat_{inner}_asked: set 48, places whose letters this seat has asked for"
            )

    def put_asked(self, attributes: Asked, answer: str) -> None:
        """Put the attributes that have an answer."""
        self.word = answer
        self.put(attributes.low, "riddle_{outer}_{word}_low: set 32, attributes answered with {word}")
        self.put(attributes.high, "riddle_{outer}_{word}_high: set 32, the same, the later half of the list")

    def put_terms(self, terms: Terms, name: str) -> None:
        """Put a set of terms that were tried."""
        self.word = name
        word: i64
        for word in range(WORDS):
            self.inner = word
            self.put(
                terms.word(word),
                "riddle_{outer}_{word}_{inner}: set 60, own attempts that were {word}, terms from 60 times {inner}",
            )


class HallMask(Mask):
    """The actions of a hall, block by block; a modelling and an attempt take several of them.

    By kind of move, `firsts` has the first action about riddle 0, and `sizes` the number of actions for each riddle. An
    attempt is a riddle, then a term. Terms come first of all actions, then degrees.
    """

    __slots__ = ("firsts", "sizes")

    def __init__(self, size: i64, firsts: dict[int, int], sizes: dict[int, int]) -> None:
        """Take the number of actions, and for each kind the block of its actions."""
        super().__init__(size)
        self.firsts = numbers(KINDS, -1)
        self.sizes = numbers(KINDS, 0)
        for kind, first_action in firsts.items():
            self.firsts[kind] = first_action
            self.sizes[kind] = sizes[kind]

    def fill(self, table: Table, seat: i64) -> None:
        """Allow what comes next."""
        assert isinstance(table, Hall)  # noqa: S101 -- tells the compiler the type
        if table.phase == MODELLING:
            self.fill_modelling(table)
        elif len(self.begun):
            self.fill_terms(table, seat)
        else:
            for move in moves_of(table, seat, False):
                kind: i64 = kind_of(move)
                if kind in (codes.ATTEMPT, codes.CURSE_ATTEMPT):
                    self.allow(self.firsts[kind] + riddle_of(move), MORE)
                else:
                    self.allow(self.firsts[kind] + riddle_of(move) * self.sizes[kind] + what_of(move), move)

    def fill_terms(self, hall: Hall, seat: i64) -> None:
        """Allow the terms that may be tried at a riddle (BR-33, BR-54)."""
        first_of_cursed: i64 = self.firsts[codes.CURSE_ATTEMPT]
        action: i64 = self.begun[0]
        kind: i64 = codes.ATTEMPT if action < first_of_cursed else codes.CURSE_ATTEMPT
        number: i64 = action - self.firsts[kind]
        if not has(hall.actors(), seat) or not has(hall.unsolved(seat), number):
            return
        sheet = hall.riddle(number).sheet(seat)
        step: i64 = code(0, 0, 1)
        word: i64
        for word in range(WORDS):
            start: i64 = word * WIDTH
            move: i64 = code(kind, number, start)
            tried: i64 = sheet.wrong.word(word) | sheet.close.word(word)
            self.allow_run(start, WIDTH, move, step)
            for index in members_of(tried):
                self.forbid(start + index)

    def fill_modelling(self, hall: Hall) -> None:
        """Allow a term that was not taken before, or a degree of explicitness (BR-D1, BR-D43)."""
        begun: i64 = len(self.begun)
        index: i64 = begun // 2
        earlier: i64
        if begun & 1 == 0:
            self.allow_run(0, TERM_COUNT, MORE, 0)
            for earlier in range(index):
                self.forbid(self.begun[2 * earlier])
            return
        whole: bool = begun == 2 * hall.each() - 1
        head: i64 = codes.MODEL | modelled(index, self.begun[begun - 1], 0)
        for earlier in range(index):
            explicitness: i64 = self.begun[2 * earlier + 1] - TERM_COUNT + 1
            head |= modelled(earlier, self.begun[2 * earlier], explicitness)
        if whole:
            step: i64 = modelled(index, 0, 1)
            self.allow_run(TERM_COUNT, codes.EXACT, head + step, step)
        else:
            self.allow_run(TERM_COUNT, codes.EXACT, MORE, 0)
