"""Gartenzwerge e.V.: what a seat observes."""

from __future__ import annotations

from typing import Final

from dorfplatz_pettingzoo.layout import Field
from games.gartenzwerge.table.observer import SHEDS, ClubObserver

PAIRS: Final = 63
"""Bits of seven pairs."""

ROW: Final = 28
BEGUN: Final = 0
OBSERVER: Final = ClubObserver


def fields(seats: int) -> list[Field]:
    """Return the fields of an observation."""
    by_cap = "dwarfs by cap, 4 bits each from grey to gold: "
    found = [
        Field("seat", seats, "one_hot", "whose observation it is"),
        Field("turn", seats, "one_hot", "whose go it is, or was last"),
        Field("stage", 8, "one_hot", "the stage, in the order of the view's"),
        Field("asking", seats, "one_hot", "who is asked for something else than an employment"),
        Field("sealers", seats, "set", "who seals an amount"),
        Field("round", 16, "number", "the round"),
        Field("treasurer", seats, "one_hot", "the treasurer"),
        Field("event", 19, "one_hot", "the event in force; the last bit for none"),
        Field("events_left", 18, "set", "events not drawn yet, of both stacks"),
        Field("highest", 7, "one_hot", "the highest cap ever owned (GZ-D7)"),
        Field("lower", 7, "one_hot", "the cap of the lower competition"),
        Field("higher", 7, "one_hot", "the cap of the higher competition"),
        Field("begun", seats, "set", "who has had a go in this round"),
        Field("rested", seats, "set", "who has left his grey dwarfs in this round"),
        Field("out", seats, "set", "who is out of the game"),
        Field("offer", 1, "set", "whether the open deal is an offer, not a search"),
        Field("dwarf", 7, "one_hot", "the dwarf that the open deal is about"),
        Field("demand", 7, "one_hot", "the lowest cap that is wanted"),
        Field("shown", 4 * seats, "number", "the cap that each seat has shown, 4 bits each; 0 for none"),
        Field("tied", 7, "set", "among whom the member on turn chooses; bit 6 for Herr Schmiedel"),
        Field("schmiedel", 8, "number", "Herr Schmiedel's amount in steps of 50 plus one, once all are open"),
        Field("schmiedel_lent", ROW, "number", by_cap + "Herr Schmiedel's in others' sheds"),
        Field("due", 32, "number", "what the seat that sells must be able to pay"),
        Field("winners", seats, "set", "who has won"),
        Field("ending", 6, "one_hot", "not ended, gold, cash, last, ruin, cap"),
    ]
    for seat in range(seats):
        found += [
            Field(f"seat_{seat}_blossoms", 32, "number", "money"),
            Field(
                f"seat_{seat}_sealed",
                6,
                "number",
                "what it sealed, if known: 0 nothing, 63 no bid, else steps plus one",
            ),
            *(
                Field(f"seat_{seat}_{name}", ROW, "number", by_cap + name)
                for name in ("owned", "free", "lower", "higher", "lent")
            ),
            *(
                Field(f"seat_{seat}_shed_{part}", PAIRS, "number", "seven pairs, the youngest first, 9 bits each")
                for part in range(SHEDS)
            ),
        ]
    return found
