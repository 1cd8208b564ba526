"""The knowledge of a seat or a spectator about a club, and a club as the viewer may imagine it."""

from __future__ import annotations

from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.core.table import SPECTATOR
from games.gartenzwerge.check import check
from games.gartenzwerge.record import amount_of, public, read_public, seats_from, set_answer
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import SEALING
from games.gartenzwerge.view import RULESET, ClubView, SealedAnswer, seats_of


def view(club: Club, seat: int) -> ClubView:
    """Return the view of a seat, or SPECTATOR: everything except the sealed answers of others (GZ-28, GZ-D32)."""
    sealing = club.stage == SEALING
    known = [seat] if sealing and seat != SPECTATOR else [] if sealing else range(club.seats)
    return ClubView(
        ruleset=RULESET,
        seats=int(club.seats),
        ply=int(club.ply - club.unseen(seat)),
        seat=None if seat == SPECTATOR else seat,
        actors=seats_of(club.sealers() if sealing else club.actors()),
        answers=[SealedAnswer(seat=other, amount=amount_of(club, other)) for other in known if club.answer(other)],
        **public(club),
    )


def from_view(seen: ClubView, dice: Dice) -> Club:
    """Return a table as the view's owner may imagine it; raise BrokenRecordError for a view that no table has."""
    seat = SPECTATOR if seen.seat is None else seen.seat
    if seen.seats != len(seen.members) or seat >= seen.seats:
        raise BrokenRecordError("GZ-1", "seats_wrong", "/seat_count")
    club = read_public(seen)
    seats_from([known.seat for known in seen.answers], seen.seats, "/answers")
    for known in seen.answers:
        set_answer(club, known.seat, known.amount)
    club.redeal(seat, dice)
    check(club)
    again = view(club, seat)
    if again != seen:
        name = next(name for name in seen.__struct_fields__ if getattr(again, name) != getattr(seen, name))
        raise BrokenRecordError("GZ-D32", "view_inconsistent", f"/{name}", part=name)
    return club
