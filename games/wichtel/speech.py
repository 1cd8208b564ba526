"""Moves, events and the open decision in words, with facts beyond their fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from games.core.game import Event, Move
from games.core.texts import Texts
from games.wichtel.events import BribesOpened, GnomeWon, HandDealt, HandFound, RetinueScored, VillageFound, VillageSetUp
from games.wichtel.moves import (
    ACTIONS,
    AcceptOutcome,
    GiveGnome,
    Gnome,
    LayGnome,
    LookAgain,
    PassDie,
    PlayMovement,
    RecruitGnome,
    RollForGnome,
    VetoBribe,
)
from games.wichtel.table.codes import MIN_PIPS
from games.wichtel.view import VillageView


def label(move: Move, language: str, view: VillageView, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for a move with its targets."""
    fields = msgspec.structs.asdict(move) | surroundings(move, view)
    return texts.say(language, "moves", str(move.__struct_config__.tag), names, **fields)


def surroundings(move: Move, view: VillageView) -> dict[str, Any]:
    """Return the parameters of a label besides the fields of its move."""
    match move:
        case PlayMovement(place=place) | RecruitGnome(place=place):
            return {"gnome": gnome_on(view, place)}
        case VetoBribe(seat=seat):
            return {"bribe": view.candidates[seat].bribe}
        case RollForGnome() | LookAgain():
            return {"gnome": gnome_on(view, view.place), "needed": needed(view)}
        case AcceptOutcome():
            return {"briber": highest(view)}
        case GiveGnome():
            return {"gnome": gnome_on(view, view.place)}
        case LayGnome():
            return {"place": view.place}
        case PassDie():
            return {"next": (view.turn + 1) % view.seats}
    return {}


def gnome_on(view: VillageView, place: int | None) -> Gnome | None:
    """Return the gnome on a place of the square."""
    return None if place is None else view.caravan[view.start + place - 1].gnome


def highest(view: VillageView) -> int | None:
    """Return the seat with the highest bribe, of equal ones the last (HW-24, HW-25), or None without any."""
    after = [view.candidates[(view.turn + step) % view.seats] for step in range(1, view.seats)]
    laid = [(ACTIONS.index(other.bribe), number, other.seat) for number, other in enumerate(after) if other.bribe]
    return max(laid)[2] if laid else None


def needed(view: VillageView) -> int:
    """Return the number of pips required against the highest bribe (HW-26, HW-27)."""
    seat = highest(view)
    bribe = None if seat is None else view.candidates[seat].bribe
    return MIN_PIPS if bribe is None else MIN_PIPS + ACTIONS.index(bribe)


def tell(event: Event, language: str, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for an event."""
    fields = msgspec.structs.asdict(event)
    match event:
        case BribesOpened(bribes=bribes):
            words: dict[str, str] = texts.sections[language]["words"]
            laid = [f"{names[seat]} {words[bribe]}" for seat, bribe in enumerate(bribes) if bribe]
            fields["laid"] = ", ".join(laid) or None
        case GnomeWon(seat=seat, briber=briber, spent=spent):
            fields["coins"] = True if spent and spent.endswith("_coins") else None
            fields["own"] = True if seat == briber else None
            fields["other"] = None if briber in {None, seat} else True
        case VillageSetUp(square=square) | VillageFound(square=square):
            fields["square"] = grouped(texts, square, language)
        case HandDealt(gnomes=gnomes) | HandFound(gnomes=gnomes):
            fields["gnomes"] = grouped(texts, gnomes, language)
        case RetinueScored(gnomes=gnomes, bonus=bonus):
            fields["gnomes"] = grouped(texts, gnomes, language)
            fields["bonus"] = bonus or None
    return texts.say(language, "events", str(event.__struct_config__.tag), names, **fields)


def grouped(texts: Texts, gnomes: Sequence[Gnome], language: str) -> list[str]:
    """Return kinds of gnomes once each, several of a kind with their number."""
    words: dict[str, str] = texts.sections[language]["words"]
    counts = Counter(gnomes)
    return [kind if number == 1 else f"{number} {words[f'{kind}:many']}" for kind, number in counts.items()]


def headline(view: VillageView, language: str, texts: Texts, section: str = "headline") -> str:
    """Return the seats to decide (HW-15, HW-D25), or the chief (HW-47)."""
    names = texts.seats(language, view.seats)
    if view.phase == "over":
        chiefs = [names[seat] for seat in view.winners]
        points = max(candidate.points for candidate in view.candidates)
        return texts.say(language, "headline", "over", names, chiefs=chiefs, points=points)
    actor = view.actors[0]
    key = f"{view.phase}_other" if view.phase == "opened" and actor != view.turn else view.phase
    gnome = None if view.place is None else view.caravan[view.start + view.place - 1].gnome
    return texts.say(
        language,
        section,
        key,
        names,
        seat=actor,
        turn=view.turn,
        gnome=gnome,
        roll=view.roll,
        needed=needed(view),
    )


def prompt(view: VillageView, language: str, texts: Texts) -> str:
    """Return an imperative for the seat that has to decide; the game is not over."""
    return headline(view, language, texts, "prompt")
