"""Moves, events and the headline in words, with facts beyond their fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from games.core.game import Event, Move
from games.core.texts import Name, Texts
from games.gartenzwerge.events import (
    AmountsOpened,
    CompetitionJudged,
    DealStruck,
    GreysReturned,
    PartnerSought,
    UpkeepPaid,
)
from games.gartenzwerge.moves import (
    CAPS,
    Cap,
    ChooseDeal,
    EnterCompetition,
    ReturnGreys,
    SealAsk,
    SealMaximum,
    SeekPartner,
    SellDwarf,
    SellForUpkeep,
    SendToGarden,
    ShowDwarf,
    TradeDwarfs,
)
from games.gartenzwerge.table.constants import GOAL, STEP
from games.gartenzwerge.view import ClubDeal, ClubView

PRIZES: Final = (500, 1000)
"""The prizes of the lower and the higher competition (GZ-47)."""


def label(move: Move, language: str, view: ClubView, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for a move, with its yield as far as that is known."""
    if isinstance(move, ReturnGreys) and move.number == 0:
        return texts.say(language, "parts", "return_no_greys")
    fields = msgspec.structs.asdict(move) | surroundings(move, view, names)
    return texts.say(language, "moves", str(move.__struct_config__.tag), names, **fields)


def surroundings(move: Move, view: ClubView, names: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a label that come from the table and not from the move."""
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
            return {"seeker": Name(names[view.turn])}
        case ChooseDeal(partner=partner):
            return chosen(view, partner)
    return {}


def chosen(view: ClubView, partner: int | None) -> dict[str, Any]:
    """Return the parameters of a deal among equal ones: the job, the price, and the dwarf that a partner has shown."""
    deal = view.deal
    if deal is None:
        return {"job": None, "price": None, "mate": None}
    mate, price = None, deal.schmiedel
    if partner is not None:
        price = next(known.amount for known in view.answers if known.seat == partner)
    if deal.job == "search":
        mate = deal.cap if partner is None else deal.shown[partner]
    return {"job": deal.job, "price": price, "mate": mate}


def demanded(demand: str) -> str | None:
    """Return a demand that shuts somebody out, for every mate is brown or higher (GZ-25)."""
    return None if demand == CAPS[1] else demand


def tell(event: Event, language: str, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for an event."""
    fields = msgspec.structs.asdict(event)
    match event:
        case PartnerSought(demand=demand):
            fields["demand"] = demanded(demand)
        case GreysReturned(seat=seat, number=0):
            return texts.say(language, "parts", "no_greys_returned", names, seat=seat)
        case AmountsOpened():
            fields["answers"] = answers(texts, event, language, names)
        case DealStruck(job=job, partner=partner):
            fields["deal"] = texts.say(language, "parts", f"{job}_deal", names, partner=partner)
        case CompetitionJudged():
            fields["prizes"] = prizes(texts, event, language, names)
            fields["twice"] = event.house[0] if event.house[0] == event.house[1] else None
        case UpkeepPaid(paid=paid, due=due):
            fields["missing"] = None if paid == due else due - paid
    return texts.say(language, "events", str(event.__struct_config__.tag), names, **fields)


def answers(texts: Texts, event: AmountsOpened, language: str, names: Sequence[str]) -> str:
    """Return the sealed amounts of each seat and Herr Schmiedel in words (GZ-28, GZ-56)."""
    said: list[tuple[str, object]] = [
        (Name(names[known.seat]), "no_bid" if known.amount is None else known.amount) for known in event.answers
    ]
    if event.schmiedel is not None:
        said.append((texts.sections[language]["words"]["schmiedel"], event.schmiedel))
    return ", ".join(texts.say(language, "parts", "amount", who=who, amount=amount) for who, amount in said)


def prizes(texts: Texts, event: CompetitionJudged, language: str, names: Sequence[str]) -> list[str]:
    """Return the prize of each winner in words; one may win with several dwarfs (GZ-46, GZ-65, GZ-D23)."""
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


def headline(view: ClubView, language: str, texts: Texts, section: str = "headline") -> str:
    """Return the seats to decide (GZ-20, GZ-26, GZ-28), or the result of the game (GZ-51, GZ-D30, GZ-D48)."""
    names = texts.seats(language, view.seats)
    if view.ending is not None:
        return texts.say(language, "headline", view.ending, winners=[names[seat] for seat in view.winners])
    fields: dict[str, object] = {} if view.deal is None else of_deal(view.deal, view, names, language, texts)
    return texts.say(
        language,
        section,
        view.stage,
        names,
        turn=view.turn,
        asking=view.turn if view.asking is None else view.asking,
        asked=[names[seat] for seat in view.actors],
        due=view.due,
        **fields,
    )


def prompt(view: ClubView, language: str, texts: Texts) -> str:
    """Return an imperative for the seat that has to decide; the game is not over."""
    return headline(view, language, texts, "prompt")


def of_deal(deal: ClubDeal, view: ClubView, names: list[str], language: str, texts: Texts) -> dict[str, object]:
    """Return the parameters of a deal's texts: the job, the dwarf, the demand, the tied members, and their price."""
    schmiedel: str = texts.sections[language]["words"]["schmiedel"]
    return {
        "job": deal.job,
        "cap": deal.cap,
        "demand": demanded(deal.demand),
        "tied": [schmiedel if seat is None else names[seat] for seat in deal.tied],
        "price": chosen(view, deal.tied[0])["price"] if deal.tied else None,
    }


# Costs and yields in a round, as a view shows it.


def wage(view: ClubView) -> int:
    """Return the wage of garden work (GZ-24, GZ-D36)."""
    return {"bumper_harvest": 2 * STEP, "rainy_week": 0}.get(view.event or "", STEP)


def value(view: ClubView, cap: Cap) -> int:
    """Return the worth of a cap (GZ-36, GZ-D1)."""
    return int(getattr(view.options.cap_values, cap, 0))


def about(move: Move, view: ClubView) -> int:
    """Return the value of the dwarf that a sealed amount is about; of other amounts the most there is."""
    if view.deal is None:
        return GOAL
    shown = view.deal.shown[view.seat] if isinstance(move, SealAsk) and view.seat is not None else None
    cap = view.deal.demand if isinstance(move, SealMaximum) else shown or view.deal.cap
    return value(view, cap)


def price(view: ClubView, cap: Cap) -> int:
    """Return the proceeds of a dwarf that is sold in a turn (GZ-36, GZ-D39)."""
    return value(view, cap) * (2 if view.event == "collector_in_town" else 1)


def prize(view: ClubView, number: int) -> int:
    """Return the prize of the lower (0) or the higher competition (GZ-47, GZ-D39)."""
    return PRIZES[number] + (500 if view.event == "championship" else 0)
