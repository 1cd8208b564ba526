"""What a seat or a spectator may know of a club, and a club as the viewer may imagine it."""

from __future__ import annotations

from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.core.table import SPECTATOR
from games.gartenzwerge.check import check
from games.gartenzwerge.record import answer, public, read_public, set_answers
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import SEALING
from games.gartenzwerge.view import RULESET, Answer, ClubView, seats_of


def view(club: Club, seat: int) -> ClubView:
    """Return what a seat, or SPECTATOR, may know: all but the sealed answers of others (GZ-28, GZ-D32)."""
    sealing = club.stage == SEALING
    answers: list[Answer] = [
        answer(club, other) if not sealing or other == seat else None for other in range(club.seats)
    ]
    return ClubView(
        ruleset=RULESET,
        seats=int(club.seats),
        ply=int(club.ply - club.unseen(seat)),
        seat=None if seat == SPECTATOR else seat,
        actors=seats_of(club.sealers() if sealing else club.actors()),
        answers=answers,
        **public(club),
    )


def from_view(seen: ClubView, dice: Dice) -> Club:
    """Return a table as the view's owner may imagine it; raise BrokenRecordError for a view that no table has."""
    seat = SPECTATOR if seen.seat is None else seen.seat
    if seen.seats != len(seen.members) or seat >= seen.seats:
        raise BrokenRecordError("GZ-1", "seats_wrong", "/seat_count")
    club = read_public(seen)
    set_answers(club, seen.answers)
    club.redeal(seat, dice)
    check(club)
    again = view(club, seat)
    if again != seen:
        name = next(name for name in seen.__struct_fields__ if getattr(again, name) != getattr(seen, name))
        raise BrokenRecordError("GZ-D32", "view_inconsistent", f"/{name}", part=name)
    return club
