"""New deals hold exactly the possible worlds of a viewer with perfect memory: any answers of the others."""

from typing import Final

import msgspec
import pytest

from games.core.dice import FastDice
from games.core.game import BrokenRecordError, Move
from games.core.table import SPECTATOR, Table
from games.gartenzwerge.moves import OfferDwarf, SealAsk, SealBid, SealMaximum, SealMinimum, SealNoBid
from tests.games.gartenzwerge.positions import GAME, after, legal, position, record_of, sealed, view_of
from tests.games.gartenzwerge.test_rules_deals import search

VIEWERS: Final = (SPECTATOR, 0, 1, 2)


def redealt(table: Table, viewer: int) -> Table:
    other = table.clone()
    other.redeal(viewer, FastDice(1))
    return other


@pytest.mark.rule("GZ-28", "GZ-D32")
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("sealed", [(), (0,), (1,), (0, 2), (1, 2)], ids=str)
def test_whoever_may_have_answered_may_still_give_every_answer_there_is(viewer: int, sealed: tuple[int, ...]) -> None:
    answers: dict[int, Move] = {0: SealMaximum(amount=400), 1: SealAsk(amount=400), 2: SealAsk(amount=350)}
    before = search()
    table = after(before, *((seat, answers[seat]) for seat in sealed))
    other = redealt(table, viewer)
    assert view_of(other, viewer) == view_of(table, viewer)
    own = [seat for seat in sealed if seat == viewer]
    assert record_of(other) == record_of(after(before, *((seat, answers[seat]) for seat in own)))
    for seat in range(3):
        if seat not in own:
            assert legal(other, seat) == legal(before, seat)


@pytest.mark.rule("GZ-D32")
@pytest.mark.parametrize("viewer", VIEWERS)
def test_all_courses_of_answers_look_alike_to_a_waiting_seat(viewer: int) -> None:
    offered = after(position(), (0, OfferDwarf(cap="brown")))
    worlds = set()
    for mine in (SealMinimum(amount=0), SealMinimum(amount=3050)):
        for bid in (SealNoBid(), SealBid(amount=0), SealBid(amount=1500)):
            one = after(offered, (0, mine))
            both = after(one, (1, bid))
            for table in (offered, one, after(offered, (1, bid)), both):
                seen = view_of(table, viewer)
                assert seen.actors == [0, 1, 2]
                worlds.add(
                    GAME.write(redealt(table, viewer)) == GAME.write(redealt(GAME.from_view(seen, FastDice(2)), viewer))
                )
                if viewer in {SPECTATOR, 2}:
                    assert seen == view_of(offered, viewer)
    assert worlds == {True}


@pytest.mark.rule("GZ-D32")
def test_open_parts_stay_as_they_are() -> None:
    answers: list[tuple[int, Move]] = [(1, SealAsk(amount=300)), (2, SealAsk(amount=300)), (0, SealMaximum(amount=400))]
    table = after(search(), *answers)
    for viewer in VIEWERS:
        assert record_of(redealt(table, viewer)) == record_of(table)
        assert view_of(table, viewer).answers == sealed({0: 400, 1: 300, 2: 300})


@pytest.mark.rule("GZ-28", "GZ-D32")
@pytest.mark.parametrize("answers", [{0: 400, 5: 300}, {1: 300, 0: 400}, {1: 300}, {0: None}])
def test_a_view_with_answers_that_its_seat_cannot_know_is_refused(answers: dict[int, int | None]) -> None:
    seen = view_of(after(search(), (0, SealMaximum(amount=400))), 0)
    assert seen.answers == sealed({0: 400})
    with pytest.raises(BrokenRecordError):
        GAME.from_view(msgspec.structs.replace(seen, answers=sealed(answers)), FastDice(1))
