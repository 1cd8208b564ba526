"""Der Herr der Wichtel: what a seat observes."""

from __future__ import annotations

from typing import Final

from dorfplatz_pettingzoo.layout import Field
from games.wichtel.table.cards import ACTION_KINDS, KINDS
from games.wichtel.table.observer import CELLS, WIDTH, VillageObserver

BEGUN: Final = 0
OBSERVER: Final = VillageObserver


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
        Field("hand", KINDS * WIDTH, "number", "own gnomes by kind, 3 bits each"),
        Field("actions", ACTION_KINDS * WIDTH, "number", "own action cards by kind, 3 bits each"),
        Field("spent", ACTION_KINDS * WIDTH, "number", "action cards spent, by kind, 3 bits each"),
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
            Field(f"seat_{seat}_known", KINDS * WIDTH, "number", "gnomes that are in this hand for sure, by kind"),
            Field(f"seat_{seat}_cards", 3, "number", "how many action cards the seat has"),
            Field(f"seat_{seat}_shown", ACTION_KINDS * WIDTH, "number", "its action cards that all know, by kind"),
            Field(f"seat_{seat}_bribe", ACTION_KINDS + 1, "set", "its bribe: bit 0 that there is one, then its kind"),
        ]
    return found
