"""The knowledge of a viewer about a village, and the tables that he may imagine."""

from __future__ import annotations

from typing import Final

from games.core.bits import count, first, members_of, nibbles
from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.core.table import SPECTATOR
from games.wichtel.check import check
from games.wichtel.moves import ACTIONS, GNOMES, Action, Gnome
from games.wichtel.options import options_of
from games.wichtel.record import (
    action_kinds,
    courting,
    empty,
    gnome_kinds,
    kinds_of,
    pack_kinds,
    set_course,
)
from games.wichtel.table.cards import ALL_ACTIONS, BRIBES, HAND, UNKNOWN, actions_of, kind_of_action
from games.wichtel.table.codes import BRIBING, OVER
from games.wichtel.table.recall import DEAL, EMPTY, LIMBO, Recall, recalled
from games.wichtel.table.redeal import imagine_actions, imagine_gnomes
from games.wichtel.table.rounds import bonus_of
from games.wichtel.table.titles import named_kinds, result_kinds
from games.wichtel.table.traces import places_of, sure_in, traces_of
from games.wichtel.table.trail import CAME, LEFT
from games.wichtel.table.village import Village
from games.wichtel.view import (
    PHASES,
    RULESET,
    TITLES,
    WAYS,
    Candidate,
    Cell,
    Crossing,
    LastRound,
    Retinue,
    VillageView,
)

REFUSED: Final = {"candidates": "HW-6", "caravan": "HW-12", "trail": "HW-D23", "spent": "HW-36", "last_round": "HW-40"}
"""The rule that a field of a view breaks where no table has it; HW-16 for the others."""

ROLES: Final = 32


def view(village: Village, seat: int) -> VillageView:
    """Return the view of a seat, or SPECTATOR (HW-D23)."""
    recall = recalled(village, seat)
    offered = cell(recall, LIMBO) if village.offered else None
    return VillageView(
        ruleset=RULESET,
        seats=village.seats,
        ply=village.ply,
        seat=None if seat == SPECTATOR else seat,
        actors=[int(actor) for actor in members_of(village.actors())],
        options=options_of(village),
        round=village.round,
        turn=village.turn,
        turns=village.turns,
        phase=PHASES[village.phase],
        asked=[int(other) for other in members_of(village.queue)],
        officer_free=village.freed,
        onward=village.onward,
        back=village.back,
        still=village.still,
        start=village.start,
        caravan=[cell(recall, index) for index in range(village.length())],
        place=village.place + 1 if courting(village.phase) else None,
        roll=village.roll or None,
        offered=offered,
        candidates=candidates(village, recall),
        actions=[] if seat == SPECTATOR else action_kinds(village.seat(seat).actions),
        spent=action_kinds(village.spent),
        trail=[crossing(recall, index) for index in range(len(recall.who))],
        last_round=last_round(village),
        winners=winners(village),
    )


def kind(number: int) -> Gnome | None:
    """Return a kind's name, or None for an unknown one."""
    return None if number == UNKNOWN else GNOMES[number]


def cell(recall: Recall, place: int) -> Cell:
    """Return a viewer's knowledge of a place."""
    source = recall.source[place]
    return Cell(
        gnome=kind(recall.lying[place]),
        origin=source if source >= 0 else None,
        open=recall.seen[place] == 1,
    )


def crossing(recall: Recall, index: int) -> Crossing:
    """Return a viewer's knowledge of a crossing."""
    origin = recall.origin[index]
    return Crossing(
        seat=recall.who[index],
        way=WAYS[recall.way[index]],
        gnome=kind(recall.kind[index]),
        origin=origin if origin >= 0 else None,
    )


def candidates(village: Village, recall: Recall) -> list[Candidate]:
    """Return all seats as the viewer knows them."""
    traces = traces_of(recall, places_of(recall))
    found = []
    for number in range(village.seats):
        me = village.seat(number)
        own = number == recall.viewer
        sure = gnome_kinds(me.hand) if own else [GNOMES[held] for held in sorted(sure_in(traces, number))]
        seen = own or village.phase != BRIBING
        found.append(
            Candidate(
                seat=number,
                points=me.points,
                gnomes=count(me.hand),
                known=sure,
                actions=count(me.actions),
                shown=action_kinds(me.shown),
                bribed=me.bribe > 0,
                bribe=ACTIONS[kind_of_action(me.bribe - 1)] if me.bribe and seen else None,
            )
        )
    return found


def last_round(village: Village) -> LastRound | None:
    """Return the end of the last round, all of which lay open (HW-40)."""
    seats = [village.seat(number) for number in range(village.seats)]
    if not seats[0].last:
        return None
    results = [result_kinds(village.worths, seat.last) for seat in seats]
    retinues = []
    for number, seat in enumerate(seats):
        title = named_kinds(village.worths, seat.last)
        retinues.append(
            Retinue(
                seat=number,
                gnomes=kinds_of(seat.last),
                title=TITLES[title - 1] if title else None,
                result=results[number],
                bonus=bonus_of(village, min(results), max(results), results[number]),
            )
        )
    return LastRound(ended_by=village.ender - 1 if village.ender else None, retinues=retinues)


def winners(village: Village) -> list[int]:
    """Return the winners, once the game is over (HW-D21)."""
    if village.phase != OVER:
        return []
    return [seat for seat, reward in enumerate(village.rewards()) if reward > 0]


# The way back.


def from_view(seen: VillageView, dice: Dice) -> Village:
    """Return a table as the view's owner may imagine it; raise BrokenRecordError for a view that no table has."""
    seat = SPECTATOR if seen.seat is None else seen.seat
    if seen.seats != len(seen.candidates) or seat >= seen.seats:
        raise BrokenRecordError("HW-1", "seats_wrong", "/seat_count")
    village = empty(seen.seats, seen.options)
    if len(seen.caravan) != village.length():
        raise BrokenRecordError("HW-8", "caravan_length", "/caravan")
    village.ply = seen.ply
    set_course(village, seen)
    village.actor = seen.actors[0] if seen.actors else seen.turn
    set_last(village, seen)
    set_actions(village, seen, seat)
    if village.phase != OVER:
        recall = recall_of(seen, seat, village.turn)
        check_recall(recall)
        if village.turn >= village.seats or not imagine_gnomes(village, recall, dice):
            raise BrokenRecordError("HW-D31", "view_inconsistent", "/trail", part="trail")
    check_hidden_bribes(village, seat)
    imagine_actions(village, seat, dice)
    check(village)
    again = view(village, seat)
    if again != seen:
        name = next(name for name in seen.__struct_fields__ if getattr(again, name) != getattr(seen, name))
        raise BrokenRecordError(REFUSED.get(name, "HW-16"), "view_inconsistent", f"/{name}", part=name)
    return village


def set_last(village: Village, seen: VillageView) -> None:
    """Set totals and the open retinues at the end of the last round."""
    for candidate, number in zip(seen.candidates, range(seen.seats), strict=True):
        village.seat(number).points = candidate.points
    if seen.last_round is not None:
        if len(seen.last_round.retinues) != seen.seats:
            raise BrokenRecordError("HW-40", "retinue_wrong", "/last_round")
        for number, retinue in enumerate(seen.last_round.retinues):
            village.seat(number).last = pack_kinds(retinue.gnomes)
        village.ender = 0 if seen.last_round.ended_by is None else seen.last_round.ended_by + 1


def set_actions(village: Village, seen: VillageView, viewer: int) -> None:
    """Deal every seat the action cards that are known, and any others to the number it has."""
    pool = ALL_ACTIONS
    for name in seen.spent:
        pool, card = take_card(pool, ACTIONS.index(name), "/spent")
        village.spent |= card
    for number, candidate in enumerate(seen.candidates):
        me = village.seat(number)
        for name in candidate.shown:
            pool, card = take_card(pool, ACTIONS.index(name), f"/candidates/{number}/shown")
            me.shown |= card
        me.actions = me.shown
    if viewer != SPECTATOR:
        me = village.seat(viewer)
        for name in without(seen.actions, seen.candidates[viewer].shown):
            pool, card = take_card(pool, ACTIONS.index(name), "/actions")
            me.actions |= card
    for number, candidate in enumerate(seen.candidates):
        me = village.seat(number)
        while count(me.actions) < candidate.actions and pool:
            me.actions |= pool & -pool
            pool &= pool - 1
        if candidate.bribed:
            set_bribe(village, number, candidate.bribe)


def without(names: list[Action], fewer: list[Action]) -> list[Action]:
    """Return a list without what another one names, each as often as it does."""
    left = list(names)
    for name in fewer:
        if name in left:
            left.remove(name)
    return left


def set_bribe(village: Village, number: int, bribe: Action | None) -> None:
    """Lay a seat's bribe on the table: the known one, or any until the cards are dealt."""
    me = village.seat(number)
    if bribe is not None and me.holds(ACTIONS.index(bribe)):
        me.bribe = me.some(ACTIONS.index(bribe)) + 1
    elif me.actions:
        me.bribe = first(me.actions) + 1


def take_card(pool: int, kind: int, pointer: str) -> tuple[int, int]:
    """Take a card of a kind out of a set, and return what is left and the card, as sets."""
    cards = pool & actions_of(kind)
    if not cards:
        raise BrokenRecordError("HW-3", "card_repeated", pointer)
    return pool & ~(cards & -cards), cards & -cards


def check_hidden_bribes(village: Village, viewer: int) -> None:
    """Raise BrokenRecordError if more bribes lie face down than cards are left that may be bribes (HW-21)."""
    pool = ALL_ACTIONS & ~village.spent
    needed = 0
    for number in range(village.seats):
        me = village.seat(number)
        pool &= ~(me.actions if number == viewer else me.shown)
        if number != viewer and village.phase == BRIBING and me.bribe and not me.shown & BRIBES:
            needed += 1
            if me.actions == me.shown:
                raise BrokenRecordError("HW-21", "bribe_wrong", f"/candidates/{number}/bribed")
    if needed > count(pool & BRIBES) or sum(
        count(village.seat(number).actions & ~village.seat(number).shown)
        for number in range(village.seats)
        if number != viewer
    ) > count(pool):
        raise BrokenRecordError("HW-21", "bribe_wrong", "/candidates")


def recall_of(seen: VillageView, viewer: int, turn: int) -> Recall:
    """Return the memory of the view's owner."""
    own = 0
    if viewer != SPECTATOR:
        own = sum(nibbles(1, GNOMES.index(name)) for name in seen.candidates[viewer].known)
    recall = Recall(seen.seats, viewer, turn, own)
    for index, crossed in enumerate(seen.trail):
        recall.remember(
            crossed.seat,
            WAYS.index(crossed.way),
            number_of(crossed.gnome),
            DEAL if crossed.origin is None else min(crossed.origin, index),
        )
    places = dict(enumerate(seen.caravan)) | ({} if seen.offered is None else {LIMBO: seen.offered})
    for place, lying in places.items():
        recall.lying[place] = number_of(lying.gnome)
        recall.seen[place] = int(lying.open)
        if lying.origin is not None:
            recall.source[place] = lying.origin
        elif lying.gnome is not None:
            recall.source[place] = DEAL
    return recall


def number_of(name: Gnome | None) -> int:
    """Return a kind's number, or UNKNOWN."""
    return UNKNOWN if name is None else GNOMES.index(name)


def check_recall(recall: Recall) -> None:
    """Raise BrokenRecordError if a trail does not hang together: seat, time and origin of each crossing."""
    length = len(recall.who)
    sizes = [HAND] * recall.seats
    away: set[int] = set()
    roles = HAND * recall.seats
    for index in range(length):
        seat, origin, pointer = int(recall.who[index]), int(recall.origin[index]), f"/trail/{index}"
        if seat >= recall.seats:
            raise BrokenRecordError("HW-D23", "trail_wrong", pointer)
        if recall.way[index] == LEFT:
            fits = sizes[seat] == HAND and origin == DEAL
            sizes[seat] -= fits
            away.add(index)
        else:
            fits = sizes[seat] == HAND - 1 and (origin == DEAL or origin in away)
            fits = fits and (origin != DEAL or recall.kind[index] != UNKNOWN or recall.way[index] == CAME)
            fits = fits and (origin == DEAL or recall.kind[origin] == recall.kind[index])
            sizes[seat] += fits
            roles += origin == DEAL
            away.discard(origin)
        if not fits or (seat == recall.viewer and recall.kind[index] == UNKNOWN):
            raise BrokenRecordError("HW-D23", "trail_wrong", pointer)
    for place in range(LIMBO + 1):
        source = int(recall.source[place])
        fits = source in {DEAL, EMPTY} or source in away
        fits = fits and (source < 0 or recall.kind[source] == recall.lying[place])
        # The giver of a face-down card knows it, and nobody else does.
        own = fits and source >= 0 and recall.who[source] == recall.viewer
        known = recall.lying[place] != UNKNOWN
        if not fits or known != (own or bool(recall.seen[place])) or (place == LIMBO and recall.seen[place]):
            raise BrokenRecordError("HW-D23", "trail_wrong", f"/caravan/{place}")
        roles += source == DEAL
        away.discard(source)
    if away or roles > ROLES:
        raise BrokenRecordError("HW-D23", "trail_wrong", "/trail")
