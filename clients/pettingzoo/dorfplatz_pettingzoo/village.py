"""Der Herr der Wichtel: what a seat observes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from dorfplatz_pettingzoo.layout import Field
from games.core.table import SPECTATOR
from games.wichtel.table.cards import ACTION_KINDS, KINDS, UNKNOWN, kind_of, kind_of_action
from games.wichtel.table.codes import BRIBING, GIVING, LAYING, OPENED, ROLLED
from games.wichtel.table.recall import LIMBO, recalled
from games.wichtel.table.traces import places_of, sure_in, traces_of

MOST_KINDS: Final = 3
"""Bits for the number of cards of a kind in a hand or among those spent."""

CELLS: Final = 20
POINTS: Final = 32768
"""What is added to points, which may be below 0."""

COURTING: Final = frozenset((BRIBING, OPENED, ROLLED, GIVING, LAYING))
"""The phases in which the die stands on a gnome (HW-20)."""

OPEN: Final = 16
SEEN: Final = [(0 if kind == UNKNOWN else 2 << kind) | seen for seen in range(2) for kind in range(UNKNOWN + 1)]
"""What a cell is told as, by its gnome's kind and 16 for one that all have seen there."""
BEGUN: Final = 0


def fields(seats: int) -> list[Field]:
    """Return the fields of an observation."""
    found = [
        Field("seat", seats, "one_hot", "whose observation it is"),
        Field("turn", seats, "one_hot", "whose turn it is"),
        Field("actor", seats, "one_hot", "who decides"),
        Field("phase", 11, "one_hot", "the phase, in the order of the view's"),
        Field("asked", seats, "set", "seats still to be asked"),
        Field("flags", 4, "set", "officer freed; onward; the next march goes back; it does not take place"),
        Field("round", 16, "number", "the round"),
        Field("turns", 16, "number", "turns ended in this round"),
        Field("start", 5, "number", "how many cells lie before the square"),
        Field("place", 3, "number", "the courted gnome's place on the square, from 1; 0 for none"),
        Field("roll", 3, "number", "the last roll of this turn, 0 for none"),
        Field("hand", KINDS * MOST_KINDS, "number", "own gnomes by kind, 3 bits each"),
        Field("actions", ACTION_KINDS * MOST_KINDS, "number", "own action cards by kind, 3 bits each"),
        Field("spent", ACTION_KINDS * MOST_KINDS, "number", "action cards spent, by kind, 3 bits each"),
        Field("offered", KINDS, "one_hot", "the gnome on its way in a swap, for those who know it"),
    ]
    found += [
        Field(f"cell_{index}", KINDS + 1, "set", "bit 0: all have seen who lies here; then the gnome, if it is known")
        for index in range(CELLS)
    ]
    for seat in range(seats):
        found += [
            Field(f"seat_{seat}_points", 16, "number", "points plus 32,768"),
            Field(f"seat_{seat}_gnomes", 3, "number", "how many gnomes the seat holds"),
            Field(f"seat_{seat}_known", KINDS * MOST_KINDS, "number", "gnomes that are in this hand for sure, by kind"),
            Field(f"seat_{seat}_cards", 3, "number", "how many action cards the seat has"),
            Field(f"seat_{seat}_shown", ACTION_KINDS * MOST_KINDS, "number", "its action cards that all know, by kind"),
            Field(f"seat_{seat}_bribe", ACTION_KINDS + 1, "set", "its bribe: bit 0 that there is one, then its kind"),
        ]
    return found


@lru_cache(maxsize=1 << 16)
def gnomes(cards: int) -> int:
    """Return how many gnomes of each kind are in a set, 3 bits each."""
    return sum(1 << MOST_KINDS * int(kind_of(card)) for card in range(32) if cards >> card & 1)


@lru_cache(maxsize=1 << 16)
def actions(cards: int) -> int:
    """Return how many action cards of each kind are in a set, 3 bits each."""
    return sum(1 << MOST_KINDS * int(kind_of_action(card)) for card in range(21) if cards >> card & 1)


def read(village: Any, seat: int) -> tuple[list[int], bytes]:
    """Return the values of the fields for a seat; cards of a kind look alike, so kinds are told and never cards."""
    recall = recalled(village, seat)
    lying = list(recall.lying)
    cells = [SEEN[kind + OPEN * (seen == 1)] for kind, seen in zip(lying, recall.seen, strict=False)]
    me = None if seat == SPECTATOR else village.seat(seat)
    values = [
        1 << seat,
        1 << village.turn,
        village.actors(),
        1 << village.phase,
        village.queue,
        village.freed | village.onward << 1 | village.back << 2 | village.still << 3,
        village.round & 0xFFFF,
        village.turns & 0xFFFF,
        village.start,
        village.place + 1 if village.phase in COURTING else 0,
        village.roll,
        gnomes(me.hand) if me else 0,
        actions(me.actions) if me else 0,
        actions(village.spent),
        SEEN[lying[LIMBO]] >> 1 if village.offered else 0,
        *cells[:CELLS],
    ]
    traces = traces_of(recall, places_of(recall))
    for other in range(village.seats):
        him = village.seat(other)
        bribe = 0
        if him.bribe:
            told = other == seat or village.phase != BRIBING
            bribe = 1 | (2 << kind_of_action(him.bribe - 1) if told else 0)
        sure = gnomes(him.hand) if other == seat else sum(1 << MOST_KINDS * kind for kind in sure_in(traces, other))
        values += (
            him.points + POINTS,
            him.hand.bit_count(),
            sure,
            him.actions.bit_count(),
            actions(him.shown),
            bribe,
        )
    return values, b""
