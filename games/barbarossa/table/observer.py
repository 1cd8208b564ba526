"""The observation of a hall for learners, and the mask of their actions; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i16, i64, u8

from games.barbarossa.table import codes
from games.barbarossa.table.codes import code, kind_of, modelled, riddle_of, what_of
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, NO_TERM, PLACES, TERM_COUNT
from games.barbarossa.table.listing import moves_of
from games.barbarossa.table.phases import ANSWERING, GIVING, JUDGING, MODELLING, OVER
from games.barbarossa.table.riddle import Asked, Riddle, Sheet, Terms
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import bit, first, full, has, members_of, rest
from games.core.learning import DESCRIBING, MORE, Mask, Observer, numbers, zeros
from games.core.table import Table

HAT: Final = 256
"""Offset of a hat's steps, which may be below 0."""

UNKNOWN: Final = 255
"""Value of an unknown letter."""

RIDDLES: Final = 9
"""No hall has more."""

KINDS: Final = 16

NEXT: Final = 256
"""Distance from a code to that of the same move with the next argument."""

PUBLIC_FIELDS: Final = 11
"""Fields of a riddle that are the same for all seats: its solvers, answers and questions."""


def is_asking(phase: i64) -> bool:
    """Return whether a modeller owes an answer, a letter or a verdict."""
    return phase == ANSWERING or phase == GIVING or phase == JUDGING


class HallObserver(Observer):
    """The observation of one seat of a hall (BR-14, BR-28, BR-36, BR-50).

    Riddles and their parts are never changed, but replaced. So the fields of the same part stay as they are; another
    seat has other notes on the same riddle. `places` are the letters that were put last, the others are unknown.
    """

    __slots__ = ("close", "ended", "places", "riddles", "sheets", "shown", "viewer", "wrong")

    def __init__(self) -> None:
        """Keep no riddles yet."""
        super().__init__()
        self.riddles: list[Riddle | None] = [None] * RIDDLES
        self.sheets: list[Sheet | None] = [None] * RIDDLES
        self.wrong: list[Terms | None] = [None] * RIDDLES
        self.close: list[Terms | None] = [None] * RIDDLES
        self.places = numbers(RIDDLES, full(PLACES))
        self.shown: i64 = 0  # riddles whose terms were put last
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
        asking: bool = is_asking(phase)
        interrupted: i64 = bit(hall.resume) if asking else 0
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
        asking: bool = is_asking(phase)
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
        """Write the knowledge of each riddle that has been replaced since the last call, or is seen by another seat."""
        over: bool = hall.phase == OVER
        same: bool = seat == self.viewer and over == self.ended
        self.viewer = seat
        self.ended = over
        each: i64 = hall.each()
        fields: i64 = (len(self.values) - self.field) // hall.total()
        number: i64 = 0
        modeller: i64
        index: i64
        for modeller in range(hall.seats):
            player = hall.player(modeller)
            for index in range(each):
                riddle = player.riddle(index)
                known: bool = riddle is self.riddles[number]
                if known and same:
                    self.skip(fields)
                else:
                    self.outer = number
                    self.riddles[number] = riddle
                    shown: bool = over or seat == modeller or has(riddle.solvers, seat)
                    self.put_riddle(hall, riddle, number, seat, known, shown)
                number += 1

    def put_riddle(self, hall: Hall, riddle: Riddle, number: i64, seat: i64, known: bool, shown: bool) -> None:
        """Put the fields of a riddle; of a known riddle, only fields that have changed for the viewer.

        `shown` is whether the seat knows its term.
        """
        if known and shown == has(self.shown, number):
            self.skip(1)
        else:
            term: i64 = 0
            self.shown &= ~bit(number)
            if shown:
                self.shown |= bit(number)
                term = riddle.term + 1
            self.put(term, "riddle_{outer}_term: number 9, its term, plus one; 0 if unknown")
        if known:
            self.skip(PUBLIC_FIELDS)
        else:
            self.put_answers(riddle)
        sheet = riddle.sheet(seat)
        if known and sheet is self.sheets[number]:
            self.skip(2 * WORDS + 1 + PLACES)
        else:
            self.sheets[number] = sheet
            self.put_terms(sheet.wrong, self.wrong, number, "wrong")
            self.put_terms(sheet.close, self.close, number, "close")
            self.put(sheet.places, "riddle_{outer}_places: set 48, places whose letters the seat has asked for")
            self.put_letters(hall, riddle, number, sheet.places)
        if known:
            self.skip(2 * hall.seats)
            return
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

    def put_answers(self, riddle: Riddle) -> None:
        """Put the solvers of a riddle, and all questions about it."""
        self.put(riddle.solvers, "riddle_{outer}_solvers: set {seats}, the seats that have solved it")
        self.put_asked(riddle.no, "no")
        self.put_asked(riddle.yes, "yes")
        self.put_asked(riddle.perhaps, "perhaps")
        self.put_asked(riddle.unclear, "unclear")
        self.put(riddle.asked.low, "riddle_{outer}_asked_low: set 32, attributes asked for in this round")
        self.put(
            riddle.asked.high, "riddle_{outer}_asked_high: set 32, attributes asked for, the later half of the list"
        )

    def put_letters(self, hall: Hall, riddle: Riddle, number: i64, places: i64) -> None:
        """Put the letters at known places, and unknown ones where letters were put last."""
        start: i64 = self.field
        put: i64 = places | self.places[number]
        self.places[number] = places
        while put:
            place: i64 = first(put)
            put = rest(put)
            self.inner = place
            if start != DESCRIBING:
                self.field = start + place
            self.put(
                hall.letter_of(riddle, place) if has(places, place) else UNKNOWN,
                "riddle_{outer}_letter_{inner}: number 8, the letter there, 0 for none; 255 where it is not known",
            )
        if start != DESCRIBING:
            self.field = start + PLACES

    def put_asked(self, attributes: Asked, answer: str) -> None:
        """Put the attributes that have an answer."""
        self.word = answer
        self.put(attributes.low, "riddle_{outer}_{word}_low: set 32, attributes answered with {word}")
        self.put(attributes.high, "riddle_{outer}_{word}_high: set 32, the same, the later half of the list")

    def put_terms(self, terms: Terms, last: list[Terms | None], number: i64, name: str) -> None:
        """Put a set of terms that were tried at a riddle, unless it is the set that was put last."""
        if terms is last[number]:
            self.skip(WORDS)
            return
        last[number] = terms
        self.word = name
        word: i64
        for word in range(WORDS):
            self.inner = word
            self.put(
                terms.word(word),
                "riddle_{outer}_{word}_{inner}: set 60, own attempts that were {word}, terms from 60 times {inner}",
            )


class Blocks:
    """The actions about riddles, in a block for each kind of move.

    By kind, `firsts` has the action of the smallest argument `leasts` about riddle 0, and `sizes` the number of actions
    for each riddle. `kinds` has the kind by action.
    """

    __slots__ = ("firsts", "kinds", "leasts", "sizes")

    def __init__(self, size: i64, placed: list[tuple[int, int, int, int, int]]) -> None:
        """Take the number of actions and of each block its kind, first and last action, least argument and size."""
        self.firsts = numbers(KINDS, -1)
        self.leasts = numbers(KINDS, 0)
        self.sizes = numbers(KINDS, 1)
        self.kinds = zeros(size)
        for kind, first_action, last_action, least, actions in placed:
            self.firsts[kind] = first_action
            self.leasts[kind] = least
            self.sizes[kind] = actions
            for action in range(first_action, last_action + 1):
                self.kinds[action] = u8(kind)

    def action(self, move: i64) -> i64:
        """Return the action of a move, or the first of two."""
        kind: i64 = kind_of(move)
        if is_attempt(kind):
            return self.firsts[kind] + riddle_of(move)
        return self.firsts[kind] + riddle_of(move) * self.sizes[kind] + what_of(move) - self.leasts[kind]

    def code_of(self, action: i64) -> i64:
        """Return the code of the move that an action makes, or MORE."""
        kind: i64 = i64(self.kinds[action])
        if is_attempt(kind):
            return MORE
        place: i64 = action - self.firsts[kind]
        return code(kind, place // self.sizes[kind], place % self.sizes[kind] + self.leasts[kind])


def is_attempt(kind: i64) -> bool:
    """Return whether a kind of move takes two actions: a riddle, then a term."""
    return kind == codes.ATTEMPT or kind == codes.CURSE_ATTEMPT


class HallMask(Mask):
    """The actions of a hall, block by block; a modelling and an attempt take several of them.

    An attempt is a riddle, then a term. Terms come first of all actions, then degrees.
    """

    __slots__ = ("blocks", "listed")

    def __init__(self, size: i64, blocks: Blocks) -> None:
        """Take the number of actions, and their blocks, which masks may share."""
        super().__init__(size)
        self.blocks = blocks
        self.listed: bool = False  # the actions are those of whole moves, or begin attempts

    def code_of(self, action: i64) -> i64:
        """Return the code of the move that an action makes, MORE where it takes others, REFUSED where it may not be."""
        if self.listed and self.allows(action):
            return self.blocks.code_of(action)
        return super().code_of(action)

    def fill(self, table: Table, seat: i64) -> None:
        """Allow what comes next."""
        assert isinstance(table, Hall)  # noqa: S101 -- tells the compiler the type
        self.listed = table.phase != MODELLING and len(self.begun) == 0
        if self.listed:
            self.allow_moves(moves_of(table, seat, False))
        elif table.phase == MODELLING:
            self.fill_modelling(table)
        else:
            self.fill_terms(table, seat)

    def allow_moves(self, moves: vec[i64]) -> None:
        """Allow moves, none of which has the action of another."""
        row, allowed, base = self.row, self.allowed, self.base
        amount: i64 = 0
        action: i64 = 0
        next_code: i64 = -1
        for move in moves:
            if move == next_code:  # mostly the same kind of move about the same riddle, with the next argument
                action += 1
                next_code = move + NEXT
            else:
                action = self.blocks.action(move)
                next_code = -1 if is_attempt(kind_of(move)) else move + NEXT
            row[base + action] = 1
            allowed[amount] = i16(action)
            amount += 1
        self.amount = amount

    def fill_terms(self, hall: Hall, seat: i64) -> None:
        """Allow the terms that may be tried at a riddle (BR-33, BR-54)."""
        kind: i64 = i64(self.blocks.kinds[self.begun[0]])
        number: i64 = self.begun[0] - self.blocks.firsts[kind]
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
