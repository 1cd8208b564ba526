"""The hall: the state of a table with its consequences; compiled.

Each chapter is a module of functions that take the hall. `listing` has the legal moves, `play` the effects of a move,
and `rounds` the order of turns. `stairs` moves the hats and ends the game, and `deal` has the hidden information of a
viewer.
"""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table import codes, phases
from games.barbarossa.table.codes import code, kind_of, riddle_of, what_of
from games.barbarossa.table.constants import NOBODY, RIGHT, STARTER, THREE, UNJUDGED
from games.barbarossa.table.deal import candidates_of, deal_anew
from games.barbarossa.table.lexicon import OWN_WORD, own_letter, spelled
from games.barbarossa.table.listing import legal_moves
from games.barbarossa.table.play import play, seen_modelling, verdict_of
from games.barbarossa.table.player import Player, TableOptions, beginner
from games.barbarossa.table.riddle import Riddle, Terms
from games.core.bits import at, bit, count, full, has
from games.core.dice import Dice
from games.core.table import Journal, Table


@mypyc_attr(acyclic=True)
class Hall(Table):
    """One table of the wizards."""

    __slots__ = (
        "asker",
        "closing",
        "content",
        "first",
        "fourth",
        "modelled",
        "open_guess",
        "open_question",
        "open_riddle",
        "options",
        "phase",
        "questions",
        "resume",
        "second",
        "silent",
        "spears",
        "spoken",
        "starter",
        "talk",
        "third",
        "tried",
        "tries",
        "turn",
        "turns",
        "winners",
    )

    def __init__(
        self, seats: i64, options: TableOptions, first: Player, second: Player, third: Player, fourth: Player
    ) -> None:
        """Begin before the modelling."""
        super().__init__(seats, 0)
        self.options = options
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
        self.phase: i64 = phases.MODELLING
        self.modelled: i64 = 0  # seats that have modelled
        self.starter: i64 = 0
        self.turn: i64 = 0
        self.turns: i64 = 0
        self.questions: i64 = 0  # in this round
        self.silent: i64 = 0  # seats that hold back (BR-D17)
        self.spears: i64 = 0
        self.winners: i64 = 0
        self.asker: i64 = NOBODY  # who waits for an answer or a letter, or did so last
        self.closing: bool = False  # the letter that is asked for ends the turn
        self.open_riddle: i64 = 0
        self.open_question: i64 = 0  # the attribute, or ATTRIBUTE_COUNT for free text
        self.open_guess: i64 = 0  # the term that waits for its modeller's verdict, NO_TERM for other words
        self.resume: i64 = phases.MODELLING  # the phase that an answer, a letter or a verdict interrupts
        self.talk: tuple[str, ...] = ()  # free questions
        self.spoken: tuple[int, ...] = ()  # of each free question its seat, riddle and answer, packed
        self.tries: tuple[str, ...] = ()  # attempts in words that are no term of the table
        self.tried: tuple[int, ...] = ()  # of each of them its seat, riddle and verdict, packed
        self.content: str = ""  # the player's own content of the move at hand; no part of the truth

    def clone(self) -> Hall:
        """Return a copy that shares nothing changeable."""
        copy = Hall(
            self.seats,
            self.options,
            self.first.clone(),
            self.second.clone(),
            self.third.clone(),
            self.fourth.clone(),
        )
        copy.ply = self.ply
        copy.phase = self.phase
        copy.modelled = self.modelled
        copy.starter = self.starter
        copy.turn = self.turn
        copy.turns = self.turns
        copy.questions = self.questions
        copy.silent = self.silent
        copy.spears = self.spears
        copy.winners = self.winners
        copy.asker = self.asker
        copy.closing = self.closing
        copy.open_riddle = self.open_riddle
        copy.open_question = self.open_question
        copy.resume = self.resume
        copy.talk = self.talk
        copy.spoken = self.spoken
        copy.open_guess = self.open_guess
        copy.tries = self.tries
        copy.tried = self.tried
        copy.content = self.content
        return copy

    # Players and things.

    def player(self, seat: i64) -> Player:
        """Return a seat's player."""
        if seat == 0:
            return self.first
        if seat == 1:
            return self.second
        if seat == 2:
            return self.third
        return self.fourth

    def each(self) -> i64:
        """Return the number of riddles of a player (BR-12)."""
        if self.seats == THREE:
            return 3
        return 2

    def total(self) -> i64:
        """Return the number of riddles in the hall."""
        return self.seats * self.each()

    def riddle(self, number: i64) -> Riddle:
        """Return a riddle of the hall."""
        return self.player(number // self.each()).riddle(number % self.each())

    def renew(self, number: i64) -> Riddle:
        """Put a copy of a riddle in its place, which this table alone has and may change, and return that."""
        riddle = self.riddle(number).copy()
        self.player(number // self.each()).put_riddle(number % self.each(), riddle)
        return riddle

    def modeller(self, number: i64) -> i64:
        """Return the seat that made a riddle."""
        return number // self.each()

    def letter(self, number: i64, place: i64) -> i64:
        """Return the number of the letter at a place of a riddle's word, 0 if there is none (BR-51, BR-D12)."""
        return self.letter_of(self.riddle(number), place)

    def letter_of(self, riddle: Riddle, place: i64) -> i64:
        """Return the number of the letter at a place of a riddle's word, 0 if there is none (BR-51, BR-D12)."""
        if riddle.term == OWN_WORD:
            return own_letter(riddle.word, place)
        return spelled(self.options.language, riddle.term, place)

    # Permissions.

    def askable(self, seat: i64) -> i64:
        """Return the riddles that a seat may ask about: those of others with fewer than two spears (BR-D8, BR-D9)."""
        found: i64 = 0
        other: i64
        for other in range(self.seats):
            if other != seat:
                found |= at(self.player(other).askable() & full(self.each()), other * self.each())
        return found

    def unsolved(self, seat: i64) -> i64:
        """Return the riddles that a seat may attempt or ask a letter of: not those it has solved (BR-D9)."""
        found: i64 = 0
        other: i64
        for other in range(self.seats):
            if other != seat:
                found |= at(self.player(other).unsolved(seat) & full(self.each()), other * self.each())
        return found

    def cursing(self) -> bool:
        """Return whether the state of the game lets anybody curse (BR-52, BR-56, BR-D15)."""
        return self.phase == phases.MOVING or self.phase == phases.FIRST_ROUND or self.phase == phases.DWARF_LETTER

    def may_curse(self, seat: i64) -> bool:
        """Return whether a seat may curse now; of several the first comes first (BR-57, BR-58, BR-D18, BR-D19)."""
        return self.cursing() and self.player(seat).curses > 0 and self.unsolved(seat) != 0

    def may_hold(self, seat: i64) -> bool:
        """Return whether a seat may hold back a curse out of turn, and does not yet (BR-D17)."""
        return seat != self.turn and not has(self.silent, seat) and self.may_curse(seat)

    def everyone(self) -> i64:
        """Return all seats."""
        return full(self.seats)

    def actors(self) -> i64:
        """Return the seats that have to model (BR-D41) or to answer, or that have the turn or may curse."""
        if self.phase == phases.MODELLING:
            return self.everyone() & ~self.modelled
        return self.asked() & ~self.silent

    def asked(self) -> i64:
        """Return the seats that owe an answer, even if they hold back, which is hidden (BR-D17, BR-D41)."""
        if self.phase == phases.OVER:
            return 0
        if self.phase == phases.MODELLING:
            return self.everyone()
        if self.phase == phases.ANSWERING or self.phase == phases.GIVING or self.phase == phases.JUDGING:
            return bit(self.modeller(self.open_riddle))
        found: i64 = bit(self.turn)
        seat: i64
        for seat in range(self.seats):
            if self.may_curse(seat):
                found |= bit(seat)
        return found

    def rewards(self) -> vec[float]:
        """Return the win, in equal parts where hats are level (BR-62, BR-D26, BR-D27)."""
        found = vec[float](capacity=4)
        seat: i64
        for seat in range(self.seats):
            share: float = 0.0
            if has(self.winners, seat):
                share = 1.0 / float(count(self.winners))
            found = append(found, share)
        return found

    # Actions of the table.

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat; of modellings and free questions, examples."""
        return legal_moves(self, seat)

    def candidates(self, seat: i64) -> vec[i64]:
        """Return the legal moves without attempts that the seat knows to be wrong."""
        found = vec[i64](capacity=64)
        last: i64 = NOBODY
        possible: Terms | None = None
        for move in legal_moves(self, seat):
            kind: i64 = kind_of(move)
            if kind == codes.ATTEMPT or kind == codes.CURSE_ATTEMPT:
                if possible is None or riddle_of(move) != last:
                    last = riddle_of(move)
                    possible = candidates_of(self, seat, last)
                if not possible.has(what_of(move)):
                    continue
            found = append(found, move)
        return found

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal the terms, words and letters again that a seat, or SPECTATOR, cannot know."""
        deal_anew(self, seat, dice)

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return a move as a viewer sees it: terms and words are seen by those they concern (BR-14, BR-36, BR-D10)."""
        kind: i64 = kind_of(move)
        if viewer == seat:
            return move
        if kind == codes.MODEL:
            return seen_modelling(self, seat, move)
        if kind == codes.GIVE and viewer != self.asker:
            return kind
        if kind == codes.ANSWER:
            return code(kind, 0, what_of(move) % codes.INSIST)
        if (kind == codes.ATTEMPT or kind == codes.CURSE_ATTEMPT) and viewer != self.modeller(riddle_of(move)):
            verdict: i64 = verdict_of(self, riddle_of(move), what_of(move))
            return code(kind, riddle_of(move), UNJUDGED if self.options.judging and verdict != RIGHT else verdict)
        return move

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        play(self, seat, move, dice, journal)


def new_hall(seats: i64, options: TableOptions, dice: Dice) -> Hall:
    """Set a table up with the first player by lot (BR-1, BR-8 to BR-11, BR-D2)."""
    hall = Hall(seats, options, beginner(), beginner(), beginner(), beginner())
    hall.starter = dice.below(seats, STARTER)
    hall.turn = hall.starter
    return hall
