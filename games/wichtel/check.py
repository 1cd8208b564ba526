"""The invariants of a village, each with its rule."""

from __future__ import annotations

from typing import Final

from games.core.bits import bit, count, full, has, members_of, part
from games.core.game import BrokenRecordError
from games.wichtel.table.cards import (
    AMOUNTS,
    BRIBES,
    COME_BACK,
    HAND,
    HE_IS_BEST,
    I_AM_BEST,
    NO_WAY,
    STAND_STILL,
    actions_of,
)
from games.wichtel.table.codes import (
    AFTER,
    ANSWER,
    ANY_PLAYER,
    BRIBING,
    ENDING,
    GIVING,
    LAYING,
    OPENED,
    OVER,
    ROLLED,
)
from games.wichtel.table.trail import LEFT, gnome_at, length_of, seat_at, way_at
from games.wichtel.table.village import Village
from games.wichtel.view import PHASES

LIMIT: Final = 29_500


def check(village: Village) -> None:
    """Raise BrokenRecordError if a table breaks an invariant of the game."""
    if village.turn >= village.seats or not 0 <= village.actor < village.seats or village.queue >= bit(village.seats):
        raise BrokenRecordError("HW-11", "turn_out_of_range", "/turn")
    check_end(village)
    if village.phase == OVER:
        check_gathered(village)
        return
    check_caravan(village)
    check_gnomes(village)
    check_trail(village)
    check_actions(village)
    check_actor(village)
    check_bribes(village)


def demand(fits: bool, rule: str, reason: str, pointer: str, **params: object) -> None:
    """Raise BrokenRecordError if an invariant does not hold."""
    if not fits:
        raise BrokenRecordError(rule, reason, pointer, **params)


def check_end(village: Village) -> None:
    """Check the totals by the goal (HW-47), and the last retinues by the round (HW-40)."""
    seats = [village.seat(number) for number in range(village.seats)]
    demand(all(-LIMIT < seat.points < LIMIT for seat in seats), "HW-47", "points_wrong", "/seats")
    reached = any(seat.points >= village.goal for seat in seats)
    demand(reached == (village.phase == OVER), "HW-47", "goal_passed", "/phase")
    scored = village.round > 1 or village.phase == OVER
    demand(village.ender <= village.seats, "HW-39", "ended_wrong", "/ended_by")
    demand(scored or (village.ender == 0 and not any(seat.points for seat in seats)), "HW-40", "points_wrong", "/seats")
    shown = [0] * 11
    for number, seat in enumerate(seats):
        kinds = [part(seat.last, 4 * place, 4) - 1 for place in range(4) if part(seat.last, 4 * place, 4)]
        demand(len(kinds) == (HAND if scored else 0), "HW-40", "retinue_wrong", f"/seats/{number}/last")
        demand(sorted(kinds) == kinds, "HW-40", "retinue_wrong", f"/seats/{number}/last")
        for kind in kinds:
            shown[kind] += 1
    fits = all(amount <= part(AMOUNTS, 4 * kind, 4) for kind, amount in enumerate(shown))
    demand(fits, "HW-2", "retinue_wrong", "/seats")
    demand(village.round >= 1, "HW-5", "round_wrong", "/round")
    demand(village.turn_cap == 0 or village.turns < village.turn_cap, "HW-D26", "turns_wrong", "/turns")


def check_gathered(village: Village) -> None:
    """Check that no card lies on the table once the game is over (HW-47)."""
    seats = [village.seat(number) for number in range(village.seats)]
    held = any(seat.hand or seat.laid or seat.actions or seat.shown or seat.bribe for seat in seats)
    lying = village.filled or village.open or village.offered or village.spent or village.trail or village.roll
    course = village.queue or village.back or village.still or village.freed or village.turns or not village.onward
    demand(not held and not lying and not course and village.start == 1, "HW-47", "cards_left", "/seats")


def check_caravan(village: Village) -> None:
    """Check that all have seen the gnomes of the square, and that the draw pile is not empty (HW-7 to HW-14)."""
    left, right = village.start, village.length() - village.start - village.seats
    demand(right >= 0 and (right if village.onward else left) > 0, "HW-14", "piles_wrong", "/start")
    for index in range(village.start, village.start + village.seats):
        demand(has(village.filled, index), "HW-13", "square_wrong", f"/caravan/{index}")
        demand(has(village.open, village.cell(index)), "HW-7", "square_wrong", f"/caravan/{index}")
    demand(not village.open & ~village.caravan(), "HW-D23", "open_wrong", "/open")
    demand(not village.back or bool(village.spent & actions_of(COME_BACK)), "HW-32", "waiting_wrong", "/back")
    demand(not village.still or bool(village.spent & actions_of(STAND_STILL)), "HW-33", "waiting_wrong", "/still")


def check_gnomes(village: Village) -> None:
    """Check that every gnome is in one place, and that hands have four without one on its way (HW-2, HW-6, HW-18)."""
    total = 0
    demand((village.offered > 0) == (village.phase == ANSWER), "HW-18", "offer_wrong", "/offered")
    for number in range(village.seats):
        hand = village.seat(number).hand
        missing = village.offered > 0 and number == village.turn
        demand(count(hand) == HAND - missing, "HW-6", "hand_size", f"/seats/{number}/hand", seat=number)
        total += count(hand)
    everywhere = village.hands() | village.caravan()
    total += count(village.filled) + (village.offered > 0)
    demand(count(everywhere) == total, "HW-2", "card_repeated", "/caravan")


def check_trail(village: Village) -> None:
    """Follow the trail from hands of four to the hands there are, and see who has laid what (HW-D23)."""
    hands = dealt_hands(village)
    dealt = 0
    for hand in hands:
        demand(count(hand) == HAND and not hand & dealt, "HW-6", "trail_wrong", "/trail")
        dealt |= hand
    away: dict[int, int] = {}
    for index in range(length_of(village.trail)):
        gnome, seat = gnome_at(village.trail, index), seat_at(village.trail, index)
        pointer = f"/trail/{index}"
        if way_at(village.trail, index) == LEFT:
            fits = count(hands[seat]) == HAND and has(hands[seat], gnome)
            demand(fits, "HW-17", "trail_wrong", pointer)
            hands[seat] &= ~bit(gnome)
            away[gnome] = seat
        else:
            fresh = not has(dealt, gnome)
            demand(count(hands[seat]) == HAND - 1, "HW-17", "trail_wrong", pointer)
            demand(fresh or gnome in away, "HW-17", "trail_wrong", pointer)
            hands[seat] |= bit(gnome)
            dealt |= bit(gnome)
            away.pop(gnome, None)
    check_laid(village, away, dealt)


def dealt_hands(village: Village) -> list[int]:
    """Return the hands at the beginning of the trail, by following it back."""
    hands = [int(village.seat(seat).hand) for seat in range(village.seats)]
    for index in reversed(range(length_of(village.trail))):
        gnome, seat = bit(gnome_at(village.trail, index)), seat_at(village.trail, index)
        demand(seat < village.seats, "HW-17", "trail_wrong", f"/trail/{index}/seat")
        if way_at(village.trail, index) == LEFT:
            demand(not hands[seat] & gnome, "HW-17", "trail_wrong", f"/trail/{index}")
            hands[seat] |= gnome
        else:
            demand(bool(hands[seat] & gnome), "HW-17", "trail_wrong", f"/trail/{index}")
            hands[seat] &= ~gnome
    return hands


def check_laid(village: Village, away: dict[int, int], dealt: int) -> None:
    """Collect the cards that left a hand for a cell or an offer; unseen ones are known to their giver alone."""
    lying = village.caravan() | (bit(village.offered - 1) if village.offered else 0)
    demand(all(has(lying, gnome) for gnome in away), "HW-17", "trail_wrong", "/trail")
    if village.offered:
        demand(away.get(village.offered - 1) == village.turn, "HW-18", "offer_wrong", "/offered")
    for gnome in members_of(village.caravan()):
        pointer = "/caravan"
        laid = [seat for seat in range(village.seats) if has(village.seat(seat).laid, gnome)]
        if has(village.open, gnome):
            demand(not laid, "HW-D23", "laid_wrong", pointer)
        else:
            demand(gnome in away and laid == [away[gnome]], "HW-D23", "laid_wrong", pointer)
        demand(gnome in away or not has(dealt, gnome), "HW-2", "trail_wrong", pointer)
    demand(
        not any(village.seat(seat).laid & ~village.caravan() for seat in range(village.seats)),
        "HW-D23",
        "laid_wrong",
        "/seats",
    )


def check_actions(village: Village) -> None:
    """Check that each seat was dealt four action cards, each in one place, and holds those shown (HW-10, HW-36)."""
    everywhere, total = village.spent, count(village.spent)
    for number in range(village.seats):
        me = village.seat(number)
        pointer = f"/seats/{number}/actions"
        demand(count(me.actions) <= HAND, "HW-10", "action_count", pointer)
        demand(not me.shown & ~me.actions, "HW-D23", "shown_wrong", f"/seats/{number}/shown")
        everywhere |= me.actions
        total += count(me.actions)
    demand(count(everywhere) == total == HAND * village.seats, "HW-10", "action_count", "/spent")


def check_actor(village: Village) -> None:
    """Check that the actor and the queue fit the phase (HW-D7, HW-D14, HW-D25)."""
    phase, actor, queue = village.phase, village.actor, village.queue
    waiting = queue & ~bit(actor)
    if phase == ANSWER:
        fits = actor != village.turn and not queue
    elif phase == BRIBING:
        fits = actor != village.turn and queue == round_to(village, actor)
    elif phase == OPENED and actor != village.turn:
        fits = bool(village.flags & ANY_PLAYER) and not village.spent & actions_of(NO_WAY)
        fits = fits and queue == round_to(village, actor) and village.bribed() > 0
    elif phase == ENDING:
        fits = village.freed and has(queue, actor) and actor == village.next_of(queue)
        fits = fits and (not waiting or (actor == village.turn and count(waiting) == 1))
    elif phase == GIVING:
        fits = actor != village.turn and not queue and bool(village.spent & actions_of(HE_IS_BEST))
    elif phase == LAYING:
        fits = not queue
    else:
        fits = actor == village.turn and not queue
    demand(fits, "HW-D25", "asked_wrong", "/asked", phase=PHASES[phase])
    if phase == AFTER or not courting_place(village):
        demand(village.place == 0, "HW-20", "place_wrong", "/place")
    demand(village.place < village.seats, "HW-20", "place_wrong", "/place")


def courting_place(village: Village) -> bool:
    """Return whether the die may stand on any gnome."""
    return village.phase in {BRIBING, OPENED, ROLLED, GIVING, LAYING}


def round_to(village: Village, actor: int) -> int:
    """Return a seat and all after it that come before the turn's owner, as a set."""
    found, seat = 0, actor
    while seat != village.turn:
        found |= bit(seat)
        seat = village.after(seat)
    return found


def check_bribes(village: Village) -> None:
    """Check that only seats that have decided bribe, while a gnome is courted, and that only a failed roll waits."""
    laid = village.bribed()
    may = full(village.seats) & ~bit(village.turn) & ~village.queue if village.phase == BRIBING else 0
    if village.phase in {OPENED, ROLLED}:
        may = full(village.seats) & ~bit(village.turn)
    demand(not laid & ~may, "HW-21", "bribe_wrong", "/seats")
    for number in members_of(laid):
        me = village.seat(number)
        card = bit(me.bribe - 1)
        demand(bool(card & me.actions & BRIBES), "HW-21", "bribe_wrong", f"/seats/{number}/bribe")
        demand(village.phase == BRIBING or bool(card & me.shown), "HW-22", "bribe_wrong", f"/seats/{number}/bribe")
    failed = 0 < village.roll < village.wanted() and village.price() < I_AM_BEST
    rolled = village.roll == 0 or village.phase in {LAYING, ENDING, AFTER}
    demand(failed if village.phase == ROLLED else rolled, "HW-26", "roll_wrong", "/roll")
