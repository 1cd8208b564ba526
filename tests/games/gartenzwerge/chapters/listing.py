"""The legal moves in a club, and the seats to decide."""

from typing import Any, Final

from tests.games.gartenzwerge.chapters.club import BREEDERS, RANKS, Club

Move = dict[str, Any]
"""A move as the wire has it."""

PRESCRIBED: Final = {
    "spring_clean": "send_to_garden",
    "clubhouse_repair": "send_to_garden",
    "open_show": "enter_competition",
    "regional_show": "enter_competition",
    "lonely_hearts": "seek_partner",
    "rental_day": "offer_dwarf",
    "stud_market": "offer_dwarf",
}
OWN_AMOUNT: Final = {"search": "seal_maximum", "offer": "seal_minimum"}
OTHERS_AMOUNT: Final = {"search": "seal_ask", "offer": "seal_bid"}


def moves(at: Club, seat: int) -> list[Move]:
    """Return every move of a seat (GZ-20, GZ-D18, GZ-D19, GZ-D26, GZ-D38)."""
    if at.stage == "over":
        return []
    if at.stage == "sealing":
        return amounts(at, seat) if seat in sealing_seats(at) and at.answers[seat] is None else []
    if seat != (at.turn if at.stage in {"employing", "choosing"} else at.asking):
        return []
    me = at.people[seat]
    if at.stage == "employing":
        return employments(at, seat)
    if at.stage == "choosing":
        assert at.deal
        return [{"kind": "choose_deal", "partner": partner} for partner in at.deal["tied"]]
    if at.stage == "clearing":
        return [{"kind": "return_greys", "number": n} for n in range(me.caps("free").count("grey") + 1)]
    if at.stage == "selling":
        return [{"kind": "sell_for_upkeep", "cap": cap} for cap in RANKS[:6] if (cap, "free") in me.dwarfs]
    if at.stage == "naming":
        return [{"kind": "name_mate", "cap": cap} for cap in me.can_work()]
    return [{"kind": "show_no_dwarf"}] + [{"kind": "show_dwarf", "cap": cap} for cap in showable(at, seat)]


def showable(at: Club, seat: int) -> list[str]:
    """Return the dwarfs that a seat could show to the seeker (GZ-25, GZ-26)."""
    assert at.deal
    lowest = RANKS.index(at.deal["demand"])
    return [cap for cap in at.people[seat].can_work() if RANKS.index(cap) >= lowest and seat != at.turn]


def employments(at: Club, seat: int) -> list[Move]:
    """Return the employments that a seat may choose from (GZ-22 to GZ-40, GZ-D10, GZ-D11, GZ-D21, GZ-D35)."""
    me = at.people[seat]
    working = me.can_work()
    if not working:
        return [{"kind": "leave_greys"}, {"kind": "sell_dwarf", "cap": "grey"}]
    found: list[Move] = [{"kind": "sell_dwarf", "cap": "grey"}] if "grey" in me.caps("free") else []
    for cap in working:
        found += [{"kind": kind, "cap": cap} for kind in ("send_to_garden", "offer_dwarf", "sell_dwarf")]
        found += [{"kind": "seek_partner", "cap": cap, "demand": demand} for demand in BREEDERS]
        found += [{"kind": "enter_competition", "cap": cap, "competition": name} for name in at.competitions]
        following = RANKS[RANKS.index(cap) + 1]
        if me.caps("free").count(cap) >= 2 and at.supply(seat, following):
            found.append({"kind": "trade_dwarfs", "cap": cap})
    duty = PRESCRIBED.get(at.event or "")
    if duty and seat not in at.begun:
        found = [move for move in found if move["kind"] == duty]
    return found


def sealing_seats(at: Club) -> list[int]:
    """Return the seats that seal an answer (GZ-26, GZ-34, GZ-D15)."""
    assert at.deal
    others = [seat for seat in range(len(at.people)) if seat != at.turn and not at.people[seat].out]
    if at.deal["job"] == "search":
        return [at.turn] + [seat for seat in others if at.deal["shown"][seat]]
    return [at.turn] + [seat for seat in others if at.people[seat].can_work()]


def amounts(at: Club, seat: int) -> list[Move]:
    """Return every answer that a seat may seal (GZ-27, GZ-D14, GZ-D15)."""
    assert at.deal
    job = at.deal["job"]
    kind = (OWN_AMOUNT if seat == at.turn else OTHERS_AMOUNT)[job]
    most = min(3050, at.people[seat].money) if kind in {"seal_maximum", "seal_bid"} else 3050
    found: list[Move] = [{"kind": kind, "amount": amount} for amount in range(0, most + 1, 50)]
    return [*found, {"kind": "seal_no_bid"}] if kind == "seal_bid" else found
