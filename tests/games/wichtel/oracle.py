"""The rules of Der Herr der Wichtel a second time, slowly and plainly, from the rulebook alone: lists, names and loops.

It uses gnomes by kind, reads written records, and has no code of the games package. If the rulebook is silent it
follows the decisions of RULES.md. Knowledge of viewers is no part of it; `worlds.py` has that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.wichtel.options import VillageOptions
from games.wichtel.record import VillageRecord

Move = dict[str, Any]
"""A move as the wire has it, without fields that are null."""

TITLES: Final[dict[str, tuple[list[str], list[str], int]]] = {
    "family_council": (["family"], ["family"], -5),
    "feller": (["hauler"], ["hauler", "family"], 3),
    "foreman": (["feller"], ["feller", "hauler", "family"], 8),
    "master": (["foreman", "feller"], ["feller", "hauler"], 13),
    "grey_eminence": (["master", "foreman"], ["foreman", "feller"], 23),
    "spear_thrower": (["clubber"], ["clubber", "family"], 5),
    "sergeant": (["spear_thrower"], ["spear_thrower", "clubber", "family"], 10),
    "general": (["sergeant", "spear_thrower"], ["spear_thrower", "clubber"], 15),
    "lord_of_the_wood": (["general", "sergeant"], ["sergeant", "spear_thrower"], 25),
}
CHIEFS: Final[dict[str, tuple[set[str], int]]] = {
    "tree_chief": ({"widow", "witch_doctor", "master", "foreman"}, 40),
    "war_chief": ({"widow", "witch_doctor", "general", "sergeant"}, 45),
    "tribal_chief": ({"widow", "witch_doctor", "master", "general"}, 65),
}
KINDS: Final = [
    *("family", "hauler", "clubber", "feller", "spear_thrower", "foreman", "sergeant"),
    *("master", "general", "widow", "witch_doctor"),
]
BRIBES: Final = ["two_coins", "three_coins", "four_coins", "five_coins", "six_coins", "i_am_best", "he_is_best"]
MOVEMENTS: Final = ["come_here", "come_back", "stand_still"]


def values(options: VillageOptions) -> dict[str, int]:
    """Return the points of every kind (HW-D28)."""
    fixed = {"family": 0, "hauler": 1, "clubber": 2, "witch_doctor": 10}
    return {kind: fixed[kind] if kind in fixed else getattr(options, kind) for kind in KINDS}


def titles(gnomes: Sequence[str]) -> list[str]:
    """Return all titles below the chiefs' that gnomes fit (HW-41, HW-48 to HW-51, HW-D17, HW-D29)."""
    found = []
    for title, (required, others, _) in TITLES.items():
        left = list(gnomes)
        if all(kind in left for kind in required):
            for kind in required:
                left.remove(kind)
            if all(kind in others for kind in left):
                found.append(title)
    return found


def score(hand: Sequence[str], options: VillageOptions) -> tuple[int, str | None]:
    """Return the best result of a retinue, and the title it has in it (HW-40 to HW-44, HW-D17 to HW-D20)."""
    points = values(options)
    for chief, (four, extra) in CHIEFS.items():
        if set(hand) == four:
            return sum(points[kind] for kind in hand) + extra, chief
    kept = list(hand)
    if "master" in hand or "general" in hand:
        kept = [kind for kind in hand if kind not in {"hauler", "clubber"}]
    plain = sum(points[kind] for kind in kept if kind != "widow")
    results: list[tuple[int, str | None]] = []
    for stand_in in ["witch_doctor", *KINDS[:9]] if "witch_doctor" in hand else [""]:
        roles = [stand_in if kind == "witch_doctor" else kind for kind in kept]
        roles = ["family" if kind == "widow" else kind for kind in roles]
        fitting = titles(roles) if len(roles) == 4 or options.short_titles else []
        title = fitting[0] if fitting else None
        result = plain + (TITLES[title][2] if title else 0)
        if "widow" in hand:
            result = -result if result > 0 else 2 * result
        results.append((result, title))
    return max(results, key=lambda found: found[0])


@dataclass
class Sitting:
    """A table as it lies before one's eyes."""

    options: VillageOptions
    seats: int
    round: int
    turn: int
    turns: int
    phase: str
    actor: int | None
    asked: list[int]
    free: bool
    onward: bool
    back: bool
    still: bool
    left: list[str | None]  # the pile before the square, its top last
    square: list[str]
    right: list[str | None]  # the pile behind it, its top first
    place: int | None
    roll: int | None
    offered: str | None
    hands: list[list[str]]
    actions: list[list[str]]
    bribes: list[str | None]
    spent: list[str]
    points: list[int]
    ended_by: int | None

    def facts(self) -> dict[str, Any]:
        found = dict(vars(self))
        found["hands"] = [sorted(hand) for hand in self.hands]
        found["actions"] = [sorted(cards) for cards in self.actions]
        found["spent"] = sorted(self.spent)
        return found

    def clockwise(self) -> list[int]:
        """Return the others, from the left neighbour of the turn's owner on."""
        return [(self.turn + step) % self.seats for step in range(1, self.seats)]

    def discards(self) -> list[str | None]:
        return self.left if self.onward else self.right

    def highest(self) -> int | None:
        """Return the seat whose bribe applies (HW-24, HW-25)."""
        laid = [seat for seat in self.clockwise() if self.bribes[seat]]
        ranked = [(BRIBES.index(str(self.bribes[seat])), order, seat) for order, seat in enumerate(laid)]
        return max(ranked)[2] if ranked else None


def sitting(record: VillageRecord) -> Sitting:
    seats = len(record.seats)

    def kind(name: str | None) -> str | None:
        return name.rpartition(" ")[0] if name else None

    cells = [kind(name) for name in record.caravan]
    over = record.phase == "over"
    return Sitting(
        options=record.options,
        seats=seats,
        round=record.round,
        turn=record.turn,
        turns=record.turns,
        phase=record.phase,
        actor=None if over else record.actor,
        asked=list(record.asked),
        free=record.officer_free,
        onward=record.onward,
        back=record.back,
        still=record.still,
        left=cells[: record.start],
        square=[str(cell) for cell in cells[record.start : record.start + seats]],
        right=cells[record.start + seats :],
        place=record.place,
        roll=record.roll,
        offered=kind(record.offered),
        hands=[[str(kind(name)) for name in seat.hand] for seat in record.seats],
        actions=[[str(kind(name)) for name in seat.actions] for seat in record.seats],
        bribes=[kind(seat.bribe) for seat in record.seats],
        spent=[str(kind(name)) for name in record.spent],
        points=[seat.points for seat in record.seats],
        ended_by=record.ended_by,
    )


# Legal moves.


def moves(at: Sitting, seat: int) -> Iterator[Move]:  # noqa: C901, PLR0912 -- one case a question reads best in one place
    """Yield the legal moves of a seat (HW-15, HW-37, HW-39, HW-D25)."""
    if seat != at.actor:
        return
    mine = sorted(set(at.hands[seat]))
    others = [other for other in range(at.seats) if other != seat]
    match at.phase:
        case "before" | "after":
            yield {"kind": "march_gnomes" if at.phase == "before" else "pass_die"}
            if at.phase == "after" and not at.free:
                yield {"kind": "free_officer"}
            yield from movements(at, seat)
        case "action":
            yield from ({"kind": "call_gnome", "gnome": kind} for kind in mine)
            yield from ({"kind": "swap_gnome", "gnome": kind, "partner": other} for kind in mine for other in others)
            yield from ({"kind": "recruit_gnome", "place": place} for place in range(1, at.seats + 1))
        case "answer":
            yield from ({"kind": "return_gnome", "gnome": kind, "partner": at.turn} for kind in mine)
        case "bribing":
            yield {"kind": "pass_bribe"}
            held = sorted(set(at.actions[seat]) & set(BRIBES))
            yield from ({"kind": "lay_bribe", "card": card, "recruiter": at.turn} for card in held)
        case "opened":
            best = at.highest()
            if seat != at.turn:
                yield {"kind": "spare_bribes"}
            elif best is None or str(at.bribes[best]).endswith("coins"):
                yield {"kind": "roll_for_gnome"}
            else:
                yield {"kind": "accept_outcome"}
            if "no_way" in at.actions[seat]:
                yield from ({"kind": "veto_bribe", "seat": other} for other in range(at.seats) if at.bribes[other])
        case "rolled":
            yield {"kind": "accept_outcome"}
            if "look_again" in at.actions[seat]:
                yield {"kind": "look_again"}
        case "giving":
            yield from ({"kind": "give_gnome", "seat": other} for other in others)
        case "laying":
            yield from ({"kind": "lay_gnome", "gnome": kind} for kind in mine)
        case "ending":
            yield from ({"kind": kind} for kind in ("end_round", "go_on"))


def movements(at: Sitting, seat: int) -> Iterator[Move]:
    """Yield the cards of movement that a seat may play (HW-31 to HW-33, HW-D3, HW-D5)."""
    held = at.actions[seat]
    if "come_here" in held:
        if at.options.pick_who_leaves:
            for place in range(1, at.seats + 1):
                yield {"kind": "play_movement", "card": "come_here", "place": place}
        else:
            yield {"kind": "play_movement", "card": "come_here"}
    if "come_back" in held and at.discards():
        yield {"kind": "play_movement", "card": "come_back"}
    if "stand_still" in held:
        yield {"kind": "play_movement", "card": "stand_still"}


# Effects of a move; `chance` holds the results of its draws, in order.


def make(at: Sitting, seat: int, move: Move, chance: list[Any]) -> None:  # noqa: C901, PLR0912 -- one case a kind
    """Make a legal move (HW-18, HW-20, HW-21, HW-30, HW-39, HW-D26)."""
    match move["kind"]:
        case "march_gnomes":
            march(at, chance)
        case "play_movement":
            play(at, seat, move, chance)
        case "call_gnome":
            call(at, seat, move["gnome"], chance)
        case "swap_gnome":
            at.hands[seat].remove(move["gnome"])
            at.offered, at.phase, at.actor = move["gnome"], "answer", move["partner"]
        case "return_gnome":
            at.hands[seat].remove(move["gnome"])
            at.hands[seat].append(str(at.offered))
            at.hands[at.turn].append(move["gnome"])
            at.offered = None
            ask_for_end(at, [at.turn, seat])
        case "recruit_gnome":
            at.place, at.phase = move["place"], "bribing"
            at.asked, at.actor = sorted(at.clockwise()), at.clockwise()[0]
        case "lay_bribe" | "pass_bribe":
            at.bribes[seat] = move.get("card")
            waiting = at.clockwise()[at.clockwise().index(seat) + 1 :]
            at.asked, at.actor = sorted(waiting), waiting[0] if waiting else at.turn
            if not waiting:
                open_bribes(at)
        case "give_gnome":
            at.phase, at.actor = "laying", move["seat"]
        case "lay_gnome":
            at.hands[seat].remove(move["gnome"])
            at.hands[seat].append(at.square[int(at.place or 0) - 1])
            at.square[int(at.place or 0) - 1] = move["gnome"]
            at.place = None
            ask_for_end(at, [seat])
        case "free_officer":
            at.free = True
        case "end_round":
            end(at, seat, chance)
        case "go_on":
            ask_for_end(at, [other for other in at.asked if other != seat])
        case "pass_die":
            at.turns += 1
            at.turn = at.actor = (seat + 1) % at.seats
            at.phase, at.roll = "before", None
            if at.turns == at.options.turn_cap:
                end(at, None, chance)
        case _:
            judge(at, seat, move, chance)


def walk(at: Sitting, right: bool, chance: list[Any]) -> None:  # noqa: FBT001 -- one of two ways
    """Let the square walk along the caravan (HW-12, HW-13, HW-D1)."""
    if right:
        at.left.append(at.square.pop(0))
        at.square.append(at.right.pop(0) or chance.pop(0))
    else:
        at.right.insert(0, at.square.pop())
        at.square.insert(0, at.left.pop() or chance.pop(0))


def turn_round(at: Sitting) -> None:
    """Turn the march round when the draw pile is used up (HW-14, HW-D1)."""
    if not (at.right if at.onward else at.left):
        at.onward = not at.onward


def march(at: Sitting, chance: list[Any]) -> None:
    """Let the gnomes walk as cards of movement would have it (HW-12, HW-32, HW-33, HW-D4, HW-D24)."""
    if at.back and not at.still:
        if at.discards():
            walk(at, not at.onward, chance)
    elif not at.still:
        walk(at, at.onward, chance)
        turn_round(at)
    at.back = at.still = False
    at.phase = "action"


def play(at: Sitting, seat: int, move: Move, chance: list[Any]) -> None:
    """Play a card of movement (HW-31 to HW-33, HW-36, HW-D24)."""
    at.actions[seat].remove(move["card"])
    at.spent.append(move["card"])
    if move["card"] == "come_back":
        at.back = True
    elif move["card"] == "stand_still":
        at.still = True
    else:
        if "place" in move:
            leaving = at.square.pop(move["place"] - 1)
            at.square.insert(0 if at.onward else at.seats, leaving)
        walk(at, at.onward, chance)
        turn_round(at)


def call(at: Sitting, seat: int, gnome: str, chance: list[Any]) -> None:
    """Lay a gnome down, then draw one (HW-17, HW-D2)."""
    at.hands[seat].remove(gnome)
    if at.onward:
        at.left.append(gnome)
        drawn = at.right.pop(0) or chance.pop(0)
    else:
        at.right.insert(0, gnome)
        drawn = at.left.pop() or chance.pop(0)
    at.hands[seat].append(drawn)
    turn_round(at)
    ask_for_end(at, [seat])


def open_bribes(at: Sitting) -> None:
    """Open all bribes; others may be asked for "No way!" (HW-22, HW-35, HW-D10)."""
    at.phase, at.actor = "opened", at.turn
    if at.options.no_way_for_all and any(at.bribes) and "no_way" not in at.spent:
        at.asked, at.actor = sorted(at.clockwise()), at.clockwise()[0]


def judge(at: Sitting, seat: int, move: Move, chance: list[Any]) -> None:
    """Decide on opened bribes, or on a roll (HW-26 to HW-29, HW-34, HW-35)."""
    match move["kind"]:
        case "veto_bribe":
            at.actions[seat].remove("no_way")
            at.actions[move["seat"]].remove(str(at.bribes[move["seat"]]))
            at.spent += ["no_way", str(at.bribes[move["seat"]])]
            at.bribes[move["seat"]] = None
            at.asked, at.actor = [], at.turn
        case "spare_bribes":
            waiting = at.clockwise()[at.clockwise().index(seat) + 1 :]
            at.asked, at.actor = sorted(waiting), waiting[0] if waiting else at.turn
        case "roll_for_gnome":
            roll(at, chance, again=False)
        case "look_again":
            at.actions[seat].remove("look_again")
            at.spent.append("look_again")
            roll(at, chance, again=True)
        case "accept_outcome":
            accept(at)


def roll(at: Sitting, chance: list[Any], *, again: bool) -> None:
    """Roll for the gnome (HW-26, HW-27, HW-34, HW-D9)."""
    best = at.highest()
    needed = 2 if best is None else 2 + BRIBES.index(str(at.bribes[best]))
    at.roll = chance.pop(0)
    if int(at.roll or 0) >= needed:
        win(at, at.turn)
    elif again:
        accept(at)
    else:
        at.phase = "rolled"


def accept(at: Sitting) -> None:
    """Let the highest bribe win, or the gnome stay (HW-23, HW-D8)."""
    best = at.highest()
    if best is not None:
        win(at, best)
    else:
        at.place, at.phase = None, "after"


def win(at: Sitting, winner: int) -> None:
    """Let a seat have the gnome; the highest bribe is spent and the others go back (HW-23, HW-28, HW-29)."""
    best = at.highest()
    card = None if best is None else at.bribes[best]
    if best is not None:
        at.actions[best].remove(str(card))
        at.spent.append(str(card))
    at.bribes = [None] * at.seats
    at.phase, at.actor = "giving" if card == "he_is_best" else "laying", winner


def ask_for_end(at: Sitting, takers: list[int]) -> None:
    """Let the seats that have taken a gnome in end the round (HW-39, HW-D13, HW-D14)."""
    at.asked = sorted(takers) if at.free else []
    order = [seat for seat in [at.turn, *at.clockwise()] if seat in at.asked]
    at.phase, at.actor = ("ending", order[0]) if order else ("after", at.turn)


def end(at: Sitting, ender: int | None, chance: list[Any]) -> None:
    """Score the round, and deal the next unless somebody is chief (HW-45 to HW-47, HW-D16, HW-D21)."""
    results = [score(hand, at.options)[0] for hand in at.hands]
    for seat, result in enumerate(results):
        best, worst = result == max(results), result == min(results)
        at.points[seat] += result + (at.options.best_bonus if best else at.options.worst_bonus if worst else 0)
    at.ended_by = ender
    at.turns, at.asked, at.free, at.onward, at.back, at.still = 0, [], False, True, False, False
    at.place = at.roll = None
    at.spent, at.bribes = [], [None] * at.seats
    cells: list[str | None] = [None] * (32 - 4 * at.seats)
    at.hands, at.actions = [[] for _ in at.hands], [[] for _ in at.hands]
    at.left, at.square, at.right = cells[:1], [str(None)] * at.seats, cells[1 + at.seats :]
    if max(at.points) >= at.options.goal:
        at.phase, at.actor = "over", None
        return
    at.turn = at.actor = at.round % at.seats
    at.round += 1
    at.phase = "before"
    gnomes, cards, rest = chance[: 4 * at.seats], chance[4 * at.seats : 8 * at.seats], chance[8 * at.seats :]
    at.hands = [gnomes[4 * seat : 4 * seat + 4] for seat in range(at.seats)]
    at.actions = [cards[4 * seat : 4 * seat + 4] for seat in range(at.seats)]
    at.square = rest
