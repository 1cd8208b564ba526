"""The course of a round from one go to the next, and from its end to the next one's beginning."""

from typing import Final

from tests.games.gartenzwerge.chapters.club import RANKS, Club

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


def go_on(at: Club) -> None:
    """Give the next member a go, or let the evening come (GZ-13, GZ-20, GZ-44, GZ-47, GZ-D9, GZ-D22, GZ-D39)."""
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


def note(at: Club, cap: str) -> None:
    """Remember the highest cap that was ever owned (GZ-D7)."""
    at.highest = max(at.highest, "green" if cap == "gold" else cap, key=RANKS.index)


def breed(at: Club, seat: int, parent: str) -> None:
    """Draw for a pair (GZ-41, GZ-42, GZ-43, GZ-D21, GZ-D40)."""
    drawn = [at.draw("young") for _ in range(2 if at.event == "full_moon" else 1)]
    assert all(getattr(getattr(at.options.breeding, parent), cap) >= drawn.count(cap) for cap in drawn)
    young = max(drawn, key=RANKS.index)
    if at.supply(seat, young):
        at.people[seat].dwarfs.append((young, "young"))
        note(at, young)


def compete(at: Club, place: str, cap: str, prize: int) -> None:
    """Judge a competition (GZ-45, GZ-46, GZ-D23, GZ-D24)."""
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
    """Collect the upkeep of seats, until one has a choice (GZ-49, GZ-50, GZ-D26, GZ-D27, GZ-D41)."""
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


def judge(at: Club) -> None:
    """See whether the game is over (GZ-51, GZ-D5, GZ-D30, GZ-D42)."""
    inside = [seat for seat in range(len(at.people)) if not at.people[seat].out]
    rich = [seat for seat in inside if "gold" in at.people[seat].caps() or at.people[seat].money >= 4000]
    if rich:
        winners = best_of(at, rich, buying=True)
        golden = any("gold" in at.people[seat].caps() for seat in winners)
        finish(at, winners, "gold" if golden else "cash")
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
    """Return the best seats by dwarfs without a golden one, then by money (GZ-52, GZ-D28, GZ-D29)."""

    def key(seat: int) -> tuple[list[int], int]:
        caps = at.people[seat].caps()
        golden = "gold" in caps
        if golden:
            caps.remove("gold")
        return [RANKS.index(cap) for cap in caps], at.people[seat].money - (4000 if buying and not golden else 0)

    best = max(map(key, seats))
    return [seat for seat in seats if key(seat) == best]


def finish(at: Club, winners: list[int], ending: str) -> None:
    at.stage, at.winners, at.ending = "over", winners, ending


def begin_round(at: Club, inside: list[int]) -> None:
    """Begin the next round (GZ-15 to GZ-18, GZ-D6 to GZ-D8, GZ-D31, GZ-D37)."""
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
    """Return the sort key of the treasurer (GZ-15)."""
    return [RANKS.index(cap) for cap in at.people[seat].caps()], at.people[seat].money


def clear(at: Club, seats: list[int]) -> None:
    """Request the return of grey dwarfs if the event does, then begin the first turn (GZ-14, GZ-D38)."""
    for seat in seats:
        if at.event == "bulky_waste" and not at.people[seat].out and "grey" in at.people[seat].caps():
            at.stage, at.asking = "clearing", seat
            return
    at.turn = at.around(at.treasurer)[-1]
    go_on(at)
