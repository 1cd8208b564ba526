"""Pondering, conferring, the new pile, and the knowledge of hands."""

import pytest

from games.core.game import Move
from games.core.table import SPECTATOR, Table
from games.hoher_rat import GAME
from games.hoher_rat.events import CardOffered, CardReturned, CardsDrawn, DeckReshuffled
from games.hoher_rat.moves import Confer, Convince, Discuss, EndTurn, PlaceFollower, Ponder, ReturnCard
from tests.games.hoher_rat.positions import (
    ALL_CARDS,
    Known,
    after,
    allows,
    discard,
    hand,
    legal,
    play,
    position,
    record_of,
    refusal,
    view_of,
)
from tests.games.queries import events_for

VIEWERS = (0, 1, 2, 3, SPECTATOR)


@pytest.mark.rule("HR-40")
def test_to_ponder_throws_the_hand_away_and_draws_three() -> None:
    pondered = after(position(hands={0: [1, 12, 31]}), 0, Ponder(), 2, 3, 4)
    assert hand(pondered, 0) == [2, 3, 4]
    assert discard(pondered, 0) == [1, 12, 31]


# Confer.


def conference() -> Table:
    table = position(seats=4, hands={0: [7, 12, 31], 2: [1, 2, 3], 1: [4, 5, 6], 3: [7, 8, 9]})
    return after(table, 0, Confer(card=7))


@pytest.mark.rule("HR-41", "HR-42")
@pytest.mark.parametrize(
    ("back", "one", "two"),
    [(2, [2, 12, 31], [1, 3, 7]), (7, [7, 12, 31], [1, 2, 3])],
    ids=["the partner gives one of his back", "the partner gives the same back"],
)
def test_partners_exchange_a_card(back: int, one: list[int], two: list[int]) -> None:
    asked = conference()
    assert (hand(asked, 0), hand(asked, 2)) == ([12, 31], [1, 2, 3, 7])
    answered = after(asked, 2, ReturnCard(card=back))
    assert (hand(answered, 0), hand(answered, 2)) == (one, two)
    assert (discard(answered, 0), view_of(answered, 0).piles[0].deck) == ([], 26)


@pytest.mark.rule("HR-42")
def test_the_partner_chooses_among_four_cards() -> None:
    assert legal(conference(), 2) == [ReturnCard(card=card) for card in (1, 2, 3, 7)]
    assert refusal(conference(), 2, ReturnCard(card=12)) == ("HR-42", "card_not_held", "/card")


@pytest.mark.rule("HR-D20")
def test_while_an_answer_is_owed_nobody_else_acts() -> None:
    asked = conference()
    assert GAME.actors(asked) == [2]
    for move in (EndTurn(), ReturnCard(card=12), Discuss(cards=[12], argument="red")):
        assert refusal(asked, 0, move) == ("HR-D20", "answer_first", "")
    assert refusal(asked, 1, EndTurn()) == ("HR-21", "not_your_turn", "")
    assert refusal(asked, 2, EndTurn()) == ("HR-D20", "answer_first", "")
    assert [legal(asked, seat) for seat in (0, 1, 3)] == [[], [], []]


@pytest.mark.rule("HR-D20")
def test_the_turn_goes_on_after_the_answer_and_its_action_is_taken() -> None:
    table = position(seats=4, pieces={7: "white", 6: "red"}, arguments={0: {"white": 1}}, hands={0: [7, 12, 31]})
    answered = after(after(table, 0, Confer(card=7)), 2, ReturnCard(card=7))
    assert GAME.actors(answered) == [0]
    convincing = Convince(source=7, target=6, argument="white", colour="white")
    assert legal(answered, 0) == [EndTurn(), convincing]
    assert refusal(answered, 0, Ponder()) == ("HR-20", "action_taken", "")


@pytest.mark.rule("HR-41")
def test_one_confers_with_a_card_that_one_holds() -> None:
    table = position(seats=4, hands={0: [7, 12, 31]})
    assert [move for move in legal(table, 0) if isinstance(move, Confer)] == [Confer(card=n) for n in (7, 12, 31)]


@pytest.mark.rule("HR-D22")
def test_a_late_answer_gives_the_same_card_back() -> None:
    asked = conference()
    lapsed = GAME.timeout_move(asked, 2)
    assert lapsed is not None
    assert GAME.decode(asked, lapsed) == ReturnCard(card=7)
    assert [GAME.timeout_move(asked, seat) for seat in (0, 1, 3)] == [None, None, None]
    assert GAME.timeout_move(after(asked, 2, ReturnCard(card=1)), 0) is None


@pytest.mark.rule("HR-D21", "HR-41")
def test_both_cards_of_a_conference_are_known_to_the_partners_alone() -> None:
    table = position(seats=4, hands={0: [7, 12, 31], 2: [1, 2, 3]})
    asked = play(table, 0, Confer(card=7))
    answered = play(asked.table, 2, ReturnCard(card=2))
    offer, back = GAME.encode(table, 0, Confer(card=7)), GAME.encode(asked.table, 2, ReturnCard(card=2))
    for viewer in VIEWERS:
        partner = viewer in {0, 2}
        assert (table.observed_move(viewer, 0, offer) == offer) == partner
        assert (asked.table.observed_move(viewer, 2, back) == back) == partner
        assert events_for(asked, viewer) == [CardOffered(seat=0, partner=2, card=7 if partner else None)]
        assert events_for(answered, viewer) == [CardReturned(seat=2, partner=0, card=2 if partner else None)]
        assert view_of(asked.table, viewer).offered == (7 if partner else None)
    known = {viewer: [c.known for c in view_of(answered.table, viewer).councillors[::2]] for viewer in VIEWERS}
    assert known == {
        0: [[2, 12, 31], [7]],
        1: [[], []],
        2: [[2], [1, 3, 7]],
        3: [[], []],
        SPECTATOR: [[], []],
    }


@pytest.mark.rule("HR-D24")
@pytest.mark.parametrize(
    ("held", "then"),
    [(3, (2, 3)), (0, (0, 1))],
    ids=["one fewer by the first partner", "one more by the first partner"],
)
def test_others_hold_possible_that_an_old_card_has_changed_hands(held: int, then: tuple[int, int]) -> None:
    hands = {0: [1, 2, 3], 2: [4, 5, 6]}
    old = hands[0 if held else 2]
    table = position(seats=4, hands=hands, known={0: Known(old, held, held)}, shown={0 if held else 2: old})
    for viewer in (1, 3, SPECTATOR):
        before, after_it = (view_of(seen, viewer).piles[0] for seen in (table, exchanged(table)))
        assert (before.elders_low, before.elders_high) == (held, held)
        assert (after_it.elders_low, after_it.elders_high) == then


def exchanged(table: Table) -> Table:
    """Return a table after a conference at which the partner gave the same card back."""
    return after(after(table, 0, Confer(card=1)), 2, ReturnCard(card=1))


@pytest.mark.rule("HR-D21")
def test_one_knows_which_own_cards_the_partner_knows() -> None:
    answered = after(conference(), 2, ReturnCard(card=2))
    assert [view_of(answered, seat).partner_knows for seat in VIEWERS] == [[2], [], [7], [], []]


@pytest.mark.rule("HR-D21")
@pytest.mark.parametrize("seats", [2, 4])
def test_hands_are_secret_from_all_the_partner_too(seats: int) -> None:
    table = position(seats=seats)
    for viewer in (*range(seats), SPECTATOR):
        for seat in range(seats):
            assert view_of(table, viewer).councillors[seat].known == (hand(table, seat) if seat == viewer else [])


@pytest.mark.rule("HR-D21")
def test_drawn_cards_are_visible_to_their_drawer() -> None:
    step = play(position(seats=4, hands={0: [7, 12, 31]}), 0, Discuss(cards=[7], argument="white"), 1)
    for viewer in VIEWERS:
        told = [event for event in events_for(step, viewer) if isinstance(event, CardsDrawn)]
        assert told == [CardsDrawn(seat=0, count=1, cards=[1] if viewer == 0 else None)]


# The discard pile and the new pile.


@pytest.mark.rule("HR-D24")
@pytest.mark.parametrize(
    "move",
    [Discuss(cards=[7, 13], argument="white"), PlaceFollower(card=7, colour="white"), Ponder()],
    ids=["discussed with", "seated with", "pondered away"],
)
def test_played_cards_lie_open(move: Move) -> None:
    played = after(position(hands={0: [7, 12, 13]}), 0, move)
    gone = sorted({7, 12, 13} - set(hand(played, 0)))
    assert gone
    assert [view_of(played, viewer).piles[0].discard for viewer in (0, 1, SPECTATOR)] == [gone] * 3


def nearly_used_up(left: int, seat: int = 0) -> Table:
    """Return a table of two whose Pro has cards 1, 7 and 13 in hand and `left` of 30, 31 and 32 left to draw.

    Contra has them for seat 1, whose turn it is then.
    """
    played = [card for card in ALL_CARDS if card not in {1, 7, 13} and card <= 32 - left]
    return position(hands={seat: [1, 7, 13]}, discards={seat: played}, turn=seat)


@pytest.mark.rule("HR-D23")
def test_the_last_card_is_drawn_without_a_new_pile() -> None:
    step = play(nearly_used_up(1), 0, Discuss(cards=[1], argument="white"), 32)
    assert view_of(step.table, 0).piles[0].deck == 0
    assert len(discard(step.table, 0)) == 29
    assert not [event for event in events_for(step, 1) if isinstance(event, DeckReshuffled)]


@pytest.mark.rule("HR-66", "HR-D23")
def test_a_draw_that_fails_makes_all_played_cards_a_new_pile() -> None:
    step = play(nearly_used_up(0), 0, Discuss(cards=[1], argument="white"), 1)
    assert discard(step.table, 0) == []
    assert view_of(step.table, 0).piles[0].deck == 29
    # The card just played is among them, and may be drawn again.
    assert hand(step.table, 0) == [1, 7, 13]
    assert DeckReshuffled(faction="pro", count=30) in events_for(step, 1)


@pytest.mark.rule("HR-66")
def test_one_goes_on_drawing_from_the_new_pile() -> None:
    step = play(nearly_used_up(1), 0, Ponder(), 32, 1, 2)
    assert hand(step.table, 0) == [1, 2, 32]
    assert view_of(step.table, 0).piles[0].deck == 29
    assert DeckReshuffled(faction="pro", count=31) in events_for(step, 1)
    step = play(nearly_used_up(1, seat=1), 1, Ponder(), 32, 1, 2)
    assert DeckReshuffled(faction="contra", count=31) in events_for(step, 0)


@pytest.mark.rule("HR-66")
def test_the_other_factions_pile_stays() -> None:
    step = play(nearly_used_up(0), 0, Discuss(cards=[1], argument="white"), 1)
    assert view_of(step.table, 0).piles[1].deck == 29
    assert discard(step.table, 1) == []


@pytest.mark.rule("HR-D24")
def test_after_a_new_pile_of_two_players_the_cards_in_hand_are_known() -> None:
    table = nearly_used_up(0)
    assert view_of(table, 1).councillors[0].known == []
    mixed = after(table, 0, Discuss(cards=[1], argument="white"), 29)
    assert view_of(mixed, 1).councillors[0].known == [7, 13]
    assert view_of(mixed, 1).piles[0].elders == [7, 13]
    assert view_of(mixed, 1).piles[1].elders == []


@pytest.mark.rule("HR-D24")
def test_a_card_drawn_before_the_new_pile_is_known_too_and_one_drawn_after_it_is_not() -> None:
    mixed = after(nearly_used_up(1), 0, Ponder(), 32, 1, 2)
    assert view_of(mixed, 1).councillors[0].known == [32]


@pytest.mark.rule("HR-D24")
def test_a_known_card_that_is_played_is_known_no_longer() -> None:
    mixed = after(after(nearly_used_up(0), 0, Discuss(cards=[1], argument="white"), 29), 0, EndTurn())
    played = after(after(mixed, 1, EndTurn()), 0, Discuss(cards=[7], argument="white"), 8)
    assert view_of(played, 1).councillors[0].known == [13]


def mixed_of_four() -> Table:
    """Return a table of four with a new pile: seat 0 holds 1, 7 and 13 of before, seat 2 holds 2, 3 and 4."""
    elders = Known(elders=[1, 2, 3, 4, 7, 13], low=3, high=3)
    hands = {0: [1, 7, 13], 2: [2, 3, 4]}
    return position(seats=4, hands=hands, shown=hands, known={0: elders})


@pytest.mark.rule("HR-D24")
def test_a_new_pile_of_four_tells_the_partners_their_hands_and_the_others_the_union() -> None:
    played = [card for card in ALL_CARDS if card not in {1, 2, 3, 4, 7, 13}]
    table = position(seats=4, hands={0: [1, 7, 13], 2: [2, 3, 4]}, discards={0: played})
    mixed = after(table, 0, Discuss(cards=[1], argument="white"), 29)
    known = {viewer: [c.known for c in view_of(mixed, viewer).councillors[::2]] for viewer in VIEWERS}
    assert known == {
        0: [[7, 13, 29], [2, 3, 4]],
        1: [[], []],
        2: [[7, 13], [2, 3, 4]],
        3: [[], []],
        SPECTATOR: [[], []],
    }
    pile = view_of(mixed, 1).piles[0]
    assert (pile.elders, pile.elders_low, pile.elders_high) == ([2, 3, 4, 7, 13], 2, 2)


@pytest.mark.rule("HR-D24")
@pytest.mark.parametrize("seat", [0, 2])
def test_a_new_pile_made_while_one_holds_nothing_tells_him_his_partners_hand(seat: int) -> None:
    mate = 2 - seat
    played = [card for card in ALL_CARDS if card not in {1, 2, 3, 4, 7, 13}]
    table = position(seats=4, hands={seat: [1, 7, 13], mate: [2, 3, 4]}, discards={0: played}, turn=seat)
    mixed = after(table, seat, Ponder(), 20, 21, 22)
    assert view_of(mixed, seat).councillors[mate].known == [2, 3, 4]
    assert [view_of(mixed, 1).councillors[other].known for other in (seat, mate)] == [[], [2, 3, 4]]
    assert record_of(GAME.read(record_of(mixed))) == record_of(mixed)


@pytest.mark.rule("HR-D24")
def test_after_all_earlier_cards_the_rest_is_the_partners() -> None:
    pondered = after(mixed_of_four(), 0, Ponder(), 20, 21, 22)
    assert [c.known for c in view_of(pondered, 1).councillors[::2]] == [[], [2, 3, 4]]


@pytest.mark.rule("HR-D24", "HR-D21")
def test_a_conference_widens_what_the_others_must_hold_possible() -> None:
    table = after(mixed_of_four(), 0, Discuss(cards=[1], argument="white"), 20)
    for seat in range(4):
        table = after(table, seat, EndTurn())
    asked = after(table, 0, Confer(card=7))
    pile = view_of(asked, 1).piles[0]
    assert (pile.elders_low, pile.elders_high) == (2, 2)
    assert [c.known for c in view_of(asked, 1).councillors[::2]] == [[], []]
    answered = after(asked, 2, ReturnCard(card=4))
    pile = view_of(answered, 1).piles[0]
    # Seat 0 had two of five and may have got one for his new card; fewer than two do not fit in with the partner.
    assert (pile.elders, pile.elders_low, pile.elders_high) == ([2, 3, 4, 7, 13], 2, 3)


@pytest.mark.rule("HR-D21")
def test_a_card_of_a_conference_is_known_to_the_partner_until_it_is_played() -> None:
    table = after(conference(), 2, ReturnCard(card=2))
    for seat in range(4):
        if seat == 2:
            assert view_of(table, 0).councillors[2].known == [7]
            table = after(table, 2, Discuss(cards=[7], argument="white"), 30)
            assert view_of(table, 0).councillors[2].known == []
        table = after(table, seat, EndTurn())
    assert record_of(table).players[2].shown == []
    assert allows(table, 0, Discuss(cards=[2], argument="blue"))
