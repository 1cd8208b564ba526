"""A club as it lies before one's eyes: every dwarf lies somewhere."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from games.gartenzwerge.options import ClubOptions
from games.gartenzwerge.view import ClubRecord

RANKS: Final = ["grey", "brown", "orange", "red", "blue", "green", "gold"]
BREEDERS: Final = RANKS[1:6]
PLACES: Final = ["free", "garden", "lower", "higher", "lent"]


@dataclass
class Person:
    """A member with money and dwarfs: where each dwarf is, by (cap, place), and pairs of (own, mate, owner)."""

    money: int
    dwarfs: list[tuple[str, str]]
    pairs: list[tuple[str, str, int | None]]
    out: bool

    def caps(self, place: str | None = None) -> list[str]:
        return sorted((cap for cap, at in self.dwarfs if place in {None, at}), key=RANKS.index, reverse=True)

    def move(self, cap: str, origin: str, target: str | None) -> None:
        """Bring a dwarf somewhere else; None is the supply."""
        self.dwarfs.remove((cap, origin))
        if target:
            self.dwarfs.append((cap, target))

    def can_work(self) -> list[str]:
        """Return the caps of free dwarfs that are not grey, each once (GZ-23)."""
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
        facts = {name: value for name, value in vars(self).items() if name not in {"people", "outcomes"}}
        facts["people"] = [(p.money, sorted(p.dwarfs), p.pairs, p.out) for p in self.people]
        facts["schmiedel_lent"] = sorted(self.schmiedel_lent)
        return facts

    def draw(self, what: str) -> Any:
        purpose, value = next(self.outcomes)
        assert purpose == what, (purpose, what)
        return value

    def around(self, first: int) -> list[int]:
        """Return all seats clockwise from one on (GZ-14)."""
        seats = len(self.people)
        return [(first + step) % seats for step in range(seats)]

    def value(self, cap: str) -> int:
        """Return the worth of a cap (GZ-D1)."""
        return 0 if cap == "grey" else int(getattr(self.options.cap_values, cap))

    def supply(self, seat: int, cap: str) -> int:
        """Return the number of dwarfs of a cap that a seat can still take (GZ-D3, GZ-D21)."""
        return int(getattr(self.options.stock, cap)) - self.people[seat].caps().count(cap)

    def wage(self) -> int:
        """Return the wage of garden work (GZ-24, GZ-D36)."""
        return {"bumper_harvest": 100, "rainy_week": 0}.get(self.event or "", 50)


def club(record: ClubRecord) -> Club:
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
