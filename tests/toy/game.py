"""Pebbles as the service uses it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from msgspec import Meta

from games.core.bits import bit, members_of, nibble, nibbles
from games.core.dice import Dice
from games.core.game import BrokenRecordError, Event, Game, Move, Options, Provenance, Record, Refusal, View
from games.core.rules import read_rules
from games.core.table import SPECTATOR, Table, Worth
from games.core.texts import Texts
from games.core.weights import read_weights
from tests.toy.table import BID, PLAY, TAKE, Pebbles
from tests.toy.worth import weighed

WEIGHTS: Final = read_weights("tests.toy")

Card = Annotated[int, Meta(ge=1, le=6)]
Amount = Annotated[int, Meta(ge=0, le=60)]
Seat = Annotated[int, Meta(ge=0, le=2)]


class BidPebbles(Move, frozen=True, tag="bid_pebbles"):
    """Bid, unseen until all have (PB-2)."""

    amount: Annotated[int, Meta(ge=0, le=2)]


class TakePebbles(Move, frozen=True, tag="take_pebbles"):
    """Take pebbles of the heap (PB-4)."""

    amount: Annotated[int, Meta(ge=1, le=7)]


class PlayPebbleCard(Move, frozen=True, tag="play_pebble_card"):
    """Play the card (PB-5)."""

    card: Card


class BidGiven(Event, frozen=True, tag="pebble_bid_given"):
    """A bid was given, sealed."""

    seat: Seat
    amount: Amount


class BidsOpened(Event, frozen=True, tag="pebble_bids_opened"):
    """All bids were opened."""

    bids: list[Amount]
    turn: Seat


class PebblesTaken(Event, frozen=True, tag="pebbles_taken"):
    """Pebbles were taken."""

    seat: Seat
    amount: Amount


class CardPlayed(Event, frozen=True, tag="pebble_card_played"):
    """A card was played."""

    seat: Seat
    card: Card


class CardDrawn(Event, frozen=True, tag="pebble_card_drawn"):
    """A card was drawn, unseen by others."""

    seat: Seat
    card: Card


class PebblesWon(Event, frozen=True, tag="pebbles_won"):
    """The last pebble was taken."""

    seat: Seat


class PebbleOptions(Options, frozen=True):
    """The options of Pebbles."""

    heap: Annotated[int, Meta(ge=7, le=40, description="Pebbles before the bids (PB-D1).")] = 9


class PebbleRecord(Record, frozen=True):
    """A table in full; 0 is no card, null no bid."""

    ply: Amount
    heap: Amount
    hands: Annotated[list[Annotated[int, Meta(ge=0, le=6)]], Meta(min_length=2, max_length=3)]
    bids: Annotated[list[Annotated[int, Meta(ge=0, le=2)] | None], Meta(min_length=2, max_length=3)]
    played: Annotated[list[Card], Meta(max_length=6)]
    turn: Seat | None
    winner: Seat | None


class PebbleView(View, frozen=True, tag="pebbles"):
    """The knowledge of a viewer: own card and bid, and everything opened."""

    heap: Amount
    card: Card | None
    holding: Annotated[list[bool], Meta(min_length=2, max_length=3)]
    bids: Annotated[list[Annotated[int, Meta(ge=0, le=2)] | None], Meta(min_length=2, max_length=3)]
    played: Annotated[list[Card], Meta(max_length=6)]
    turn: Seat | None
    winner: Seat | None


class Toy(Game):
    """Pebbles."""

    slug: ClassVar = "pebbles"
    ruleset: ClassVar = "pebbles/1"
    authors: ClassVar = ("Nobody",)
    year: ClassVar = 2026
    minutes: ClassVar = (2, 5)
    difficulty: ClassVar = 1
    seat_numbers: ClassVar = (2, 3)
    phases: ClassVar = ("bidding", "taking", "over")
    purposes: ClassVar = ("card",)
    hidden: ClassVar = ("cards", "bids")
    moves: ClassVar = (BidPebbles, TakePebbles, PlayPebbleCard)
    amounts: ClassVar = frozenset(("amount",))
    code_limit: ClassVar = 64
    events: ClassVar = (BidGiven, BidsOpened, PebblesTaken, CardPlayed, CardDrawn, PebblesWon)
    view_type: ClassVar = PebbleView
    record_type: ClassVar = PebbleRecord
    record_bytes: ClassVar = 256
    options_type: ClassVar = PebbleOptions
    presets: ClassVar = {"standard": PebbleOptions(), "long": PebbleOptions(heap=30)}
    provenance: ClassVar = {"heap": Provenance(value="9", source="PB-D1", kind="decision")}
    weights: ClassVar = WEIGHTS
    worths: ClassVar[dict[str, Worth]] = {name: weighed(weights) for name, weights in WEIGHTS.sets.items()}
    standing: ClassVar = ("bid_nothing", "take_one")
    weighed = staticmethod(weighed)

    def __init__(self) -> None:
        """Read the texts and the rules of this package, also for a class that stands elsewhere."""
        self.texts = Texts("tests.toy")
        self.rules = read_rules("tests.toy")

    def new(self, seats: int, options: Options, dice: Dice) -> Table:
        """Deal a card each (PB-1)."""
        assert isinstance(options, PebbleOptions)
        table = Pebbles(seats, 0, options.heap)
        for seat in range(seats):
            table.draw(seat, dice, None)
        return table

    def write(self, table: Table) -> Record:
        """Write a table down."""
        assert isinstance(table, Pebbles)
        return PebbleRecord(ply=table.ply, hands=[nibble(table.hands, s) for s in range(table.seats)], **public(table))

    def read(self, record: Record) -> Table:
        """Read a table back (PB-1, PB-2, PB-6)."""
        assert isinstance(record, PebbleRecord)
        seats, held = len(record.hands), [card for card in record.hands if card]
        if len(set(held + record.played)) < len(held + record.played):
            raise BrokenRecordError("PB-1", "card_twice", "/hands")
        if len(record.bids) != seats or (record.turn is None) == all(bid is not None for bid in record.bids):
            raise BrokenRecordError("PB-2", "bids", "/bids")
        if any(seat is not None and seat >= seats for seat in (record.turn, record.winner)):
            raise BrokenRecordError("PB-3", "seat", "/turn")
        if (record.heap == 0) != (record.winner is not None):
            raise BrokenRecordError("PB-6", "winner", "/winner")
        table = Pebbles(seats, record.ply, record.heap)
        table.hands = sum(nibbles(card, seat) for seat, card in enumerate(record.hands))
        table.bids = sum(nibbles(bid + 1, seat) for seat, bid in enumerate(record.bids) if bid is not None)
        table.played = sum(bit(card) for card in record.played)
        table.turn = -1 if record.turn is None else record.turn
        table.winner = -1 if record.winner is None else record.winner
        return table

    def options(self, table: Table) -> Options:
        """Return the default, since the heap has changed by now."""
        return PebbleOptions()

    def encode(self, table: Table, seat: int, move: Move) -> int:
        """Return a move's code."""
        match move:
            case BidPebbles(amount=amount):
                return BID + amount
            case TakePebbles(amount=amount) if amount <= 3:
                return TAKE + amount
            case PlayPebbleCard(card=card):
                return PLAY + card
        raise ValueError("nobody takes so many")

    def decode(self, table: Table, code: int) -> Move:
        """Return a code's move."""
        if 0 <= code <= 2:
            return BidPebbles(amount=code)
        if 1 <= code - TAKE <= 3:
            return TakePebbles(amount=code - TAKE)
        if 1 <= code - PLAY <= 6:
            return PlayPebbleCard(card=code - PLAY)
        raise ValueError("no move has this code")

    def objection(self, table: Table, seat: int, move: Move) -> Refusal | None:
        """Return the rule that an illegal move breaks."""
        assert isinstance(table, Pebbles)
        sealed = table.turn < 0
        if seat not in self.actors(table):
            return Refusal("PB-3", "not_asked")
        match move:
            case BidPebbles():
                return None if sealed else Refusal("PB-2", "bids_are_over")
            case TakePebbles(amount=amount):
                if sealed or amount > min(3, table.heap):
                    return Refusal("PB-4", "amount", "/amount", {"heap": table.heap})
            case PlayPebbleCard(card=card):
                if sealed or nibble(table.hands, seat) != card or card > table.heap:
                    return Refusal("PB-5", "card", "/card", {"card": card})
        return None

    def timeout_move(self, table: Table, seat: int) -> int | None:
        """Take the last pebble for a player out of time (PB-D2)."""
        assert isinstance(table, Pebbles)
        return TAKE + 1 if table.heap == 1 and seat == table.turn else None

    def answer(self, table: Table, seat: int, name: str) -> int | None:
        """Bid nothing, or take one pebble, whenever that is asked (PB-D3)."""
        assert isinstance(table, Pebbles)
        if seat not in self.actors(table):
            return None
        asked, code = (table.turn < 0, BID) if name == "bid_nothing" else (table.turn >= 0, TAKE + 1)
        return code if asked else None

    def view(self, table: Table, seat: int) -> View:
        """Return the view of a viewer."""
        assert isinstance(table, Pebbles)
        sealed, own = table.turn < 0, 0 if seat == SPECTATOR else nibble(table.hands, seat)
        known = public(table)
        if sealed:
            known["bids"] = [bid if other == seat else None for other, bid in enumerate(known["bids"])]
        return PebbleView(
            ruleset=self.ruleset,
            seats=table.seats,
            ply=sum(bid is not None for bid in known["bids"]) if sealed else table.ply,
            seat=None if seat == SPECTATOR else seat,
            actors=list(range(table.seats)) if sealed else self.actors(table),
            card=own or None,
            holding=[nibble(table.hands, other) > 0 for other in range(table.seats)],
            **known,
        )

    def phase(self, view: View) -> str:
        """Return the phase that a view shows."""
        assert isinstance(view, PebbleView)
        return "over" if view.winner is not None else "bidding" if view.turn is None else "taking"

    def from_view(self, view: View, dice: Dice) -> Table:
        """Return a table that looks like the view (PB-1, PB-2)."""
        assert isinstance(view, PebbleView)
        seat = SPECTATOR if view.seat is None else view.seat
        if view.ruleset != self.ruleset or len(view.holding) != view.seats or seat >= view.seats:
            raise BrokenRecordError("PB-1", "seats", "/seats")
        spare = [card for card in range(1, 7) if card not in {*view.played, view.card}]
        hands = [view.card or 0 if s == seat else spare.pop() if h and spare else 0 for s, h in enumerate(view.holding)]
        known = {name: getattr(view, name) for name in ("heap", "bids", "played", "turn", "winner")}
        table = self.read(PebbleRecord(ply=view.ply, hands=hands, **known))
        table.redeal(seat, dice)
        if self.view(table, seat) != view:
            raise BrokenRecordError("PB-1", "view", "")
        return table

    def event(self, table: Table, kind: int, a: int, b: int, c: int) -> Event:
        """Return the event of a note."""
        match kind:
            case 0:
                return BidGiven(seat=a, amount=b)
            case 1:
                return BidsOpened(bids=[nibble(a, seat) - 1 for seat in range(b)], turn=c)
            case 2:
                return PebblesTaken(seat=a, amount=b)
            case 3:
                return CardPlayed(seat=a, card=b)
            case 4:
                return CardDrawn(seat=a, card=b)
        return PebblesWon(seat=a)

    def name_outcome(self, what: int, value: int) -> int | str:
        """Return a card's number."""
        return value

    def read_outcome(self, what: int, name: int | str) -> int:
        """Return a card from its number."""
        if not isinstance(name, int) or not 1 <= name <= 6:
            raise ValueError(f"{name!r} cannot be drawn")
        return name

    def say_headline(self, view: View, language: str, texts: Texts) -> str:
        """Return the seats to decide."""
        assert isinstance(view, PebbleView)
        names = texts.seats(language, view.seats)
        if view.winner is not None:
            return texts.say(language, "headline", "won", names, seat=view.winner)
        return texts.say(language, "headline", "turn", names, seat=view.turn or 0)

    def draw(self, view: View, language: str, theme: str, texts: Texts, angle: int = 0) -> str:
        """Draw the heap as a number."""
        assert isinstance(view, PebbleView)
        ink = "#111" if theme == "light" else "#eee"
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
            f'<text x="20" y="25" text-anchor="middle" fill="{ink}">{view.heap}</text></svg>'
        )


def public(table: Pebbles) -> dict[str, Any]:
    """Return the common parts of a record and a view; bids are still those of the truth."""
    return {
        "heap": int(table.heap),
        "bids": [nibble(table.bids, s) - 1 if nibble(table.bids, s) else None for s in range(table.seats)],
        "played": [int(card) for card in members_of(table.played)],
        "turn": None if table.turn < 0 else int(table.turn),
        "winner": None if table.winner < 0 else int(table.winner),
    }


GAME = Toy()
