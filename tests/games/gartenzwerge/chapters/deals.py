"""Deals: dwarfs shown, amounts sealed and opened, prices paid."""

from tests.games.gartenzwerge.chapters.club import Club
from tests.games.gartenzwerge.chapters.evening import go_on
from tests.games.gartenzwerge.chapters.listing import Move, sealing_seats, showable


def ask_on(at: Club, after: int) -> None:
    """Request a dwarf from the next member, or collect amounts (GZ-26, GZ-D13)."""
    for seat in at.around(after)[1:]:
        if seat == at.turn:
            break
        if not at.people[seat].out and showable(at, seat):
            at.stage, at.asking = "showing", seat
            return
    collect_amounts(at)


def show(at: Club, seat: int, move: Move) -> None:
    """Show a dwarf or none (GZ-26)."""
    assert at.deal
    at.deal["shown"][seat] = move.get("cap")
    ask_on(at, seat)


def schmiedel_deals(at: Club) -> bool:
    """Return whether Herr Schmiedel takes part in the deal (GZ-54, GZ-D34)."""
    assert at.deal
    cap = at.deal["cap"]
    left = getattr(at.options.stock, cap) - at.schmiedel_lent.count(cap)
    return len(at.people) == 2 and (at.deal["job"] == "offer" or left > 0)


def collect_amounts(at: Club) -> None:
    """Have amounts sealed, or the dwarf gardens at once (GZ-27, GZ-33, GZ-D16)."""
    at.stage, at.asking = "sealing", None
    if sealing_seats(at) == [at.turn] and not schmiedel_deals(at):
        no_deal(at)


def no_deal(at: Club) -> None:
    """Send the dwarf of the deal to the garden (GZ-32, GZ-35, GZ-D20)."""
    assert at.deal
    me = at.people[at.turn]
    me.move(at.deal["cap"], "block", "garden")
    me.money += at.wage()
    end_deal(at)


def end_deal(at: Club) -> None:
    at.deal, at.answers = None, [None] * len(at.people)
    go_on(at)


def seal(at: Club, seat: int, move: Move) -> None:
    """Seal an answer; once all are in, open them (GZ-28, GZ-29, GZ-34, GZ-56, GZ-57, GZ-59, GZ-D17, GZ-D18)."""
    at.answers[seat] = move.get("amount", "no_bid")
    if any(at.answers[other] is None for other in sealing_seats(at)):
        return
    assert at.deal
    search = at.deal["job"] == "search"
    offers: dict[int | None, int] = {
        other: at.answers[other]
        for other in sorted(sealing_seats(at))
        if other != at.turn and at.answers[other] != "no_bid"
    }
    if schmiedel_deals(at):
        at.deal["schmiedel"] = at.value(at.deal["cap"]) + at.draw("chip") + at.draw("chip")
        offers[None] = at.deal["schmiedel"]
    limit = at.answers[at.turn]
    good = {who: amount for who, amount in offers.items() if (amount <= limit if search else amount >= limit)}
    if not good:
        no_deal(at)
        return
    best = min(good.values()) if search else max(good.values())
    at.deal["tied"] = [who for who, amount in good.items() if amount == best]
    if len(at.deal["tied"]) > 1:
        at.stage = "choosing"
    else:
        settle(at, at.deal["tied"][0])


def choose(at: Club, _seat: int, move: Move) -> None:
    """Make the deal with one of several (GZ-D18, GZ-D33)."""
    settle(at, move["partner"])


def settle(at: Club, who: int | None) -> None:
    """Pay, and bring dwarfs to the sheds (GZ-30, GZ-34, GZ-58, GZ-60, GZ-D19)."""
    assert at.deal
    me, cap = at.people[at.turn], at.deal["cap"]
    price = at.deal["schmiedel"] if who is None else at.answers[who]
    if at.deal["job"] == "search":
        mate = cap if who is None else at.deal["shown"][who]
        me.money -= price
        me.move(cap, "block", "shed")
        me.pairs.append((cap, mate, who))
        if who is None:
            at.schmiedel_lent.append(cap)
        else:
            at.people[who].money += price
            at.people[who].move(mate, "free", "lent")
        end_deal(at)
        return
    me.money += price
    me.move(cap, "block", "lent")
    if who is None:
        end_deal(at)
        return
    at.people[who].money -= price
    at.stage, at.asking = "naming", who
    possible = at.people[who].can_work()
    if len(possible) == 1:
        name(at, who, {"cap": possible[0]})


def name(at: Club, seat: int, move: Move) -> None:
    """Bring the winner's own dwarf to the shed (GZ-D19)."""
    assert at.deal
    at.people[seat].move(move["cap"], "free", "shed")
    at.people[seat].pairs.append((move["cap"], at.deal["cap"], at.turn))
    end_deal(at)
