"""The rules of Gartenzwerge e.V. a second time, slowly and plainly, from the rulebook alone: the effects of each move.

It reads and gives written records, and uses no code of the games package. If the rulebook is silent it follows the
decisions of RULES.md. Its chapters stand beside it.
"""

from collections.abc import Sequence
from typing import Any, Final

from tests.games.gartenzwerge.chapters.club import RANKS, Club, club
from tests.games.gartenzwerge.chapters.deals import ask_on, choose, collect_amounts, name, seal, show
from tests.games.gartenzwerge.chapters.evening import clear, go_on, note, upkeep
from tests.games.gartenzwerge.chapters.listing import Move, moves

__all__ = ["Club", "club", "make", "moves"]


def make(at: Club, seat: int, move: Move, outcomes: Sequence[tuple[str, Any]]) -> None:
    """Make a move; chance answers what is written (GZ-13, GZ-14)."""
    at.outcomes = iter(outcomes)
    DOING[move["kind"]](at, seat, move)
    assert next(at.outcomes, None) is None, "more was drawn than the rules ask for"


def employ(at: Club, seat: int, move: Move) -> None:
    """Give a dwarf an employment (GZ-20, GZ-21, GZ-24 to GZ-40)."""
    me, kind, cap = at.people[seat], move["kind"], move.get("cap", "")
    at.begun.add(seat)
    if kind in {"seek_partner", "offer_dwarf"}:
        me.move(cap, "free", "block")
        job = "search" if kind == "seek_partner" else "offer"
        shown: list[str | None] = [None] * len(at.people)
        demand = move.get("demand", cap)
        at.deal = {"job": job, "cap": cap, "demand": demand, "shown": shown, "schmiedel": None, "tied": []}
        if job == "search":
            ask_on(at, seat)
        else:
            collect_amounts(at)
        return
    if kind == "send_to_garden":
        me.move(cap, "free", "garden")
        me.money += at.wage()
    elif kind == "sell_dwarf":
        me.move(cap, "free", None)
        me.money += at.value(cap) * (2 if at.event == "collector_in_town" else 1)
    elif kind == "trade_dwarfs":
        me.move(cap, "free", None)
        me.move(cap, "free", None)
        gained = RANKS[RANKS.index(cap) + 1]
        me.dwarfs.append((gained, "garden"))
        note(at, gained)
    elif kind == "enter_competition":
        me.move(cap, "free", "lower" if move["competition"] == at.competitions[0] else "higher")
    else:
        at.rested.add(seat)
    go_on(at)


def sell(at: Club, seat: int, move: Move) -> None:
    """Sell a dwarf for the upkeep (GZ-36, GZ-50)."""
    at.people[seat].move(move["cap"], "free", None)
    at.people[seat].money += at.value(move["cap"])
    order = at.around(at.treasurer)
    upkeep(at, order[order.index(seat) :])


def return_greys(at: Club, seat: int, move: Move) -> None:
    """Return grey dwarfs (GZ-23)."""
    for _ in range(move["number"]):
        at.people[seat].move("grey", "free", None)
    order = at.around(at.treasurer)
    clear(at, order[order.index(seat) + 1 :])


DOING: Final = {
    **dict.fromkeys(
        [
            "send_to_garden",
            "seek_partner",
            "offer_dwarf",
            "sell_dwarf",
            "trade_dwarfs",
            "enter_competition",
            "leave_greys",
        ],
        employ,
    ),
    **dict.fromkeys(["show_dwarf", "show_no_dwarf"], show),
    **dict.fromkeys(["seal_maximum", "seal_ask", "seal_minimum", "seal_bid", "seal_no_bid"], seal),
    "choose_deal": choose,
    "name_mate": name,
    "return_greys": return_greys,
    "sell_for_upkeep": sell,
}
"""The function for each kind of move."""
