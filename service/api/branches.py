"""Branches of a session. A branch is a new table that is dealt from the caller's view, for trying out moves."""

from __future__ import annotations

from typing import Annotated, Any, Final, cast

from flask import Response
from marshmallow import ValidationError, validates_schema
from msgspec import UNSET, Meta, UnsetType

from games.core.table import SPECTATOR
from service.api.auth import allow_onlooker, require, seat_token
from service.api.callers import SESSION_QUOTAS, account_of_sessions, caller, charge_sessions, keyed
from service.api.sessions import serialize_created
from service.auth.api_keys import PLAY_SCOPE
from service.contract.json_schemas import Answer
from service.http.blueprint import Blueprint, answer
from service.http.context import current_context
from service.http.fields import Body, Choice, Rows, Whole, Within, Words
from service.http.idempotency import Act, idempotent
from service.http.problems import invalid_body
from service.sessions.branch import dealt, view_at
from service.sessions.create import Origin, SessionRequest, create
from service.sessions.reading import game_of
from service.snapshots import engine
from service.snapshots.records import MAX_SEATS, Snapshot
from service.snapshots.seeds import fresh_seed
from service.store.sessions import BOT, PERSON, Seat, Session
from service.validation.faults import Fault
from service.wire.session_responses import SessionCreated
from service.wire.session_schemas import (
    BOT_MS,
    BOT_MS_TEXT,
    DEFAULT_LEVEL,
    ClockWanted,
    SeatWanted,
)

LAST_VERSION: Final = 10**15 - 1
SESSION: Final = "session"
SNAPSHOT_KIND: Final = "snapshot"
BRANCH_PROBLEMS: Final = ("history-cut", "game-over", "not-dealt", *SESSION_QUOTAS)
OF_SESSIONS: Final = ("seats", "clock", "bot_ms", "spectators")

blp = Blueprint(
    "branches",
    __name__,
    url_prefix="/v1/sessions",
    description="New tables dealt from the caller's view of a session, for analysis.",
)

BranchKind = Annotated[str, Meta(extra_json_schema={"enum": [SESSION, SNAPSHOT_KIND]})]


class NewBranch(Body):
    """A request for a branch: the version to branch from and the kind of the branch.

    If the branch is a session, `seats` has the occupants of its seats.
    """

    kind = Choice((SESSION, SNAPSHOT_KIND), load_default=SESSION)
    version = Whole(1, LAST_VERSION, description="The caller's version to deal from; the current one by default.")
    seed = Words(1, 128, description="Seed of the deal and of all random draws; random by default.")
    seats = Rows(
        Within(SeatWanted()),
        1,
        MAX_SEATS,
        description="Occupants of the seats. By default the caller and bots; for a spectator only bots.",
    )
    clock = Within(ClockWanted())
    bot_ms = Whole(*BOT_MS, allow_none=True, description=BOT_MS_TEXT)
    spectators = Choice(("none", "live"))

    @validates_schema
    def check_kind(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError if a request for a snapshot contains fields that only sessions have."""
        given = [name for name in OF_SESSIONS if data.get(name) is not None]
        found = {name: [Fault("", "unknown")] for name in given if data["kind"] == SNAPSHOT_KIND}
        if found:
            raise ValidationError(found)


class BranchMade(Answer, frozen=True, kw_only=True):
    """A branch of a session.

    The branch is either a practice session with all its tokens, or an open snapshot. With a snapshot, `actors` contains
    the seats whose turn it is.
    """

    version: Annotated[int, Meta(description="The caller's version from which the branch was dealt.")]
    session: SessionCreated | UnsetType = UNSET
    snapshot: Snapshot | UnsetType = UNSET
    actors: list[int] | UnsetType = UNSET


def _credential(session: Session, viewer: int) -> str | None:
    return caller().key_text if viewer == SPECTATOR else seat_token(session, viewer)


@blp.post("/<id>/branches")
@keyed(PLAY_SCOPE)
@require(allow_onlooker)
@blp.arguments(NewBranch())
@blp.response(201, BranchMade, headers=("Location",), problems=BRANCH_PROBLEMS)
@idempotent(_credential)
def create_branch(body: dict[str, Any], session: Session, viewer: int) -> Act:
    """Create a branch.

    Deal a new table from the caller's view of a session, or from an earlier version of that view. Everything that the
    caller cannot know is dealt at random. Therefore a branch reveals only what the view shows. The branch is a practice
    session or an open snapshot. The original session stays unchanged, and its players are not notified.
    """
    seats = _seats(session, viewer, body.get("seats"))
    services, version = current_context().sessions, body.get("version")
    game = game_of(services, session)

    def as_snapshot(_operation: str) -> Response:
        view, reached = view_at(services, session, viewer, version)
        seed = body.get("seed") or fresh_seed()
        table = dealt(game, view, seed)
        snapshot = engine.write_snapshot(game, table, seed)
        value = BranchMade(version=reached, snapshot=snapshot, actors=game.actors(table))
        return answer(value, 201)

    def as_session(operation: str) -> Response:
        wanted = SessionRequest(
            game=game,
            seats=seats,
            options=engine.read_options(game, session.charter.options, len(seats), "/seats"),
            seed=body.get("seed"),
            spectators=body.get("spectators", session.charter.spectators),
            clock=body.get("clock"),
            bot_ms=session.charter.bot_ms if body.get("bot_ms") is None else body["bot_ms"],
            key=caller().key_id,
            account=account_of_sessions(),
            origin=Origin(*view_at(services, session, viewer, version), f"{session.id}/{viewer}/{version}"),
        )
        made = create(services, wanted, operation, charge_sessions)
        services.store.note_branch(session.id, made.session.id)
        value = serialize_created(made)
        branch = BranchMade(version=cast("int", made.session.charter.branched_at), session=value)
        return answer(branch, 201, {"Location": value.links.session}, repeated=made.repeated)

    return as_snapshot if body["kind"] == SNAPSHOT_KIND else as_session


def _seats(session: Session, viewer: int, given: list[Seat] | None) -> list[Seat]:
    if given is None:
        seats = enumerate(session.seats)
        return [
            Seat(kind=PERSON, name=seat.name) if number == viewer else Seat(kind=BOT, level=seat.level or DEFAULT_LEVEL)
            for number, seat in seats
        ]
    if len(given) != len(session.seats):
        number = len(session.seats)
        raise invalid_body("/seats", "items", low=number, high=number)
    return given
