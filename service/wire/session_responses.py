"""Schemas of responses about the state, the seats, the history and the moves of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Draw
from games.core.texts import LANGUAGES
from service.contract.json_schemas import ELSE_FALSE, SCHEMAS, Answer, AnyEvent, AnyMove, AnyView, Time
from service.snapshots.fairness import ChanceKeys, ClientSeed
from service.snapshots.records import Seat
from service.store.sessions import (
    ABORTED,
    BOT,
    FINISHED,
    FORFEITED,
    OPEN,
    PERSON,
    RUNNING,
    UNDO_BY_CONSENT,
    UNDO_OFF,
    WAITING,
)
from service.wire.moves import (
    INDEX_META,
    HeardEvent,
    LegalMoves,
    Outcome,
    PhaseKey,
    Refs,
)
from service.wire.time_responses import (
    AbsenceShown,
    AbsenceVoteShown,
    Absent,
    BotShown,
    ClockShown,
    Deadline,
    PauseRequestShown,
    PauseShown,
    PausesShown,
    UndoOfferShown,
)


class ToldEvent(msgspec.Struct, frozen=True):
    """An event, with a sentence that describes it."""

    event: AnyEvent
    text: str


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a session's history. Each seat has its own version of the session. The spectators share a version.

    `version` is the caller's version after the line, or absent if unchanged. While the session runs, the line contains
    the events as the caller received them. After the session has ended, the line contains each event with all its
    fields and all its recipients. The line of a move then also contains the move and its draws.
    """

    at: Time
    version: int | UnsetType | None = UNSET
    seat: Seat | UnsetType | None = UNSET
    code: int | UnsetType | None = UNSET
    move: AnyMove | UnsetType = UNSET
    label: str | UnsetType = UNSET
    draws: list[Draw] | UnsetType = UNSET
    undone: (
        Annotated[bool, Meta(description="True if the move was taken back later.", extra_json_schema=ELSE_FALSE)]
        | UnsetType
    ) = UNSET
    events: list[HeardEvent]


BOT_MS_STATE_TEXT: Final = (
    "Minimum thinking time of every bot, in milliseconds. A level's own delay applies if it is longer."
)


CLIENT_SEED: Final = "The seat's contribution to the random draws, as sent or generated. The proof has its SHA-256."


CLIENT_SEEDS: Final = "Contributions of the players who claimed open seats, as hashes."


UNDO_STATE_TEXT: Final = "`consent` if decisions can be taken back with the consent of all other persons at the table."


Spoken = Annotated[str, Meta(description="Language of the players.", extra_json_schema={"enum": list(LANGUAGES)})]


SnapshotKind = Annotated[
    str,
    Meta(
        description="Type of the snapshot from which the session started.",
        extra_json_schema={"enum": ["open", "sealed"]},
    ),
]


SessionStatus = Annotated[str, Meta(extra_json_schema={"enum": [WAITING, RUNNING, FINISHED, FORFEITED, ABORTED]})]


Undo = Annotated[str, Meta(extra_json_schema={"enum": [UNDO_OFF, UNDO_BY_CONSENT]})]


SpectatorAccess = Annotated[str, Meta(extra_json_schema={"enum": ["none", "live"]})]


SeatKind = Annotated[str, Meta(extra_json_schema={"enum": [PERSON, BOT, OPEN]})]


SeatBot = Annotated[BotShown, Meta(description="The bot that plays: at a bot's seat, or instead of a person.")]


Actors = Annotated[Sequence[int], Meta(description="Seats that take part in the current decision.")]

Lost = Annotated[
    bool, Meta(description="True for the seat that resigned or lost on time.", extra_json_schema=ELSE_FALSE)
]


class UndoShown(Answer, frozen=True, kw_only=True):
    """A request to undo a seat's last decision, and the seats that have not consented yet."""

    seat: int
    awaited: Sequence[int]


class SeatShown(Answer, frozen=True, kw_only=True):
    """A seat and its occupant."""

    seat: int
    kind: SeatKind
    name: str | UnsetType = UNSET
    bot: SeatBot | UnsetType = UNSET
    out: Lost | UnsetType = UNSET


class SeatGiven(SeatShown, frozen=True, kw_only=True):
    """A seat with its secret. A person's seat has a token, and an open seat has an invite code.

    The service returns a secret only once.
    """

    token: str | UnsetType = UNSET
    invite: str | UnsetType = UNSET


class You(Answer, frozen=True, kw_only=True):
    """The caller's role in the session."""

    seat: int


class SessionLinks(Answer, frozen=True, kw_only=True):
    """URLs of a session's parts."""

    session: str
    legal_moves: str
    moves: str
    history: str
    replay: str
    fairness: str
    branches: str
    events: str
    presence: str
    picture: str
    resign: str
    standing_answers: str


class FairnessTold(Answer, frozen=True, kw_only=True):
    """The commitment of a session. It is a hash that fixes the session's random draws.

    After the session's end, `keys` contains the keys with which to check the commitment.
    """

    commitment: str
    client_seeds: Annotated[list[ClientSeed], Meta(description=CLIENT_SEEDS)] | UnsetType = UNSET
    keys: ChanceKeys | UnsetType = UNSET


CreatedAt = Annotated[Time, Meta(description="Time of creation of the session.")]


ExpiresAt = Annotated[Time, Meta(description="Earliest expiry time of the session. Every event postpones it.")]


class SessionCreated(Answer, frozen=True, kw_only=True):
    """A new session with all its tokens, which are returned only once."""

    id: str
    owner_token: str
    created_at: CreatedAt
    expires_at: ExpiresAt
    game: str
    ruleset: str
    practice: bool
    status: SessionStatus
    spectators: SpectatorAccess
    fairness: (
        Annotated[FairnessTold, Meta(description="Commitment to the draws; missing in practice sessions.")] | UnsetType
    ) = UNSET
    clock: ClockShown | UnsetType = UNSET
    bot_ms: Annotated[int | None, Meta(description=BOT_MS_STATE_TEXT)] | UnsetType = UNSET
    undo: Annotated[Undo, Meta(description=UNDO_STATE_TEXT)] | UnsetType = UNSET
    pauses: PausesShown | UnsetType = UNSET
    absence: AbsenceShown | UnsetType = UNSET
    from_snapshot: SnapshotKind | UnsetType = UNSET
    listed: Annotated[bool, Meta(description="Whether the open seats are listed.")] | UnsetType = UNSET
    language: Spoken | UnsetType = UNSET
    options: Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Options"})]
    seats: list[SeatGiven]
    links: SessionLinks


class SessionState(Answer, frozen=True, kw_only=True, tag_field="form", tag="view"):
    """A session as the caller sees it. `version` counts the changes that the caller has received."""

    id: str
    game: str
    ruleset: str
    version: int
    practice: Annotated[bool, Meta(description="True if a seed, a branch or a snapshot decides the random draws.")]
    seats: list[SeatShown]
    names: Annotated[
        list[str], Meta(description="Names of the seats, as texts and pictures use them, in the caller's language.")
    ]
    you: Annotated[You | None, Meta(description="The caller's seat; null for a spectator.")]
    status: SessionStatus
    actors: Actors
    fairness: (
        Annotated[FairnessTold, Meta(description="Commitment to the draws; missing in practice sessions.")] | UnsetType
    ) = UNSET
    clock: ClockShown | UnsetType = UNSET
    bot_ms: Annotated[int | None, Meta(description=BOT_MS_STATE_TEXT)] | UnsetType = UNSET
    undo: Annotated[Undo, Meta(description=UNDO_STATE_TEXT)] | UnsetType = UNSET
    undo_request: (
        Annotated[UndoShown, Meta(description="The pending request, until an answer or a public event ends it.")]
        | UnsetType
    ) = UNSET
    pauses: PausesShown | UnsetType = UNSET
    pause_request: PauseRequestShown | UnsetType = UNSET
    paused: Annotated[list[PauseShown], Meta(description="Pauses and vacations that have not ended.")] | UnsetType = (
        UNSET
    )
    absence: AbsenceShown | UnsetType = UNSET
    absence_vote: AbsenceVoteShown | UnsetType = UNSET
    from_snapshot: SnapshotKind | UnsetType = UNSET
    deadlines: (
        Annotated[
            list[Deadline],
            Meta(description="With a clock: time at which each person in `actors` runs out of time."),
        ]
        | UnsetType
    ) = UNSET
    undo_offer: (
        Annotated[UndoOfferShown, Meta(description="With `undo`: the prospects of a request by the caller's seat.")]
        | UnsetType
    ) = UNSET
    absences: (
        Annotated[list[Absent], Meta(description="With `absence`: its times for each person in `actors`.")] | UnsetType
    ) = UNSET
    headline: str
    phase: PhaseKey | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    rematch: Annotated[str, Meta(description="Id of the rematch session.")] | UnsetType = UNSET
    view: AnyView | UnsetType = UNSET
    """Missing until the last open seat is claimed and the table is dealt."""


class SessionOverview(Answer, frozen=True, kw_only=True, tag_field="form", tag="overview"):
    """An overview of a session for its owner. It lists the seats that must act, but it omits the view of the table."""

    id: str
    game: str
    ruleset: str
    version: int  # the spectators' version
    practice: bool
    status: SessionStatus
    spectators: SpectatorAccess
    created_at: CreatedAt
    expires_at: ExpiresAt
    seats: list[SeatShown]
    # Empty if the session is unreadable.
    actors: Actors
    clock: ClockShown | UnsetType = UNSET
    bot_ms: Annotated[int | None, Meta(description=BOT_MS_STATE_TEXT)] | UnsetType = UNSET
    deadlines: list[Deadline] | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    links: SessionLinks


class OpenSession(Answer, frozen=True, kw_only=True, tag_field="form", tag="open"):
    """A session with open seats that anybody may claim. `seats_free` is the number of open seats."""

    id: str
    game: str
    practice: bool
    language: Spoken | UnsetType = UNSET
    seats_free: Annotated[int, Meta(description="Number of open seats.")]
    seats: list[SeatShown]
    options: Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Options"})]
    spectators: SpectatorAccess
    clock: ClockShown | UnsetType = UNSET
    undo: Undo | UnsetType = UNSET
    created_at: Time
    links: SessionLinks


class SessionList(Answer, frozen=True, kw_only=True):
    """Sessions of an API key, or public sessions with open seats. The newest session comes first."""

    sessions: list[SessionOverview | OpenSession]
    next: Annotated[str, Meta(description="URL of the next page, if there may be one.")] | UnsetType = UNSET


class SessionShown(SessionState, frozen=True, kw_only=True):
    """A session as the caller sees it. On request, it also contains the caller's legal moves."""

    created_at: CreatedAt
    expires_at: ExpiresAt
    legal_moves: LegalMoves | UnsetType = UNSET
    picture_url: Annotated[
        str, Meta(description=("URL of the caller's view as a picture, with a ticket for ten minutes."))
    ]
    stream_url: Annotated[str, Meta(description="URL of the caller's event stream, with a ticket for ten minutes.")]
    links: SessionLinks


class SeatTaken(Answer, frozen=True, kw_only=True):
    """A claimed seat with its token, which is returned only once."""

    id: str
    seat: int
    kind: SeatKind
    name: str | UnsetType = UNSET
    bot: SeatBot | UnsetType = UNSET
    out: Lost | UnsetType = UNSET
    token: str | UnsetType = UNSET
    invite: str | UnsetType = UNSET
    client_seed: Annotated[str, Meta(description=CLIENT_SEED)] | UnsetType = UNSET
    version: int
    status: SessionStatus
    links: SessionLinks


class RematchGiven(Answer, frozen=True, kw_only=True):
    """The session of a rematch, with the caller's seat and token. If the caller is the owner, `seat` is missing."""

    id: str
    seat: int | UnsetType | None = UNSET
    # The old session's token, which is also valid here. Missing after a request with an API key or a replaced token.
    token: str | UnsetType = UNSET
    version: int
    status: SessionStatus
    seats: list[SeatShown]
    links: SessionLinks


class AnswerOffered(Answer, frozen=True, kw_only=True):
    """An answer that a seat of this game can give in advance."""

    name: str
    label: str


class StandingAnswers(Answer, frozen=True, kw_only=True):
    """The standing answers of a seat, which are decisions made in advance. `offered` lists the answers of the game."""

    answers: Sequence[str]
    offered: list[AnswerOffered]


class MoveChecked(Answer, frozen=True, kw_only=True):
    """A move that is legal at the caller's version. It is given as an object, as a code, and as a sentence."""

    version: int
    code: int
    move: AnyMove
    label: str
    refs: Refs
    index: Annotated[int, INDEX_META] | UnsetType | None = UNSET


class MovePlayed(SessionState, frozen=True, kw_only=True):
    """The result of a move. It contains the caller's events and the new state.

    On request, it also contains the caller's next legal moves.
    """

    events: list[ToldEvent]
    created_at: CreatedAt
    expires_at: ExpiresAt
    legal_moves: LegalMoves | UnsetType = UNSET
