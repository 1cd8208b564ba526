"""Facts about sealed amounts: another answer that spoils the viewer's own."""

import pytest

from games.core.game import Move
from games.core.table import NO_FACT
from games.gartenzwerge.moves import (
    OfferDwarf,
    SealAsk,
    SealBid,
    SealMaximum,
    SealMinimum,
    SealNoBid,
    SeekPartner,
    ShowDwarf,
)
from games.gartenzwerge.reasons import fact
from tests.games.gartenzwerge.positions import GAME, after, club, position

SEARCH = (0, SeekPartner(cap="brown")), (1, ShowDwarf(cap="orange")), (2, ShowDwarf(cap="orange"))
OFFER = ((0, OfferDwarf(cap="orange")),)
SPOILERS = [
    (SEARCH, 0, SealMaximum, 1, SealAsk, "asks_above", None),
    (SEARCH, 1, SealAsk, 2, SealAsk, None, "asks_below"),
    (SEARCH, 1, SealAsk, 0, SealMaximum, None, "maximum_below"),
    (OFFER, 0, SealMinimum, 1, SealBid, None, "bids_below"),
    (OFFER, 1, SealBid, 2, SealBid, "bids_above", None),
    (OFFER, 1, SealBid, 0, SealMinimum, "minimum_above", None),
]


def told(moves: tuple[tuple[int, Move], ...], viewer: int, own: Move, seat: int, other: Move) -> str | None:
    """Return the code of the fact that a seat's answer makes true, after moves that open a deal."""
    table = club(after(position(), *moves))
    mine, theirs = (GAME.encode(table, actor, move) for actor, move in ((viewer, own), (seat, other)))
    number = table.answer_fact(viewer, mine, seat, theirs)
    if number == NO_FACT:
        return None
    code, params = fact(table, number, mine)
    assert params == {"seat": seat, "amount": own.amount}  # type: ignore[attr-defined]
    return code


@pytest.mark.parametrize(("moves", "viewer", "own", "seat", "other", "above", "below"), SPOILERS)
def test_an_answer_spoils_the_viewers_amount_from_one_side(
    moves: tuple[tuple[int, Move], ...],
    viewer: int,
    own: type[Move],
    seat: int,
    other: type[Move],
    above: str | None,
    below: str | None,
) -> None:
    codes = [told(moves, viewer, own(amount=400), seat, other(amount=amount)) for amount in (450, 400, 350)]
    assert codes == [above, None, below]


def test_no_bid_is_below_every_minimum_and_spoils_no_bid() -> None:
    assert told(OFFER, 0, SealMinimum(amount=0), 1, SealNoBid()) == "bids_below"
    assert told(OFFER, 1, SealBid(amount=400), 2, SealNoBid()) is None


def test_answers_have_no_facts_before_amounts_are_sealed() -> None:
    table = club(position())
    codes = [GAME.encode(table, seat, SealAsk(amount=amount)) for seat, amount in ((1, 400), (2, 350))]
    assert table.answer_fact(1, codes[0], 2, codes[1]) == NO_FACT
