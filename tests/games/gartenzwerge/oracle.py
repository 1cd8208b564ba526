"""The rules of Gartenzwerge e.V. once more, slowly and plainly, from the rulebook alone: every dwarf lies somewhere.

It reads and gives written records, and knows nothing of how the games package plays. Where the rulebook is silent it
follows the decisions of RULES.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from games.gartenzwerge.options import ClubOptions
from games.gartenzwerge.view import ClubRecord

Move = dict[str, Any]
"""A move as the wire has it."""

RANKS: Final = ["grey", "brown", "orange", "red", "blue", "green", "gold"]
BREEDERS: Final = RANKS[1:6]
PRESCRIBED: Final = {
    "spring_clean": "send_to_garden",
    "clubhouse_repair": "send_to_garden",
    "open_show": "enter_competition",
    "regional_show": "enter_competition",
    "lonely_hearts": "seek_partner",
    "rental_day": "offer_dwarf",
    "stud_market": "offer_dwarf",
}
BLUE_CARDS: Final = {
    "clubhouse_repair",
    "regional_show",
    "stud_market",
    "championship",
    "full_moon",
    "hungry_winter",
    "sponsor",
    "collector_in_town",
    "luxury_tax",
}
PLACES: Final = ["free", "garden", "lower", "higher", "lent"]
OWN_AMOUNT: Final = {"search": "seal_maximum", "offer": "seal_minimum"}
OTHERS_AMOUNT: Final = {"search": "seal_ask", "offer": "seal_bid"}


@dataclass
class Person:
    """A member with money and dwarfs: where each dwarf is, by (cap, place), and pairs of (own, mate, owner)."""

    money: int
    dwarfs: list[tuple[str, str]]
    pairs: list[tuple[str, str, int | None]]
    out: bool

    def caps(self, place: str | None = None) -> list[str]:
        """Return the caps of all dwarfs, or of those at a place."""
        return sorted((cap for cap, at in self.dwarfs if place in {None, at}), key=RANKS.index, reverse=True)

    def move(self, cap: str, origin: str, target: str | None) -> None:
        """Bring a dwarf somewhere else; None is the supply."""
        self.dwarfs.remove((cap, origin))
        if target:
            self.dwarfs.append((cap, target))

    def can_work(self) -> list[str]:
        """Return the caps of free dwarfs that are not grey, each once."""
        return [cap for cap in BREEDERS if (cap, "free") in self.dwarfs]


@dataclass
class Club:
    """A club as it lies before one's eyes."""

    options: ClubOptions
    round: int
    treasurer: int
    stage: str
    turn: int
    asking: int | None
    event: str | None
    events_left: set[str]
    highest: str
    competitions: list[str]
    begun: set[int]
    rested: set[int]
    people: list[Person]
    deal: dict[str, Any] | None
    answers: list[Any]
    schmiedel_lent: list[str]
    due: int
    winners: list[int]
    ending: str | None
    outcomes: Iterator[tuple[str, Any]] = field(default_factory=lambda: iter(()))

    def facts(self) -> dict[str, Any]:
        """Return everything, to be compared."""
        facts = {name: value for name, value in vars(self).items() if name not in {"people", "outcomes"}}
        facts["people"] = [(p.money, sorted(p.dwarfs), p.pairs, p.out) for p in self.people]
        facts["schmiedel_lent"] = sorted(self.schmiedel_lent)
        return facts

    def draw(self, what: str) -> Any:
        """Return what chance answers next."""
        purpose, value = next(self.outcomes)
        assert purpose == what, (purpose, what)
        return value

    def around(self, first: int) -> list[int]:
        """Return all seats clockwise from one on."""
        seats = len(self.people)
        return [(first + step) % seats for step in range(seats)]

    def value(self, cap: str) -> int:
        """Return what a cap is worth."""
        return 0 if cap == "grey" else int(getattr(self.options.cap_values, cap))

    def supply(self, seat: int, cap: str) -> int:
        """Return how many dwarfs of a cap a seat can still take."""
        return int(getattr(self.options.stock, cap)) - self.people[seat].caps().count(cap)

    def wage(self) -> int:
        """Return what garden work earns."""
        return {"bumper_harvest": 100, "rainy_week": 0}.get(self.event or "", 50)


def club(record: ClubRecord) -> Club:
    """Read a written club."""
    people = []
    for member in record.members:
        dwarfs = [
            (cap, place) for place in PLACES for cap in RANKS for _ in range(getattr(getattr(member, place), cap))
        ]
        pairs: list[tuple[str, str, int | None]] = [(pair.own, pair.mate, pair.owner) for pair in member.shed]
        people.append(Person(member.blossoms, dwarfs + [(own, "shed") for own, _, _ in pairs], pairs, member.out))
    deal = msgspec.to_builtins(record.deal)
    if deal and record.stage != "naming":
        people[record.turn].dwarfs.append((deal["cap"], "block"))
    lent = [cap for cap in RANKS for _ in range(getattr(record.schmiedel_lent, cap))]
    return Club(
        options=record.options,
        round=record.round,
        treasurer=record.treasurer,
        stage=record.stage,
        turn=record.turn,
        asking=record.asking,
        event=record.event,
        events_left=set(record.events_left),
        highest=record.highest,
        competitions=list(record.competitions),
        begun=set(record.begun),
        rested=set(record.rested),
        people=people,
        deal=deal,
        answers=list(record.answers),
        schmiedel_lent=lent,
        due=record.due,
        winners=list(record.winners),
        ending=record.ending,
    )


# What may be done.


def moves(at: Club, seat: int) -> list[Move]:
    """Return every move of a seat."""
    if at.stage == "over":
        return []
    if at.stage == "sealing":
        return amounts(at, seat) if seat in asked(at) and at.answers[seat] is None else []
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
    """Return what a seat could show to the seeker."""
    assert at.deal
    lowest = RANKS.index(at.deal["demand"])
    return [cap for cap in at.people[seat].can_work() if RANKS.index(cap) >= lowest and seat != at.turn]


def employments(at: Club, seat: int) -> list[Move]:
    """Return the employments that a seat may choose from."""
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


def asked(at: Club) -> list[int]:
    """Return who seals an answer."""
    assert at.deal
    others = [seat for seat in range(len(at.people)) if seat != at.turn and not at.people[seat].out]
    if at.deal["job"] == "search":
        return [at.turn] + [seat for seat in others if at.deal["shown"][seat]]
    return [at.turn] + [seat for seat in others if at.people[seat].can_work()]


def amounts(at: Club, seat: int) -> list[Move]:
    """Return every answer that a seat may seal."""
    assert at.deal
    job = at.deal["job"]
    kind = (OWN_AMOUNT if seat == at.turn else OTHERS_AMOUNT)[job]
    most = min(3050, at.people[seat].money) if kind in {"seal_maximum", "seal_bid"} else 3050
    found: list[Move] = [{"kind": kind, "amount": amount} for amount in range(0, most + 1, 50)]
    return [*found, {"kind": "seal_no_bid"}] if kind == "seal_bid" else found


# What a move does.


def make(at: Club, seat: int, move: Move, outcomes: Sequence[tuple[str, Any]]) -> None:
    """Make a move; chance answers what is written."""
    at.outcomes = iter(outcomes)
    DOING[move["kind"]](at, seat, move)
    assert next(at.outcomes, None) is None, "more was drawn than the rules ask for"


def employ(at: Club, seat: int, move: Move) -> None:
    """Give a dwarf an employment."""
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


def note(at: Club, cap: str) -> None:
    """Remember the highest cap that was ever owned."""
    at.highest = max(at.highest, "green" if cap == "gold" else cap, key=RANKS.index)


def ask_on(at: Club, after: int) -> None:
    """Ask whoever is next for a dwarf, or collect amounts."""
    for seat in at.around(after)[1:]:
        if seat == at.turn:
            break
        if not at.people[seat].out and showable(at, seat):
            at.stage, at.asking = "showing", seat
            return
    collect_amounts(at)


def show(at: Club, seat: int, move: Move) -> None:
    """Show a dwarf or none."""
    assert at.deal
    at.deal["shown"][seat] = move.get("cap")
    ask_on(at, seat)


def schmiedel_deals(at: Club) -> bool:
    """Tell whether Herr Schmiedel takes part in the deal."""
    assert at.deal
    cap = at.deal["cap"]
    left = getattr(at.options.stock, cap) - at.schmiedel_lent.count(cap)
    return len(at.people) == 2 and (at.deal["job"] == "offer" or left > 0)


def collect_amounts(at: Club) -> None:
    """Have amounts sealed, or the dwarf gardens at once."""
    at.stage, at.asking = "sealing", None
    if asked(at) == [at.turn] and not schmiedel_deals(at):
        no_deal(at)


def no_deal(at: Club) -> None:
    """Send the dwarf of the deal to the garden."""
    assert at.deal
    me = at.people[at.turn]
    me.move(at.deal["cap"], "block", "garden")
    me.money += at.wage()
    end_deal(at)


def end_deal(at: Club) -> None:
    """Clear the block."""
    at.deal, at.answers = None, [None] * len(at.people)
    go_on(at)


def seal(at: Club, seat: int, move: Move) -> None:
    """Seal an answer; once all are in, open them."""
    at.answers[seat] = move.get("amount", "no_bid")
    if any(at.answers[other] is None for other in asked(at)):
        return
    assert at.deal
    search = at.deal["job"] == "search"
    offers: dict[int | None, int] = {
        other: at.answers[other] for other in sorted(asked(at)) if other != at.turn and at.answers[other] != "no_bid"
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
    """Make the deal with one of several."""
    settle(at, move["partner"])


def settle(at: Club, who: int | None) -> None:
    """Pay, and bring dwarfs to the sheds."""
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
    """Bring the winner's own dwarf to the shed."""
    assert at.deal
    at.people[seat].move(move["cap"], "free", "shed")
    at.people[seat].pairs.append((move["cap"], at.deal["cap"], at.turn))
    end_deal(at)


# The course of a round.


def go_on(at: Club) -> None:
    """Give the next member a go, or let the evening come."""
    at.stage, at.asking = "employing", None
    for seat in [*at.around(at.turn)[1:], at.turn]:
        if not at.people[seat].out and seat not in at.rested and at.people[seat].caps("free"):
            at.turn = seat
            return
    at.begun, at.rested = set(), set()
    for seat in at.around(at.treasurer):
        for own, mate, _ in at.people[seat].pairs:
            breed(at, seat, max(own, mate, key=RANKS.index))
    for place, cap, prize in zip(("lower", "higher"), at.competitions, (500, 1000), strict=True):
        compete(at, place, cap, prize + (500 if at.event == "championship" else 0))
    for person in at.people:
        person.dwarfs = [(cap, "free") for cap, _ in person.dwarfs]
        person.pairs = []
    at.schmiedel_lent = []
    upkeep(at, at.around(at.treasurer))


def breed(at: Club, seat: int, parent: str) -> None:
    """Draw for a pair."""
    drawn = [at.draw("young") for _ in range(2 if at.event == "full_moon" else 1)]
    assert all(getattr(getattr(at.options.breeding, parent), cap) >= drawn.count(cap) for cap in drawn)
    young = max(drawn, key=RANKS.index)
    if at.supply(seat, young):
        at.people[seat].dwarfs.append((young, "young"))
        note(at, young)


def compete(at: Club, place: str, cap: str, prize: int) -> None:
    """Judge a competition."""
    entered = [(dwarf, person) for person in at.people for dwarf in person.caps(place)]
    if not entered:
        return
    house = [at.draw("house_card"), at.draw("house_card")]
    assert all(getattr(getattr(at.options.breeding, cap), card) >= house.count(card) for card in house)
    everyone = house + [dwarf for dwarf, _ in entered]
    best = max(everyone, key=RANKS.index)
    share = prize // everyone.count(best) // 50 * 50
    for dwarf, person in entered:
        person.money += share if dwarf == best else 0


def upkeep(at: Club, seats: list[int]) -> None:
    """Collect the upkeep of seats, until one has a choice."""
    rate = {"hungry_winter": 150, "sponsor": 50}.get(at.event or "", 100)
    for seat in seats:
        me = at.people[seat]
        if me.out:
            continue
        at.due = at.due or rate * len(me.dwarfs)
        while me.money < at.due and (left := [cap for cap in me.caps() if cap != "gold"]):
            enough = me.money + sum(map(at.value, left)) >= at.due
            if enough and len(set(left)) > 1:
                at.stage, at.asking = "selling", seat
                return
            me.move(left[-1], "free", None)
            me.money += at.value(left[-1])
        me.money -= min(me.money, at.due)
        at.due = 0
    at.asking = None
    judge(at)


def sell(at: Club, seat: int, move: Move) -> None:
    """Sell a dwarf for the upkeep."""
    at.people[seat].move(move["cap"], "free", None)
    at.people[seat].money += at.value(move["cap"])
    order = at.around(at.treasurer)
    upkeep(at, order[order.index(seat) :])


def judge(at: Club) -> None:
    """See whether the game is over."""
    inside = [seat for seat in range(len(at.people)) if not at.people[seat].out]
    rich = [seat for seat in inside if "gold" in at.people[seat].caps() or at.people[seat].money >= 4000]
    if rich:
        winners = best_of(at, rich, buying=True)
        finish(at, winners, "gold" if "gold" in at.people[winners[0]].caps() else "cash")
        return
    for seat in inside:
        at.people[seat].out = not at.people[seat].can_work()
    inside = [seat for seat in inside if not at.people[seat].out]
    if not inside:
        finish(at, best_of(at, list(range(len(at.people))), buying=False), "ruin")
    elif len(inside) == 1:
        finish(at, inside, "last")
    elif at.round == at.options.round_cap:
        finish(at, best_of(at, list(range(len(at.people))), buying=False), "cap")
    else:
        begin_round(at, inside)


def best_of(at: Club, seats: list[int], *, buying: bool) -> list[int]:
    """Return who is best by dwarfs without a golden one, then by money."""

    def key(seat: int) -> tuple[list[int], int]:
        caps = at.people[seat].caps()
        golden = "gold" in caps
        if golden:
            caps.remove("gold")
        return [RANKS.index(cap) for cap in caps], at.people[seat].money - (4000 if buying and not golden else 0)

    best = max(map(key, seats))
    return [seat for seat in seats if key(seat) == best]


def finish(at: Club, winners: list[int], ending: str) -> None:
    """End the game."""
    at.stage, at.winners, at.ending = "over", winners, ending


def begin_round(at: Club, inside: list[int]) -> None:
    """Begin the next round."""
    at.round += 1
    best = max(standing(at, seat) for seat in inside)
    at.treasurer = next(s for s in at.around(at.treasurer) if s in inside and standing(at, s) == best)
    drawn = [at.draw("competition"), at.draw("competition")]
    assert len(set(drawn)) == 2
    assert all(0 < RANKS.index(cap) <= RANKS.index(at.highest) for cap in drawn)
    at.competitions = sorted(drawn, key=RANKS.index)
    blue = RANKS.index(at.highest) >= RANKS.index("blue")
    stack = {name for name in at.options.events if (name in BLUE_CARDS) == blue}
    at.event = None
    if stack:
        if not at.events_left & stack:
            at.events_left |= stack
        at.event = at.draw("event")
        at.events_left.remove(at.event)
    poorest = min(at.people[seat].money for seat in inside)
    for seat in inside:
        me = at.people[seat]
        if at.event == "membership_fee":
            me.money -= min(100, me.money)
        elif at.event == "luxury_tax":
            me.money -= min(50 * sum(RANKS.index(cap) >= 3 for cap in me.caps()), me.money)
        elif at.event == "club_grant" and me.money == poorest:
            me.money += 200
    clear(at, at.around(at.treasurer))


def standing(at: Club, seat: int) -> tuple[list[int], int]:
    """Return by what the treasurer is found."""
    return [RANKS.index(cap) for cap in at.people[seat].caps()], at.people[seat].money


def clear(at: Club, seats: list[int]) -> None:
    """Ask for grey dwarfs to be returned, where the event says so, then begin the first go."""
    for seat in seats:
        if at.event == "bulky_waste" and not at.people[seat].out and "grey" in at.people[seat].caps():
            at.stage, at.asking = "clearing", seat
            return
    at.turn = at.around(at.treasurer)[-1]
    go_on(at)


def return_greys(at: Club, seat: int, move: Move) -> None:
    """Return grey dwarfs."""
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
"""What is done by a move of each kind."""
