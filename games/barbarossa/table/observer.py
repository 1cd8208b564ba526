"""What a learner's seat sees of a hall and may do there, as the PettingZoo package describes it; compiled."""

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
"""What is added to a hat's steps, which may be below 0."""

UNKNOWN: Final = 255
"""What stands for a letter that is not known."""

RIDDLES: Final = 9
"""No hall has more."""

KINDS: Final = 16


class HallObserver(Observer):
    """What one seat sees of a hall (BR-14, BR-28, BR-36, BR-50).

    A riddle is never changed, but another put in its place; so the fields of one that is still there stay as they are.
    """

    __slots__ = ("each", "ended", "riddles", "seen", "viewer")

    def __init__(self, starts: list[int], size: i64, begun: i64) -> None:
        """Take what every observer takes."""
        super().__init__(starts, size, begun)
        self.riddles: list[Riddle | None] = [None] * 9
        self.viewer: i64 = -1
        self.ended: bool = False

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put the values of all fields."""
        assert isinstance(table, Hall)  # noqa: S101 -- tells the compiler the type
        phase: i64 = table.phase
        asking: bool = phase in (ANSWERING, GIVING, JUDGING)
        about: i64 = table.open_riddle
        judged: bool = phase == JUDGING and table.open_guess != NO_TERM
        if judged and seat != table.asker and seat != table.modeller(about):
            judged = False
        asked: bool = phase == ANSWERING and table.open_question < ATTRIBUTE_COUNT
        self.put(bit(seat))
        self.put(bit(table.turn))
        self.put(bit(table.starter))
        self.put(bit(phase))
        self.put(bit(table.resume) if asking else 0)
        self.put(table.turns)
        self.put(table.questions)
        self.put(table.spears)
        self.put(1 if has(table.silent, seat) else 0)
        self.put(1 if has(table.modelled, seat) else 0)
        self.put(table.winners)
        self.put(bit(table.asker) if asking else 0)
        self.put(bit(about) if asking else 0)
        self.put(table.open_question + 1 if asked else 0)
        self.put(table.open_guess + 1 if judged else 0)
        self.put(1 if asking and table.closing else 0)
        other: i64
        for other in range(table.seats):
            player = table.player(other)
            self.put(bit(player.cave))
            self.put(player.stones)
            self.put(player.curses)
            self.put(player.hat + HAT)
        self.put_begun(begun)
        self.put_riddles(table, seat)

    def put_riddles(self, hall: Hall, seat: i64) -> None:
        """Put what is known of each riddle where that is not the one that lay there before."""
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
                self.put_riddle(hall, riddle, number, seat)

    def put_riddle(self, hall: Hall, riddle: Riddle, number: i64, seat: i64) -> None:
        """Put the fields of a riddle."""
        sheet = riddle.sheet(seat)
        known: bool = hall.modeller(number) == seat or has(riddle.solvers, seat) or hall.phase == OVER
        self.put(riddle.term + 1 if known else 0)
        self.put(riddle.solvers)
        self.put_asked(riddle.no)
        self.put_asked(riddle.yes)
        self.put_asked(riddle.perhaps)
        self.put_asked(riddle.unclear)
        self.put_asked(riddle.asked)
        self.put_terms(sheet.wrong)
        self.put_terms(sheet.close)
        self.put(sheet.places)
        place: i64
        for place in range(PLACES):
            self.put(hall.letter(number, place) if has(sheet.places, place) else UNKNOWN)
        other: i64
        for other in range(hall.seats):
            his = riddle.sheet(other)
            self.put(his.wrong.size() + his.close.size())
            self.put(his.places)

    def put_asked(self, attributes: Asked) -> None:
        """Put a set of attributes."""
        self.put(attributes.low)
        self.put(attributes.high)

    def put_terms(self, terms: Terms) -> None:
        """Put a set of terms."""
        self.put(terms.one)
        self.put(terms.two)
        self.put(terms.three)
        self.put(terms.four)
        self.put(terms.five)
        self.put(terms.six)


class HallMask(Mask):
    """The actions of a hall, block by block; a modelling and an attempt take several of them.

    By kind of move, `firsts` has the action of what may first be done with riddle 0, and `sizes` how many things may
    be done with each; an attempt is a riddle, then a term. Terms come first of all actions, then degrees.
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
