"""Moves, events and the state of the game, in sentences that need nothing beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from games.core.game import Event, Move
from games.core.texts import Texts
from games.hoher_rat.blocks import longest, price
from games.hoher_rat.moves import HUES, Confer, Convince, Discuss, EndTurn, ReturnCard
from games.hoher_rat.table.constants import SIXTEEN
from games.hoher_rat.table.faction import LIMIT
from games.hoher_rat.view import FACTIONS, CouncilView


def label(move: Move, language: str, view: CouncilView, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for a move at the table that its seat sees."""
    return texts.say(
        language,
        "moves",
        str(move.__struct_config__.tag),
        names,
        **plain(move, language, texts),
        **consequences(move, view),
    )


def control(key: str, move: Move, language: str, _view: CouncilView, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for a group of moves, of which one is given."""
    return texts.say(language, "controls", key, names, **plain(move, language, texts))


def tell(event: Event, language: str, names: Sequence[str], texts: Texts) -> str:
    """Return a sentence for an event."""
    return texts.say(language, "events", str(event.__struct_config__.tag), names, **plain(event, language, texts))


def plain(struct: Move | Event, language: str, texts: Texts) -> dict[str, Any]:
    """Return the fields of a move or an event as sentences use them: black cards say so, arguments are counted."""
    fields = msgspec.structs.asdict(struct)
    if struct.__struct_config__.tag in {"discuss", "discussed"}:
        fields["cards"] = [card_of(card, language, texts) for card in fields["cards"]]
    if struct.__struct_config__.tag in {"claim_field", "field_claimed"}:
        fields["card"] = card_of(fields["card"], language, texts)
    if "arguments" in fields:
        one, other = (*fields["arguments"], None)[:2]
        fields |= (
            {"pair": one, "one": None, "other": None} if one == other else {"pair": None, "one": one, "other": other}
        )
    return fields


def card_of(card: int, language: str, texts: Texts) -> str:
    """Return a number card as it is said; only of a black one the number does not tell what it may be used for."""
    hue = HUES[(card - 1) % len(HUES)]
    return f"{card} ({texts.sections[language]['words']['black_card']})" if hue == "black" else str(card)


def consequences(move: Move, view: CouncilView) -> dict[str, Any]:
    """Return the effects of a move beyond its fields: its cost or yield, and its targets."""
    match move:
        case Discuss():
            taken = min(len(move.cards), room(view, move.argument))
            return {"taken": taken, "cut": taken < len(move.cards) or None}
        case Convince():
            piece = view.ring[move.target - 1]
            assert piece is not None  # noqa: S101 -- the move is legal at the view's table
            return {"price": price(view, move.source, move.target), "replaced": piece.colour, "rank": piece.rank}
        case Confer() | ReturnCard():
            return {"partner": ((view.seat or 0) + view.seats // 2) % view.seats}
        case EndTurn():
            return {"idle": None if view.acted else True, "last": ends(view) or None}
    return {}


def room(view: CouncilView, argument: str) -> int:
    """Return the number of arguments of a colour that the seat of a view can take (HR-31, HR-D12, HR-D13)."""
    owned = [getattr(each.arguments, argument) for each in view.councillors if (each.seat ^ (view.seat or 0)) & 1 == 0]
    return int(min(LIMIT - sum(owned), getattr(view.bank, argument)))


def ends(view: CouncilView) -> bool:
    """Return whether the game is over when the turn ends now (HR-D30)."""
    idle = 0 if view.stirred else view.idle + 1
    return view.turns + 1 == view.options.turn_cap or (idle > 0 and idle == view.options.idle_cap)


def cap(view: CouncilView) -> str:
    """Return which cap has ended a game: that on turns, or on idle ones (HR-D30)."""
    return "cap" if 0 < view.options.turn_cap <= view.turns else "idle"


def headline(view: CouncilView, language: str, texts: Texts, section: str = "headline") -> str:
    """Return the seats to decide (HR-20, HR-42), or the result of the game (HR-62, HR-D30)."""
    names = texts.seats(language, view.seats)
    if view.winner is not None:
        length = longest(view, view.winner)
        key = "draw" if view.winner == "draw" else "block" if length >= SIXTEEN else cap(view)
        won = range(FACTIONS.index(view.winner), view.seats, 2) if view.winner != "draw" else ()
        if texts.named(language, view.seats, won):
            key = f"{key}_by"
        return texts.say(
            language, "headline", key, names, winner=view.winner, who=[*won], longest=length, idle=view.idle
        )
    key = "conferring" if view.conferring else f"{phase(view)}_{'done' if view.acted else 'open'}"
    partner = (view.turn + view.seats // 2) % view.seats
    return texts.say(language, section, key, names, turn=view.turn, partner=partner)


def prompt(view: CouncilView, language: str, texts: Texts) -> str:
    """Return an imperative for the seat that has to decide; the game is not over."""
    return headline(view, language, texts, "prompt")


def phase(view: CouncilView) -> str:
    """Return the phase of a view: turn, conferring, vote or over."""
    if view.winner is not None:
        return "over"
    if view.conferring:
        return "conferring"
    return "vote" if view.voting else "turn"
