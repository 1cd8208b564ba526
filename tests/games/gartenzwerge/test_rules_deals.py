"""Seeking and offering partners in Gartenzwerge e.V., with three and more, and with Herr Schmiedel."""

from typing import Any

import pytest

from games.core.game import Move
from games.core.table import Table
from games.gartenzwerge.events import AmountSealed, AmountsOpened, DealStruck, Gardened, PairFormed
from games.gartenzwerge.moves import (
    ChooseDeal,
    NameMate,
    OfferDwarf,
    SealAsk,
    SealBid,
    SealMaximum,
    SealMinimum,
    SealNoBid,
    SeekPartner,
    SendToGarden,
    ShowDwarf,
    ShowNoDwarf,
)
from games.gartenzwerge.view import DwarfPair
from tests.games.gartenzwerge.positions import (
    after,
    caps,
    legal,
    money,
    play,
    position,
    record_of,
    refusal,
    sealed,
    view_of,
)
from tests.games.queries import events_of, row

GREGOR, MANUEL = 1, 2
CHRISTIANE = 0


def search() -> Table:
    table = position(members={CHRISTIANE: {"free": "red"}})
    return after(
        table,
        (CHRISTIANE, SeekPartner(cap="red")),
        (GREGOR, ShowDwarf(cap="orange")),
        (MANUEL, ShowDwarf(cap="brown")),
    )


@pytest.mark.rule("GZ-31", "GZ-29", "GZ-30", "GZ-28")
def test_the_rulebooks_search_ends_with_manuels_brown_dwarf_for_350() -> None:
    table = after(search(), (GREGOR, SealAsk(amount=400)), (CHRISTIANE, SealMaximum(amount=400)))
    step = play(table, MANUEL, SealAsk(amount=350))
    assert events_of(step, AmountsOpened) == [
        AmountsOpened(seat=0, job="search", own=400, answers=sealed({1: 400, 2: 350}), schmiedel=None)
    ]
    assert events_of(step, DealStruck) == [DealStruck(seat=0, job="search", partner=MANUEL, price=350)]
    assert events_of(step, PairFormed) == [PairFormed(seat=CHRISTIANE, own="red", mate="brown", owner=MANUEL)]
    assert money(step.table) == [1150, 1500, 1850]
    assert record_of(step.table).members[CHRISTIANE].shed == [DwarfPair(own="red", mate="brown", owner=MANUEL)]
    assert caps(step.table, MANUEL, "lent") == ["brown"]
    assert caps(step.table, GREGOR) == ["brown", "orange"]


@pytest.mark.parametrize(
    ("maximum", "asks", "price"),
    [
        row("the lowest price is the maximum", 350, (350, 400), 350, rules="GZ-D17 GZ-29"),
        row("all ask more", 300, (350, 400), None, rules="GZ-32"),
        row("nothing is asked", 0, (0, 400), 0, rules="GZ-D14 GZ-29"),
        row("the dearer one is out of reach", 350, (3050, 50), 50, rules="GZ-D14 GZ-29"),
    ],
)
def test_the_lowest_price_within_the_maximum_is_taken(maximum: int, asks: tuple[int, int], price: int | None) -> None:
    table = after(search(), (1, SealAsk(amount=asks[0])), (2, SealAsk(amount=asks[1])))
    step = play(table, 0, SealMaximum(amount=maximum))
    if price is None:
        assert events_of(step, Gardened) == [Gardened(seat=0, cap="red", wage=50)]
        assert money(step.table) == [1550, 1500, 1500]
        assert [caps(step.table, seat) for seat in (1, 2)] == [["brown", "orange"]] * 2
    else:
        assert events_of(step, DealStruck)[0].price == price
        assert sum(money(step.table)) == 4500


@pytest.mark.rule("GZ-28", "GZ-D32")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)])
def test_amounts_are_sealed_in_any_order_and_nobody_hears_of_them(order: tuple[int, ...]) -> None:
    table = search()
    answers: dict[int, Move] = {0: SealMaximum(amount=400), 1: SealAsk(amount=400), 2: SealAsk(amount=350)}
    for seat in order[:-1]:
        before = {viewer: view_of(table, viewer) for viewer in (-1, 0, 1, 2)}
        step = play(table, seat, answers[seat])
        for viewer in (-1, 0, 1, 2):
            if viewer == seat:
                assert events_of(step, AmountSealed, viewer)
                assert view_of(step.table, seat).answers == sealed({seat: getattr(answers[seat], "amount", None)})
            else:
                assert not [heard for heard in step.heard if heard.by(viewer)]
                assert view_of(step.table, viewer) == before[viewer]
        table = step.table
        assert view_of(table).actors == [0, 1, 2]
        assert refusal(table, seat, answers[seat])[0] == "GZ-28"
    assert money(after(table, (order[-1], answers[order[-1]]))) == [1150, 1500, 1850]


@pytest.mark.rule("GZ-D44", "GZ-25")
def test_nothing_but_a_lowest_cap_can_be_demanded() -> None:
    assert SeekPartner.__struct_fields__ == ("cap", "demand")
    assert {move.demand for move in legal(position(), 0) if isinstance(move, SeekPartner)} == {
        "brown", "orange", "red", "blue", "green",
    }  # fmt: skip
    answered = after(position(), (0, SeekPartner(cap="brown")), (1, ShowDwarf(cap="orange")), (2, ShowNoDwarf()))
    dealt = after(answered, (0, SealMaximum(amount=100)), (1, SealAsk(amount=100)))
    assert SendToGarden(cap="brown") in legal(dealt, 1), "who has answered need not seek a partner in turn"


@pytest.mark.rule("GZ-26", "GZ-D13", "GZ-25")
def test_from_the_seekers_left_each_who_can_meet_the_demand_shows_a_dwarf_or_passes() -> None:
    table = position(4, members={1: {"free": "brown"}, 2: {"free": "orange red"}, 3: {"free": "grey orange"}})
    table = after(table, (0, SeekPartner(cap="brown", demand="orange")))
    assert view_of(table).actors == [2]
    assert legal(table, 2) == [ShowNoDwarf(), ShowDwarf(cap="orange"), ShowDwarf(cap="red")]
    assert refusal(table, 2, ShowDwarf(cap="brown"))[0] == "GZ-25"
    assert refusal(table, 2, ShowDwarf(cap="blue"))[0] == "GZ-26"
    table = after(table, (2, ShowNoDwarf()))
    assert view_of(table).actors == [3]
    table = after(table, (3, ShowDwarf(cap="orange")))
    assert view_of(table).actors == [0, 3]
    assert refusal(table, 2, SealAsk(amount=0))[0] == "GZ-28"


@pytest.mark.rule("GZ-D12", "GZ-54")
def test_nobody_is_his_own_partner_and_three_have_no_herr_schmiedel() -> None:
    members = {seat: {"free": "", "garden": "brown"} for seat in (1, 2)}
    table = position(members={0: {"free": "brown brown"}} | members)
    table = after(table, (0, SeekPartner(cap="brown")))
    assert caps(table, 0, "garden") == ["brown"]
    assert (view_of(table).stage, view_of(table).turn) == ("employing", 0)


@pytest.mark.parametrize(
    ("first", "answers"),
    [
        row("a search that nobody can answer", SeekPartner(cap="brown", demand="green"), [], rules="GZ-D16 GZ-32"),
        row("a search where all pass", SeekPartner(cap="brown"), [(1, ShowNoDwarf()), (2, ShowNoDwarf())],
            rules="GZ-D16 GZ-32"),
        row("an offer to nobody", OfferDwarf(cap="brown"), None, rules="GZ-D16 GZ-35"),
    ],
)  # fmt: skip
def test_where_nobody_answers_the_dwarf_gardens_at_once(first: Move, answers: list[Any] | None) -> None:
    busy = {seat: {"free": "", "garden": "brown"} for seat in (1, 2)} if answers is None else {}
    table = after(position(members=busy), (0, first), *(answers or []))
    assert (caps(table, 0, "garden"), money(table)[0]) == (["brown"], 1550)
    assert view_of(table).stage == "employing"


@pytest.mark.parametrize(
    ("minimum", "bids", "winner"),
    [
        row("the highest bid", 200, (300, 250), 1, rules="GZ-33 GZ-34"),
        row("a bid that is the minimum", 250, (200, 250), 2, rules="GZ-D17 GZ-34"),
        row("none that reaches the minimum", 350, (300, 250), None, rules="GZ-35"),
        row("a bid of nothing where nothing is wanted", 0, (None, 0), 2, rules="GZ-D15 GZ-D14"),
        row("no bid at all", 0, (None, None), None, rules="GZ-D15 GZ-35"),
    ],
)
def test_an_offer_goes_to(minimum: int, bids: tuple[int | None, int | None], winner: int | None) -> None:
    table = after(position(), (0, OfferDwarf(cap="orange")), (0, SealMinimum(amount=minimum)))
    for seat, bid in enumerate(bids, start=1):
        table = after(table, (seat, SealNoBid() if bid is None else SealBid(amount=bid)))
    if winner is None:
        assert (caps(table, 0, "garden"), money(table)) == (["orange"], [1550, 1500, 1500])
        return
    assert view_of(table).asking == winner
    price = bids[winner - 1]
    assert price is not None
    assert money(table)[0] == 1500 + price
    assert money(table)[winner] == 1500 - price


@pytest.mark.rule("GZ-D19", "GZ-34", "GZ-D12")
def test_the_winner_pays_at_once_and_names_the_mate_for_his_own_shed() -> None:
    table = after(position(), (0, OfferDwarf(cap="orange")), (0, SealMinimum(amount=0)), (2, SealNoBid()))
    table = after(table, (1, SealBid(amount=500)))
    assert money(table) == [2000, 1000, 1500]
    assert legal(table, 1) == [NameMate(cap="brown"), NameMate(cap="orange")]
    assert refusal(table, 1, NameMate(cap="red"))[0] == "GZ-D19"
    table = after(table, (1, NameMate(cap="brown")))
    assert record_of(table).members[1].shed == [DwarfPair(own="brown", mate="orange", owner=0)]
    assert caps(table, 0, "lent") == ["orange"]
    assert view_of(table).turn == 1


@pytest.mark.rule("GZ-D19")
def test_the_only_mate_there_is_is_named_by_itself() -> None:
    table = position(members={1: {"free": "grey red"}})
    table = after(table, (0, OfferDwarf(cap="orange")), (0, SealMinimum(amount=0)), (2, SealNoBid()))
    step = play(table, 1, SealBid(amount=0))
    assert events_of(step, PairFormed) == [PairFormed(seat=1, own="red", mate="orange", owner=0)]


@pytest.mark.rule("GZ-D15", "GZ-D14", "GZ-27")
def test_only_who_could_name_a_mate_bids_and_no_more_than_he_has() -> None:
    table = position(4, members={1: {"money": 100}, 2: {"free": "grey"}, 3: {"free": "", "garden": "brown"}})
    table = after(table, (0, OfferDwarf(cap="orange")))
    assert view_of(table).actors == [0, 1]
    assert legal(table, 1) == [SealNoBid(), SealBid(amount=0), SealBid(amount=50), SealBid(amount=100)]
    assert refusal(table, 1, SealBid(amount=150))[0] == "GZ-D14"
    assert refusal(table, 0, SealNoBid())[0] == "GZ-33"
    assert refusal(table, 1, SealAsk(amount=0))[0] == "GZ-34"
    assert legal(table, 0) == [SealMinimum(amount=50 * steps) for steps in range(62)]


@pytest.mark.rule("GZ-26", "GZ-27")
def test_each_seals_the_amount_of_his_part() -> None:
    table = search()
    assert refusal(table, 0, SealAsk(amount=0))[0] == "GZ-27"
    assert refusal(table, 1, SealMaximum(amount=0))[0] == "GZ-26"
    assert refusal(table, 1, SendToGarden(cap="brown"))[0] == "GZ-28"


@pytest.mark.rule("GZ-D18")
def test_among_equal_amounts_the_member_on_turn_chooses() -> None:
    table = after(search(), (1, SealAsk(amount=300)), (2, SealAsk(amount=300)), (0, SealMaximum(amount=400)))
    assert legal(table, 0) == [ChooseDeal(partner=1), ChooseDeal(partner=2)]
    assert refusal(table, 0, ChooseDeal(partner=None))[0] == "GZ-D18"
    table = after(table, (0, ChooseDeal(partner=1)))
    assert record_of(table).members[0].shed == [DwarfPair(own="red", mate="orange", owner=1)]
    assert money(table) == [1200, 1800, 1500]


# Two players.


def with_schmiedel(other: str = "orange", **changes: Any) -> Table:
    """Return the sheet's search: Christiane's red dwarf, Manuel's free ones."""
    return position(2, members={0: {"free": "red"}, 1: {"free": other, "garden": "brown"}}, **changes)


HUNDRED_AND_FIFTY = [("chip", 100), ("chip", 50)]


@pytest.mark.rule("GZ-61", "GZ-56", "GZ-57", "GZ-58", "GZ-55")
def test_the_sheets_search_ends_with_herr_schmiedels_red_dwarf_for_450() -> None:
    table = after(with_schmiedel(), (0, SeekPartner(cap="red")), (1, ShowDwarf(cap="orange")))
    table = after(table, (0, SealMaximum(amount=550)))
    step = play(table, 1, SealAsk(amount=500), HUNDRED_AND_FIFTY)
    assert events_of(step, AmountsOpened)[0].schmiedel == 450
    assert events_of(step, DealStruck) == [DealStruck(seat=0, job="search", partner=None, price=450)]
    assert money(step.table) == [1050, 1500]
    assert record_of(step.table).members[0].shed == [DwarfPair(own="red", mate="red", owner=None)]
    assert record_of(step.table).schmiedel_lent.red == 1
    assert caps(step.table, 1) == ["orange"]


@pytest.mark.parametrize(
    ("ask", "maximum", "chips", "partner"),
    [
        row("the other member who asks less", 400, 550, (100, 50), 1, rules="GZ-57"),
        row("Herr Schmiedel at the maximum", 500, 400, (50, 50), None, rules="GZ-57 GZ-D17"),
        row("neither above the maximum", 500, 400, (100, 50), 9, rules="GZ-57"),
    ],
)
def test_herr_schmiedels_search_finds(ask: int, maximum: int, chips: tuple[int, int], partner: int | None) -> None:
    table = after(with_schmiedel(), (0, SeekPartner(cap="red")), (1, ShowDwarf(cap="orange")))
    table = after(table, (1, SealAsk(amount=ask)))
    step = play(table, 0, SealMaximum(amount=maximum), [("chip", chip) for chip in chips])
    assert [struck.partner for struck in events_of(step, DealStruck)] == ([] if partner == 9 else [partner])


@pytest.mark.rule("GZ-D33")
def test_at_equal_amounts_with_herr_schmiedel_the_member_on_turn_chooses() -> None:
    table = after(with_schmiedel(), (0, SeekPartner(cap="red")), (1, ShowDwarf(cap="orange")))
    table = after(table, (1, SealAsk(amount=450)), (0, SealMaximum(amount=450)), script=HUNDRED_AND_FIFTY)
    assert legal(table, 0) == [ChooseDeal(partner=1), ChooseDeal(partner=None)]
    assert money(after(table, (0, ChooseDeal(partner=None)))) == [1050, 1500]


@pytest.mark.rule("GZ-55", "GZ-D33")
def test_herr_schmiedel_has_five_chips_each_time() -> None:
    for one, other in [(50, 50), (100, 100), (200, 100)]:
        table = after(with_schmiedel(""), (0, SeekPartner(cap="red")))
        step = play(table, 0, SealMaximum(amount=0), [("chip", one), ("chip", other)])
        assert events_of(step, AmountsOpened)[0].schmiedel == 300 + one + other
    table = after(with_schmiedel(""), (0, SeekPartner(cap="red")))
    with pytest.raises(ValueError, match="cannot be drawn"):
        play(table, 0, SealMaximum(amount=0), [("chip", 200), ("chip", 200)])


@pytest.mark.rule("GZ-62", "GZ-54")
@pytest.mark.parametrize("move", [SeekPartner(cap="red", demand="green"), OfferDwarf(cap="red")])
def test_one_may_deal_with_herr_schmiedel_alone(move: Move) -> None:
    table = after(with_schmiedel(""), (0, move))
    assert view_of(table).actors == [0]
    kind = {type(choice) for choice in legal(table, 0)}
    assert kind == {SealMaximum if isinstance(move, SeekPartner) else SealMinimum}


@pytest.mark.rule("GZ-D34")
def test_herr_schmiedel_answers_whatever_is_demanded_but_only_from_his_supply() -> None:
    table = after(with_schmiedel(), (0, SeekPartner(cap="red", demand="green")))
    assert view_of(table).actors == [0]
    empty = position(
        2,
        members={0: {"free": "brown red"}, 1: {"free": "red", "shed": [("red", "red", None)] * 3, "garden": ""}},
        schmiedel_lent="red red red",
    )
    assert view_of(after(empty, (0, SeekPartner(cap="red", demand="green")))).stage == "sealing"
    emptier = position(
        2,
        members={0: {"free": "red", "shed": [("red", "red", None)]},
                 1: {"free": "", "shed": [("red", "red", None)] * 3, "garden": "brown"}},
        schmiedel_lent="red red red red",
    )  # fmt: skip
    assert money(after(emptier, (0, SeekPartner(cap="red")))) != money(emptier), "the dwarf gardens at once"
    assert view_of(after(emptier, (0, OfferDwarf(cap="red")))).stage == "sealing"


@pytest.mark.parametrize(
    ("bid", "minimum", "winner"),
    [
        row("the higher bid of the other member", 500, 300, 1, rules="GZ-59"),
        row("Herr Schmiedel's higher bid", 400, 300, None, rules="GZ-59 GZ-60"),
        row("nobody under the minimum", 400, 500, 9, rules="GZ-59 GZ-35"),
    ],
)
def test_with_herr_schmiedel_an_offer_goes_to(bid: int, minimum: int, winner: int | None) -> None:
    table = after(with_schmiedel(), (0, OfferDwarf(cap="red")), (1, SealBid(amount=bid)))
    step = play(table, 0, SealMinimum(amount=minimum), HUNDRED_AND_FIFTY)
    assert [struck.partner for struck in events_of(step, DealStruck)] == ([] if winner == 9 else [winner])
    if winner is None:
        assert money(step.table) == [1950, 1500]
        assert caps(step.table, 0, "lent") == ["red"]
        assert not record_of(step.table).schmiedel_lent.red
