"""What moves and events are in words, with what their fields alone do not tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from games.core.game import Event, Move
from games.core.texts import Name, Texts
from games.gartenzwerge.events import (
    AmountsOpened,
    CompetitionJudged,
    GreysReturned,
    PartnerSought,
    UpkeepPaid,
)
from games.gartenzwerge.moves import (
    CAPS,
    ChooseDeal,
    EnterCompetition,
    ReturnGreys,
    SeekPartner,
    SellDwarf,
    SellForUpkeep,
    SendToGarden,
    ShowDwarf,
    TradeDwarfs,
)
from games.gartenzwerge.prices import price, prize, value, wage
from games.gartenzwerge.view import ClubView


def label(texts: Texts, move: Move, language: str, view: ClubView, names: Sequence[str]) -> str:
    """Say what a move does, and what it brings as far as that is known."""
    if isinstance(move, ReturnGreys) and move.number == 0:
        return texts.say(language, "parts", "return_no_greys")
    fields = msgspec.structs.asdict(move) | surroundings(move, view, names)
    return texts.say(language, "moves", str(move.__struct_config__.tag), names, **fields)


def surroundings(move: Move, view: ClubView, names: Sequence[str]) -> dict[str, Any]:
    """Return what a label tells of the table besides the fields of its move."""
    match move:
        case SendToGarden():
            return {"wage": wage(view)}
        case SeekPartner(demand=demand):
            return {"demand": demanded(demand)}
        case SellDwarf(cap=cap):
            return {"price": price(view, cap)}
        case SellForUpkeep(cap=cap):
            return {"price": value(view, cap)}
        case TradeDwarfs(cap=cap):
            return {"gained": CAPS[CAPS.index(cap) + 1]}
        case EnterCompetition(competition=competition):
            return {"prize": prize(view, int(competition == view.competitions[1]))}
        case ShowDwarf():
            return {"seeker": names[view.turn]}
        case ChooseDeal(partner=partner):
            return chosen(view, partner)
    return {}


def chosen(view: ClubView, partner: int | None) -> dict[str, Any]:
    """Return what a deal among equal ones is about: the job, the price, and the dwarf that a partner has shown."""
    deal = view.deal
    if deal is None:
        return {"job": None, "price": None, "mate": None}
    mate = None
    if deal.job == "search":
        mate = deal.cap if partner is None else deal.shown[partner]
    return {"job": deal.job, "price": deal.schmiedel if partner is None else view.answers[partner], "mate": mate}


def demanded(demand: str) -> str | None:
    """Return a demand that shuts somebody out, for every mate is brown or higher (GZ-25)."""
    return None if demand == CAPS[1] else demand


def tell(texts: Texts, event: Event, language: str, names: Sequence[str]) -> str:
    """Say what happened."""
    fields = msgspec.structs.asdict(event)
    match event:
        case PartnerSought(demand=demand):
            fields["demand"] = demanded(demand)
        case GreysReturned(seat=seat, number=0):
            return texts.say(language, "parts", "no_greys_returned", names, seat=seat)
        case AmountsOpened():
            fields["answers"] = answers(texts, event, language, names)
        case CompetitionJudged():
            fields["prizes"] = prizes(texts, event, language, names)
            fields["twice"] = event.house[0] if event.house[0] == event.house[1] else None
        case UpkeepPaid(paid=paid, due=due):
            fields["missing"] = None if paid == due else due - paid
    return texts.say(language, "events", str(event.__struct_config__.tag), names, **fields)


def answers(texts: Texts, event: AmountsOpened, language: str, names: Sequence[str]) -> str:
    """Say what each of those asked has had in the hand (GZ-28, GZ-56)."""
    said: list[tuple[str, object]] = [
        (Name(names[seat]), own) for seat, own in zip(event.seats, event.amounts, strict=True)
    ]
    if event.schmiedel is not None:
        said.append((texts.sections[language]["words"]["schmiedel"], event.schmiedel))
    return ", ".join(texts.say(language, "parts", "amount", who=who, amount=amount) for who, amount in said)


def prizes(texts: Texts, event: CompetitionJudged, language: str, names: Sequence[str]) -> list[str]:
    """Say what each winner gets, who may have won with several dwarfs (GZ-46, GZ-D23)."""
    seats = sorted(set(event.winners))
    return [
        texts.say(
            language,
            "parts",
            "prize" if seat == seats[0] else "prize_more",
            names,
            seat=seat,
            amount=event.share * event.winners.count(seat),
        )
        for seat in seats
    ]
