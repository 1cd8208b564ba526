"""The rules of Der Hohe Rat a second time, slowly and plainly, from the rulebook alone: sets, lists and loops, no bits.

It reads and gives written records, and uses no code of the games package. If the rulebook is silent it follows the
decisions of RULES.md. Knowledge of hands is no part of it; `worlds.py` has that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Any, Final

from games.hoher_rat.view import CouncilRecord

Move = dict[str, Any]
"""A move as the wire has it, without fields that are null."""

HUES: Final = ("black", "white", "blue", "green", "yellow", "red")
FACTION: Final = {"white": 0, "yellow": 0, "red": 1, "blue": 1}
OF_TWO: Final = (("white", "yellow"), ("red", "blue"))
OF_FOUR: Final = (("white",), ("red",), ("yellow",), ("blue",))


@dataclass
class Sitting:
    """A table as it lies before one's eyes: `ring` holds (colour, rank) by field number."""

    seats: int
    ring: dict[int, tuple[str, str]]
    hands: list[set[int]]
    owned: list[dict[str, int]]
    decks: list[set[int]]
    discards: list[set[int]]
    turn: int
    acted: bool
    stirred: bool
    voting: bool
    turns: int
    idle: int
    caps: tuple[int, int]
    offered: int | None
    winner: str | None

    def facts(self) -> dict[str, Any]:
        return vars(self)


def sitting(record: CouncilRecord) -> Sitting:
    hands = [set(player.hand) for player in record.players]
    discards = [set(faction.discard) for faction in record.factions]
    decks = []
    for faction in range(2):
        out = discards[faction].union(*hands[faction::2])
        decks.append({card for card in range(1, 33) if card not in out})
    return Sitting(
        seats=len(record.players),
        ring={n: (piece.colour, piece.rank) for n, piece in enumerate(record.ring, start=1) if piece},
        hands=hands,
        owned=[{hue: getattr(player.arguments, hue) for hue in HUES if hue != "black"} for player in record.players],
        decks=decks,
        discards=discards,
        turn=record.turn,
        acted=record.acted,
        stirred=record.stirred,
        voting=record.voting,
        turns=record.turns,
        idle=record.idle,
        caps=(record.options.turn_cap, record.options.idle_cap),
        offered=record.offered,
        winner=record.winner,
    )


# The visible table.


def hue(number: int) -> str:
    """Return the colour of a field, or of its card (HR-13, HR-D32)."""
    return HUES[number % 6]


def beside(field: int) -> tuple[int, int]:
    """Return a field's two neighbours on the closed ring (HR-6, HR-17)."""
    return (field - 2) % 30 + 1, field % 30 + 1


def joined(fields: set[int], field: int) -> set[int]:
    """Return all of `fields` that one reaches from a field without stepping off them (HR-17, HR-18)."""
    reached = {field}
    while more := {step for at in reached for step in beside(at)} & fields - reached:
        reached |= more
    return reached


def colours(at: Sitting, seat: int) -> tuple[str, ...]:
    """Return the colours a seat plays (HR-9, HR-10)."""
    return OF_TWO[seat] if at.seats == 2 else OF_FOUR[seat]


def fields_of(at: Sitting, *wanted: str) -> set[int]:
    return {field for field, (colour, _) in at.ring.items() if colour in wanted}


def group(at: Sitting, field: int) -> set[int]:
    """Return the group that stands on a field (HR-17, HR-D4)."""
    return joined(fields_of(at, at.ring[field][0]), field)


def longest_block(at: Sitting, faction: int) -> int:
    """Return the size of a faction's largest block (HR-18, HR-19, HR-D5)."""
    fields = fields_of(at, *OF_TWO[faction])
    return max((len(joined(fields, field)) for field in fields), default=0)


def waiting(at: Sitting, colour: str, rank: str) -> int:
    """Return the number of followers or speakers of a colour in supply (HR-12)."""
    return (10 if rank == "follower" else 1) - list(at.ring.values()).count((colour, rank))


def room(at: Sitting, seat: int, argument: str) -> int:
    """Return the number of arguments of a colour that a seat may still take (HR-31, HR-D12)."""
    team = sum(at.owned[mate][argument] for mate in range(seat % 2, at.seats, 2))
    everyone = sum(owned[argument] for owned in at.owned)
    return min(6 - team, 10 - everyone)


# Legal moves.


def moves(at: Sitting, seat: int) -> list[Move]:
    """Return every legal move of a seat (HR-20, HR-22, HR-D2, HR-D3)."""
    if at.winner is not None:
        return []
    if at.offered is not None:
        owes = (at.turn + 2) % 4
        return [{"kind": "return_card", "card": card} for card in at.hands[seat]] if seat == owes else []
    if seat != at.turn:
        return []
    found: list[Move] = [{"kind": "end_turn"}, *convincings(at, seat)]
    if not at.acted:
        found += [{"kind": "ponder"}, *discussions(at, seat), *triliths(at, seat), *seatings(at, seat)]
        if at.seats == 4:
            found += [{"kind": "confer", "card": card} for card in at.hands[seat]]
    return found


def discussions(at: Sitting, seat: int) -> Iterator[Move]:
    """Yield every set of number cards that goes together, for each colour it may yield.

    HR-23, HR-26 to HR-29, HR-D11, HR-D14.
    """
    numbers = sorted(card for card in at.hands[seat] if card <= 30)
    for size in (1, 2, 3):
        for cards in combinations(numbers, size):
            bright = {hue(card) for card in cards} - {"black"}
            if len(bright) > 1:
                continue
            for argument in bright or set(HUES) - {"black"}:
                if room(at, seat, argument) > 0:
                    yield {"kind": "discuss", "cards": list(cards), "argument": argument}


def triliths(at: Sitting, seat: int) -> Iterator[Move]:
    """Yield every choice of arguments for a trilith card; of two cards the first (HR-30, HR-D29, HR-D33)."""
    cards = [card for card in at.hands[seat] if card > 30]
    if not cards:
        return
    takes = [
        pair
        for pair in combinations_with_replacement(("white", "blue", "green", "yellow", "red"), 2)
        if all(room(at, seat, argument) >= pair.count(argument) for argument in pair)
    ]
    singles = [(argument,) for argument in HUES if argument != "black" and room(at, seat, argument) > 0]
    for arguments in takes or singles:
        yield {"kind": "play_trilith", "card": min(cards), "arguments": list(arguments)}


def seatings(at: Sitting, seat: int) -> Iterator[Move]:
    """Yield every way to take a seat (HR-32 to HR-38, HR-D15, HR-D17)."""
    for card in at.hands[seat]:
        if card > 30:
            continue
        speakers = [colour for colour in colours(at, seat) if waiting(at, colour, "speaker")]
        if card not in at.ring:
            for follower in followers(at, seat):
                yield {"kind": "place_follower", "card": card, **follower}
            for colour in speakers:
                yield {"kind": "place_speaker", "card": card, "colour": colour}
        elif at.ring[card] in [(colour, "follower") for colour in colours(at, seat)]:
            for colour in speakers:
                yield {"kind": "promote_follower", "card": card, "colour": colour}
        yield from claims(at, seat, card)


def claims(at: Sitting, seat: int, card: int) -> Iterator[Move]:
    """Yield every way to take a field for a number card and three arguments (HR-36, HR-38, HR-D16)."""
    for field in range(1, 31):
        if field in at.ring or hue(field) != hue(card):
            continue
        for argument, number in at.owned[seat].items():
            if number >= 3 and hue(card) in {"black", argument}:
                for follower in followers(at, seat):
                    yield {"kind": "claim_field", "card": card, "field": field, "argument": argument, **follower}


def convincings(at: Sitting, seat: int) -> Iterator[Move]:
    """Yield every way to convince (HR-43, HR-44, HR-49, HR-50, HR-52)."""
    for source in fields_of(at, *OF_TWO[seat % 2]):
        for target in beside(source):
            if target not in fields_of(at, *OF_TWO[(seat + 1) % 2]):
                continue
            for argument, number in at.owned[seat].items():
                if number >= price(at, source, target) and hue(source) in {"black", argument}:
                    for follower in followers(at, seat):
                        yield {
                            "kind": "convince", "source": source, "target": target, "argument": argument, **follower
                        }  # fmt: skip


def price(at: Sitting, source: int, target: int) -> int:
    """Return the price of convincing (HR-45 to HR-48, HR-59, HR-60, HR-D7)."""
    size = len(group(at, target))
    if at.voting and len(group(at, source)) > size:
        return 1
    return 3 if at.ring[target][1] == "speaker" else min(size, 3)


def followers(at: Sitting, seat: int) -> list[Move]:
    """Return the followers that may be placed: from the supply, or where it has none, from the ring.

    HR-63, HR-65, HR-D9, HR-D27.
    """
    ready = [colour for colour in colours(at, seat) if waiting(at, colour, "follower")]
    if ready:
        return [{"colour": colour} for colour in ready]
    own = [(colour, "follower") for colour in colours(at, seat)]
    return [{"colour": piece[0], "moved_from": field} for field, piece in at.ring.items() if piece in own]


# Effects.


def make(at: Sitting, seat: int, move: Move, drawn: Sequence[int]) -> None:
    """Make a legal move, with the cards that chance gives in this order (HR-20, HR-21)."""
    kind = move["kind"]
    if kind == "end_turn":
        end_turn(at)
        return
    if kind == "return_card":
        swap(at, seat, move["card"])
        at.offered = None
        return
    at.stirred = True
    if kind == "convince":
        pay(at, seat, move["argument"], price(at, move["source"], move["target"]))
        del at.ring[move["target"]]
        put(at, seat, move["target"], move, "follower")
        return
    at.acted = True
    if kind == "confer":
        swap(at, seat, move["card"])
        at.offered = move["card"]
        return
    used = set(at.hands[seat]) if kind == "ponder" else set(move["cards"]) if "cards" in move else {move["card"]}
    at.hands[seat] -= used
    at.discards[seat % 2] |= used
    act(at, seat, move)
    draw(at, seat, drawn)


def act(at: Sitting, seat: int, move: Move) -> None:
    """Do what an action does beyond its cards (HR-22, HR-39, HR-40, HR-41)."""
    match move["kind"]:
        case "discuss":
            taken = min(len(move["cards"]), room(at, seat, move["argument"]))
            at.owned[seat][move["argument"]] += taken
        case "play_trilith":
            for argument in move["arguments"]:
                at.owned[seat][argument] += 1
        case "place_follower":
            put(at, seat, move["card"], move, "follower")
        case "place_speaker" | "promote_follower":
            put(at, seat, move["card"], move, "speaker")
        case "claim_field":
            pay(at, seat, move["argument"], 3)
            put(at, seat, move["field"], move, "follower")


def put(at: Sitting, seat: int, field: int, move: Move, rank: str) -> None:
    """Place a piece, and see whether a vote begins or the council has decided (HR-19, HR-53, HR-56, HR-62)."""
    if "moved_from" in move:
        del at.ring[move["moved_from"]]
    at.ring[field] = (move["colour"], rank)
    if len(at.ring) == 30:
        at.voting = True
    if longest_block(at, seat % 2) >= 16:
        at.winner = ("pro", "contra")[seat % 2]


def pay(at: Sitting, seat: int, argument: str, number: int) -> None:
    """Give arguments back to the supply (HR-54, HR-D28)."""
    at.owned[seat][argument] -= number


def swap(at: Sitting, giver: int, card: int) -> None:
    """Give the partner a card (HR-41, HR-42, HR-D20)."""
    at.hands[giver].remove(card)
    at.hands[(giver + 2) % 4].add(card)


def draw(at: Sitting, seat: int, drawn: Sequence[int]) -> None:
    """Fill the hand up to three, with a new pile where the old one is used up (HR-25, HR-66, HR-D23)."""
    faction = seat % 2
    for card in drawn:
        if not at.decks[faction]:
            at.decks[faction], at.discards[faction] = at.discards[faction], set()
        at.decks[faction].remove(card)
        at.hands[seat].add(card)
    assert len(at.hands[seat]) == 3


def end_turn(at: Sitting) -> None:
    """Pass the turn on, and end a game that drags on (HR-21, HR-D30)."""
    at.idle = 0 if at.stirred else at.idle + 1
    at.turns += 1
    at.acted = at.stirred = False
    at.turn = (at.turn + 1) % at.seats
    turn_cap, idle_cap = at.caps
    if (turn_cap and at.turns >= turn_cap) or (idle_cap and at.idle >= idle_cap):
        blocks = longest_block(at, 0), longest_block(at, 1)
        pieces = len(fields_of(at, *OF_TWO[0])), len(fields_of(at, *OF_TWO[1]))
        pro, contra = (blocks[0], pieces[0]), (blocks[1], pieces[1])
        at.winner = "draw" if pro == contra else "pro" if pro > contra else "contra"
