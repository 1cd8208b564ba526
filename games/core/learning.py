"""Observations and masks for learners, as bytes that stay in place from step to step; compiled.

A game has an `Observer` and, if its moves have no index in the contract, a `Mask`. An array is a view of their bytes,
and only changes are written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i16, i64, mypyc_attr, u8

from games.core.bits import first, has, part
from games.core.dice import Dice
from games.core.table import Table

MORE: Final = -1
"""The code of an action that takes others to make a move."""

REFUSED: Final = -2
"""Code of an action that may not be taken."""

OVER: Final = -3
"""Result of `Episode.step` at the end of a game."""


EIGHT: Final = 8
"""Bits that are written at once."""

GROUPS: Final = 255
"""All of them."""


def spread(byte: int) -> int:
    """Return the number whose eight bytes in memory are the bits of a byte, the lowest first."""
    return int.from_bytes(bytes([1 if has(byte, place) else 0 for place in range(EIGHT)]), sys.byteorder)


SPREAD: Final[vec[i64]] = vec[i64]([spread(byte) for byte in range(GROUPS + 1)])


def numbers(size: i64, value: i64) -> vec[i64]:
    """Return a row of one number, repeated."""
    return vec[i64]([value] * size)


def zeros(size: i64) -> vec[u8]:
    """Return a row of bytes that are 0."""
    return vec[u8]([0] * size)


DESCRIBING: Final = -1
"""The field of an observer that describes its fields, and writes none."""

BEGUN: Final = "begun_{inner}: number 16, an action of the move at hand, plus one; 0 for none"
"""The field of an action of a move that is begun."""


class Observer:
    """The observation of one seat: a byte for each bit of all fields, 0 or 1.

    `read` is the one description of an observation. Each `put` has a value and a text, "name: kind width, meaning";
    `look` writes the values, `describe` collects the texts. They are formats of `seats`, of `outer` and `inner`, which
    number the loops around a `put`, and of `word`. The kinds are `set` (a bit for each member), `one_hot` (one bit for
    a value counted from 0) and `number` (binary digits, the lowest first).

    A field begins at a multiple of eight. Its value has 63 bits at most and is not below 0. The last value of each
    field is kept, so that only different bits are written, eight at once, for any next table. Several observers may
    write into one array, each from its own `base` on.
    """

    __slots__ = ("base", "bits", "field", "inner", "outer", "seats", "starts", "told", "values", "word")

    def __init__(self) -> None:
        """Make an observer that can only describe its fields; `lay` or `lay_at` gives them a place."""
        self.starts = vec[i64]()
        self.values = vec[i64]()
        self.bits = vec[i64]()
        self.base: i64 = 0
        self.told: list[str] = []
        self.field: i64 = 0
        self.seats: i64 = 0
        self.outer: i64 = 0
        self.inner: i64 = 0
        self.word: str = ""

    def lay(self, starts: vec[i64], size: i64) -> None:
        """Take the offsets of the fields, in their order, and the number of bits."""
        self.lay_at(starts, numbers(size // EIGHT, 0), 0)

    def lay_at(self, starts: vec[i64], bits: vec[i64], base: i64) -> None:
        """Take the offsets of the fields, an array of zeros, and the first of the places there for this observer."""
        self.starts = starts
        self.values = numbers(len(starts), 0)
        self.bits = bits
        self.base = base

    def describe(self, table: Table) -> list[str]:
        """Return the texts of all fields at a table, in their order."""
        self.seats = table.seats
        self.field = DESCRIBING
        self.told = []
        self.read(table, 0, vec[i64]())
        return self.told

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put all fields for a seat that has begun a move with some actions."""
        raise NotImplementedError

    def look(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Write what a seat sees into `bits`."""
        self.field = 0
        self.read(table, seat, begun)

    def put(self, value: i64, text: str) -> None:
        """Write the next field, or describe it."""
        field: i64 = self.field
        if field < 0:
            self.tell(text)
            return
        self.field = field + 1
        changed: i64 = self.values[field] ^ value
        if changed:
            self.values[field] = value
            place: i64 = self.base + self.starts[field] // EIGHT
            while changed:
                if changed & GROUPS:
                    self.bits[place] = SPREAD[value & GROUPS]
                place += 1
                changed = part(changed, EIGHT, 55)
                value = part(value, EIGHT, 55)

    def tell(self, text: str) -> None:
        """Describe the next field."""
        self.told.append(text.format(seats=self.seats, outer=self.outer, inner=self.inner, word=self.word))

    def skip(self, fields: i64) -> None:
        """Leave the next fields as they are."""
        self.field += fields

    def put_begun(self, begun: vec[i64], actions: i64) -> None:
        """Put the actions of a move that is begun, all before its last."""
        index: i64
        for index in range(actions):
            self.inner = index
            value: i64 = begun[index] + 1 if index < len(begun) else 0
            self.put(value, BEGUN)


class Numbers:
    """The actions of codes, none of which is below 0: a table of hashes with room for twice as many."""

    __slots__ = ("actions", "codes", "wrap")

    def __init__(self, most: i64) -> None:
        """Take the maximum number of codes."""
        size: i64 = 16
        while size < 2 * most:
            size *= 2
        self.codes = numbers(size, -1)
        self.actions = numbers(size, -1)
        self.wrap: i64 = size - 1

    def place(self, code: i64) -> i64:
        """Return the present or future position of a code."""
        place: i64 = (code ^ part(code, 9, 52)) * 40503 & self.wrap
        while self.codes[place] != code and self.codes[place] >= 0:
            place = place + 1 & self.wrap
        return place

    def put(self, code: i64, action: i64) -> None:
        """Give a code its action."""
        place: i64 = self.place(code)
        self.codes[place] = code
        self.actions[place] = action

    def find(self, code: i64) -> i64:
        """Return the action of a code, -1 where it has none yet."""
        return self.actions[self.place(code)]


@mypyc_attr(allow_interpreted_subclasses=True)
class Mask:
    """The legal next actions: a byte for each, 0 or 1, from `base` on in `row`.

    `begun` are the earlier actions of a move that takes several. The first `amount` of `allowed` are the legal actions.
    `codes` has the code of the move that each makes, or MORE, unless the mask computes codes by itself.
    """

    __slots__ = ("allowed", "amount", "base", "begun", "codes", "row", "size")

    def __init__(self, size: i64) -> None:
        """Take the number of actions."""
        self.size: i64 = size
        self.row = zeros(size)
        self.base: i64 = 0
        self.codes = numbers(size, REFUSED)
        self.allowed = vec[i16]([0] * size)
        self.amount: i64 = 0
        self.begun = vec[i64]()

    def lay_at(self, row: vec[u8], base: i64) -> None:
        """Take an array of zeros, and the place of action 0 in it; several masks may share one."""
        self.row = row
        self.base = base

    def fill(self, table: Table, seat: i64) -> None:
        """Allow all actions that a seat may take after the begun ones."""
        raise NotImplementedError

    def allow(self, action: i64, code: i64) -> None:
        """Allow an action that makes a move, or takes more."""
        place: i64 = self.base + action
        if self.row[place]:
            self.codes[self.index_of(action)] = code
            return
        amount: i64 = self.amount
        self.row[place] = 1
        self.allowed[amount] = i16(action)
        self.codes[amount] = code
        self.amount = amount + 1

    def allow_run(self, action: i64, size: i64, code: i64, step: i64) -> None:
        """Allow actions that follow each other and are not allowed yet; from one's code to the next's is a step."""
        row, codes, allowed = self.row, self.codes, self.allowed
        place: i64 = self.base + action
        amount: i64 = self.amount
        after: i64 = amount + size
        while amount < after:
            row[place] = 1
            allowed[amount] = i16(action)
            codes[amount] = code
            amount += 1
            place += 1
            action += 1
            code += step
        self.amount = amount

    def forbid(self, action: i64) -> None:
        """Take an action back that is allowed."""
        index: i64 = self.index_of(action)
        self.amount -= 1
        self.allowed[index] = self.allowed[self.amount]
        self.codes[index] = self.codes[self.amount]
        self.row[self.base + action] = 0

    def index_of(self, action: i64) -> i64:
        """Return the position of an allowed action in `allowed`."""
        allowed = self.allowed
        index: i64 = 0
        while i64(allowed[index]) != action:
            index += 1
        return index

    def clear(self) -> None:
        """Allow nothing."""
        row, allowed, base = self.row, self.allowed, self.base
        index: i64
        for index in range(self.amount):
            row[base + i64(allowed[index])] = 0
        self.amount = 0

    def ask(self, table: Table, seat: i64) -> None:
        """Allow what a seat may do at a table where it has begun nothing."""
        self.clear()
        if len(self.begun):
            self.begun = vec[i64]()
        self.fill(table, seat)

    def go_on(self, table: Table, seat: i64, action: i64) -> None:
        """Allow what may come after one action more of the same move."""
        self.clear()
        self.begun = append(self.begun, action)
        self.fill(table, seat)

    def choices(self, table: Table, seat: i64, begun: list[int]) -> dict[int, int]:
        """Return the actions that a seat may take after the begun ones, with their codes."""
        self.clear()
        self.begun = vec[i64](begun)
        self.fill(table, seat)
        found: dict[int, int] = {}
        index: i64
        for index in range(self.amount):
            action: i64 = i64(self.allowed[index])
            found[action] = self.code_of(action)
        return found

    def allows(self, action: i64) -> bool:
        """Return whether an action is one of the legal ones."""
        return 0 <= action < self.size and self.row[self.base + action] != 0

    def code_of(self, action: i64) -> i64:
        """Return the code of the move that an action makes, MORE where it takes others, REFUSED where it may not be."""
        return self.codes[self.index_of(action)] if self.allows(action) else REFUSED


class IndexMask(Mask):
    """The actions of a game whose moves have an index in the contract; `number` tells it of a code, once."""

    __slots__ = ("known", "number")

    def __init__(self, size: i64, known: Numbers, number: Callable[[Table, int], int]) -> None:
        """Take the number of actions, and the codes that are known, which masks may share."""
        super().__init__(size)
        self.known = known
        self.number = number

    def fill(self, table: Table, seat: i64) -> None:
        """Allow the legal moves."""
        for code in table.legal(seat):
            action: i64 = self.known.find(code)
            if action < 0:
                action = self.number(table, code)
                self.known.put(code, action)
            self.allow(action, code)


class Episode:
    """A game in which seats are asked one after the other."""

    __slots__ = ("dice", "mask", "nothing", "observers", "seat", "table")

    def __init__(self, table: Table, dice: Dice, mask: Mask, observers: list[Observer]) -> None:
        """Take a table at the start, its chance, a mask, and an observer for each seat."""
        self.mask = mask
        self.observers = observers
        self.nothing = vec[i64]()
        self.begin(table, dice)

    def begin(self, table: Table, dice: Dice) -> None:
        """Begin with the first seat that decides at a table."""
        self.table = table
        self.dice = dice
        self.seat: i64 = first(table.actors())
        self.mask.ask(table, self.seat)

    def look(self, seat: i64) -> None:
        """Write what a seat sees into its observer's bits."""
        if seat == self.seat:
            self.observers[seat].look(self.table, seat, self.mask.begun)
        else:
            self.observers[seat].look(self.table, seat, self.nothing)

    def step(self, action: i64) -> i64:
        """Take an action of the seat that is asked; return who is asked next, OVER, or REFUSED without a change."""
        code: i64 = self.mask.code_of(action)
        if code == REFUSED:
            return REFUSED
        if code == MORE:
            self.mask.go_on(self.table, self.seat, action)
            return self.seat
        self.table.apply(self.seat, code, self.dice, None)
        actors: i64 = self.table.actors()
        if actors == 0:
            self.mask.clear()
            return OVER
        self.seat = first(actors)
        self.mask.ask(self.table, self.seat)
        return self.seat
