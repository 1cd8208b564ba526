"""Serializes sessions: their state, seats, events and history, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Draw, Event, Game, View
from games.core.table import SPECTATOR, Table
from games.core.texts import LANGUAGES
from service.http.json_schemas import ELSE_FALSE, SCHEMAS, Answer, AnyEvent, AnyMove, AnyView, Time
from service.http.problems import TEXTS
from service.sessions.history import HistoryEntry
from service.sessions.resign import losers
from service.sessions.session_events import SessionEvent
from service.sessions.turns import pace, time_out_at
from service.snapshots.fairness import ChanceKeys, ClientSeed
from service.snapshots.records import Seat
from service.store.clock import rfc3339
from service.store.sessions import (
    ABORTED,
    BOT,
    FINISHED,
    FORFEITED,
    OPEN,
    PERSON,
    POLICIES,
    RUNNING,
    UNDO_BY_CONSENT,
    UNDO_OFF,
    WAITING,
    Session,
    coarse,
)
from service.validation.names import distinct_names, filled_names
from service.wire.moves import (
    INDEX_TOLD,
    HeardEvent,
    LegalMoves,
    Outcome,
    Refs,
    serialize_log_events,
    serialize_outcome,
)


class ToldEvent(msgspec.Struct, frozen=True):
    """What became known, in a sentence too."""

    event: AnyEvent
    text: str


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a session's history: the version it led to, if the reader's moved, and what became known.

    After the end each event stands there once, as those heard it who learnt most of it, with all hearers; and the move
    itself is told, which replays with these draws.
    """

    at: Time
    version: int | UnsetType | None = UNSET
    seat: Seat | UnsetType | None = UNSET
    code: int | UnsetType | None = UNSET
    move: AnyMove | UnsetType = UNSET
    label: str | UnsetType = UNSET
    draws: list[Draw] | UnsetType = UNSET
    undone: (
        Annotated[bool, Meta(description="True for a move that was taken back later.", extra_json_schema=ELSE_FALSE)]
        | UnsetType
    ) = UNSET
    events: list[HeardEvent]


BANKS_SHOWN: Final = (
    "Each seat's time in reserve, in milliseconds, as of when its last decision opened. What that takes longer than "
    "`move_ms` is taken out when the next one opens, so this tells no sooner than a deadline who has answered."
)
BOT_MS_SHOWN: Final = "The least time that every bot waits before it moves; a longer delay of its level holds."

CLIENT_SEED: Final = (
    "What the seat has added to the session's chance: as it was sent, or else drawn. Its SHA-256 stands in the proof."
)
CLIENT_SEEDS: Final = "What those who claimed open seats have added to the chance, as hashes."

UNDO_SHOWN: Final = "`consent` where decisions may be taken back by consent of all other persons at the table."

Spoken = Annotated[str, Meta(description="What is spoken at the table.", extra_json_schema={"enum": list(LANGUAGES)})]

SnapshotKind = Annotated[
    str,
    Meta(
        description="Where the table came in a snapshot: which kind. Nothing is proven of how it came about.",
        extra_json_schema={"enum": ["open", "sealed"]},
    ),
]
ClockPolicy = Annotated[str, Meta(extra_json_schema={"enum": list(POLICIES)})]
SessionStatus = Annotated[str, Meta(extra_json_schema={"enum": [WAITING, RUNNING, FINISHED, FORFEITED, ABORTED]})]
Undo = Annotated[str, Meta(extra_json_schema={"enum": [UNDO_OFF, UNDO_BY_CONSENT]})]
SpectatorAccess = Annotated[str, Meta(extra_json_schema={"enum": ["none", "live"]})]


class BotShown(Answer, frozen=True, kw_only=True):
    """How strong a bot is."""

    level: str


SeatKind = Annotated[str, Meta(extra_json_schema={"enum": [PERSON, BOT, OPEN]})]
SeatBot = Annotated[BotShown, Meta(description="The bot that plays: at a bot's seat, and in the stead of a person.")]
Lost = Annotated[
    bool, Meta(description="True for the seat that gave up, or lost by its time.", extra_json_schema=ELSE_FALSE)
]


class UndoShown(Answer, frozen=True, kw_only=True):
    """A request to take a seat's last decision back, and the seats that have not consented to it yet."""

    seat: int
    awaited: Sequence[int]


class SeatShown(Answer, frozen=True, kw_only=True):
    """Who sits there."""

    seat: int
    kind: SeatKind
    name: str | UnsetType = UNSET
    bot: SeatBot | UnsetType = UNSET
    out: Lost | UnsetType = UNSET


class SeatGiven(SeatShown, frozen=True, kw_only=True):
    """Who sits there; a person's token and the invite code of an open seat are shown here and never again."""

    token: str | UnsetType = UNSET
    invite: str | UnsetType = UNSET


class ClockShown(Answer, frozen=True, kw_only=True):
    """How long a person may take for each decision, and what happens then."""

    move_ms: int
    bank_ms: int | UnsetType = UNSET
    increment_ms: int | UnsetType = UNSET
    banks: Annotated[tuple[int, ...], Meta(description=BANKS_SHOWN)] | UnsetType = UNSET
    policy: ClockPolicy
    bot: BotShown | UnsetType = UNSET


class Deadline(Answer, frozen=True, kw_only=True):
    """Until when a seat is to decide; after that, what the session's clock says happens."""

    seat: int
    at: Time


class You(Answer, frozen=True, kw_only=True):
    """Who the caller is."""

    seat: int


class SessionLinks(Answer, frozen=True, kw_only=True):
    """Where the parts of a session stand."""

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
    """What the chance of a session was fixed by, and by which keys once it is over."""

    commitment: str
    client_seeds: Annotated[list[ClientSeed], Meta(description=CLIENT_SEEDS)] | UnsetType = UNSET
    keys: ChanceKeys | UnsetType = UNSET


CreatedAt = Annotated[Time, Meta(description="When the session was founded.")]
ExpiresAt = Annotated[
    Time, Meta(description="Until then the session is kept at least; whatever happens at it puts that off.")
]


class SessionCreated(Answer, frozen=True, kw_only=True):
    """A new session with all its tokens, which are shown here and never again."""

    id: str
    owner_token: str
    created_at: CreatedAt
    expires_at: ExpiresAt
    game: str
    ruleset: str
    practice: bool
    status: SessionStatus
    spectators: SpectatorAccess
    fairness: Annotated[FairnessTold, Meta(description="Not for practice.")] | UnsetType = UNSET
    clock: ClockShown | UnsetType = UNSET
    bot_ms: Annotated[int | None, Meta(description=BOT_MS_SHOWN)] | UnsetType = UNSET
    undo: Annotated[Undo, Meta(description=UNDO_SHOWN)] | UnsetType = UNSET
    from_snapshot: SnapshotKind | UnsetType = UNSET
    listed: Annotated[bool, Meta(description="Whether its open seats are on the list.")] | UnsetType = UNSET
    language: Spoken | UnsetType = UNSET
    options: Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Options"})]
    seats: list[SeatGiven]
    links: SessionLinks


class SessionState(Answer, frozen=True, kw_only=True, tag_field="form", tag="view"):
    """How a session stands for the caller; `version` counts what the caller has learnt."""

    id: str
    game: str
    ruleset: str
    version: int
    practice: Annotated[
        bool, Meta(description="True where a caller's seed decides all chance, of a branch, and from a snapshot.")
    ]
    seats: list[SeatShown]
    you: Annotated[You | None, Meta(description="Null for a spectator.")]
    status: SessionStatus
    actors: Annotated[Sequence[int], Meta(description="The seats that were asked for a decision.")]
    fairness: Annotated[FairnessTold, Meta(description="Not for practice.")] | UnsetType = UNSET
    clock: ClockShown | UnsetType = UNSET
    bot_ms: Annotated[int | None, Meta(description=BOT_MS_SHOWN)] | UnsetType = UNSET
    undo: Annotated[Undo, Meta(description=UNDO_SHOWN)] | UnsetType = UNSET
    undo_request: (
        Annotated[UndoShown, Meta(description="Until it is answered, or whatever everybody hears ends it.")] | UnsetType
    ) = UNSET
    from_snapshot: SnapshotKind | UnsetType = UNSET
    deadlines: (
        Annotated[
            list[Deadline],
            Meta(description="With a clock: when the time of each person who was asked runs out, answered or not."),
        ]
        | UnsetType
    ) = UNSET
    headline: str
    outcome: Outcome | UnsetType = UNSET
    rematch: Annotated[str, Meta(description="The session of the rematch, by its id.")] | UnsetType = UNSET
    view: AnyView | UnsetType = UNSET
    """Not before the table is dealt, which is when the last open seat is claimed."""


class SessionOverview(Answer, frozen=True, kw_only=True, tag_field="form", tag="overview"):
    """A session as its founder sees it where no spectators are allowed: nothing of the table but who is to move.

    `version` is that of the spectators, if there were any. A session that cannot be read has no `actors`.
    """

    id: str
    game: str
    ruleset: str
    version: int
    practice: bool
    status: SessionStatus
    spectators: SpectatorAccess
    created_at: CreatedAt
    expires_at: ExpiresAt
    seats: list[SeatShown]
    actors: Annotated[Sequence[int], Meta(description="The seats that were asked for a decision.")]
    clock: ClockShown | UnsetType = UNSET
    bot_ms: Annotated[int | None, Meta(description=BOT_MS_SHOWN)] | UnsetType = UNSET
    deadlines: list[Deadline] | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    links: SessionLinks


class OpenSession(Answer, frozen=True, kw_only=True, tag_field="form", tag="open"):
    """A session at which anybody may take one of the seats that are `open`; `seats_free` counts them."""

    id: str
    game: str
    practice: bool
    language: Spoken | UnsetType = UNSET
    seats_free: Annotated[int, Meta(description="How many are `open`.")]
    seats: list[SeatShown]
    options: Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Options"})]
    spectators: SpectatorAccess
    clock: ClockShown | UnsetType = UNSET
    undo: Undo | UnsetType = UNSET
    created_at: Time
    links: SessionLinks


class SessionList(Answer, frozen=True, kw_only=True):
    """Sessions of a key, or those with open seats that anybody may take; the newest first."""

    sessions: list[SessionOverview | OpenSession]
    next: Annotated[str, Meta(description="Where more are, if there may be any.")] | UnsetType = UNSET


class SessionShown(SessionState, frozen=True, kw_only=True):
    """A session as the caller sees it, with what the caller may do now if that was asked for."""

    created_at: CreatedAt
    expires_at: ExpiresAt
    legal_moves: LegalMoves | UnsetType = UNSET
    picture_url: Annotated[str, Meta(description="The caller's view as a picture, with a ticket for ten minutes.")]
    stream_url: Annotated[str, Meta(description="The caller's events, with a ticket for ten minutes.")]
    links: SessionLinks


class SeatTaken(Answer, frozen=True, kw_only=True):
    """A seat that was open, with its token, which is shown here and never again."""

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
    """The session of a rematch, the caller's seat there, and the caller's token, which is good there as well.

    The founder has no seat. Without a token it was asked for by an API key, or the token was replaced there.
    """

    id: str
    seat: int | UnsetType | None = UNSET
    token: str | UnsetType = UNSET
    version: int
    status: SessionStatus
    seats: list[SeatShown]
    links: SessionLinks


class AnswerOffered(Answer, frozen=True, kw_only=True):
    """A standing answer that the game knows."""

    name: str
    label: str


class StandingAnswers(Answer, frozen=True, kw_only=True):
    """The standing answers that the seat has left, and all that it may leave."""

    answers: Sequence[str]
    offered: list[AnswerOffered]


class MoveChecked(Answer, frozen=True, kw_only=True):
    """A move that would be legal at the caller's version: in both faces, and what it would do in a sentence."""

    version: int
    code: int
    move: AnyMove
    label: str
    refs: Refs
    index: Annotated[int, INDEX_TOLD] | UnsetType | None = UNSET


class MovePlayed(SessionState, frozen=True, kw_only=True):
    """What came of a move: what the caller heard, how the session stands for it, and what it may do next if asked."""

    events: list[ToldEvent]
    created_at: CreatedAt
    expires_at: ExpiresAt
    legal_moves: LegalMoves | UnsetType = UNSET


def serialize_session(game: Game, session: Session, table: Table | None, viewer: int, language: str) -> SessionState:
    """Return how a session stands for a seat, or SPECTATOR: the state that a stream begins with and changes."""
    return SessionState(**session_fields(game, session, table, viewer, language))


def session_fields(game: Game, session: Session, table: Table | None, viewer: int, language: str) -> dict[str, Any]:
    """Return the fields of a `SessionState`, or of what has more besides; without a table there is no view."""
    common = common_fields(game, session, table, language)
    view = None if table is None else game.view(table, viewer)
    over = common["outcome"]
    headline = headline_of(game, session, view, language) if over is UNSET else over.headline
    return common | own_fields(session, view, viewer, headline)


def common_fields(game: Game, session: Session, table: Table | None, language: str) -> dict[str, Any]:
    """Return those fields of a `SessionState` that all viewers are told alike."""
    return dict(
        id=session.id,
        game=game.slug,
        ruleset=game.ruleset,
        practice=session.charter.practice,
        seats=serialize_seats(session),
        status=session.status,
        **terms_of(game, session),
        undo_request=_undo_request(session),
        outcome=outcome_of(game, session, table, language) or UNSET,
        rematch=session.rematch or UNSET,
    )


OWN_FIELDS: Final = frozenset(("version", "you", "actors", "deadlines", "headline", "view"))
"""Those fields of a `SessionState` that are a viewer's own."""


def own_fields(session: Session, view: View | None, viewer: int, headline: str) -> dict[str, Any]:
    """Return those fields of a `SessionState` that are a viewer's own; the view is the viewer's, too."""
    actors = view.actors if view is not None and session.status == RUNNING else []
    return {
        "version": session.versions[viewer],
        "you": None if viewer == SPECTATOR else You(seat=viewer),
        "actors": actors,
        "deadlines": deadlines_of(session, actors),
        "headline": headline,
        "view": UNSET if view is None else view,
    }


def lifetime(session: Session, expires: int) -> dict[str, Any]:
    """Return when a session was founded, and until when it is kept at least."""
    return {
        "created_at": coarse_time(session, session.charter.began),
        "expires_at": coarse_time(session, expires),
    }


def serialize_overview(
    session: Session, played: tuple[Game, Table | None] | None, expires: int, links: SessionLinks, language: str
) -> SessionOverview:
    """Return what the founder of a session may know of it; without a game and a table, what stands beside these."""
    charter, actors, told = session.charter, list[int](), dict[str, Any]()
    if played is not None:
        game, table = played
        actors = game.view(table, SPECTATOR).actors if table is not None and session.status == RUNNING else []
        told["bot_ms"] = pace(game, session) or UNSET
        told["outcome"] = outcome_of(game, session, table, language) or UNSET
    return SessionOverview(
        id=session.id,
        game=charter.game,
        ruleset=charter.ruleset,
        version=session.versions[SPECTATOR],
        practice=charter.practice,
        status=session.status,
        spectators=charter.spectators,
        **lifetime(session, expires),
        seats=serialize_seats(session),
        actors=actors,
        clock=_clock(session),
        deadlines=deadlines_of(session, actors),
        **told,
        links=links,
    )


def serialize_open_session(session: Session, links: SessionLinks) -> OpenSession:
    """Return what anybody may know of a session that is listed; nothing of its table."""
    charter = session.charter
    return OpenSession(
        id=session.id,
        game=charter.game,
        practice=charter.practice,
        seats_free=sum(seat.kind == OPEN for seat in session.seats),
        seats=serialize_seats(session),
        options=charter.options,
        spectators=charter.spectators,
        language=charter.language or UNSET,
        clock=_clock(session),
        undo=UNSET if charter.undo == UNDO_OFF else charter.undo,
        created_at=coarse_time(session, charter.began),
        links=links,
    )


def outcome_of(game: Game, session: Session, table: Table | None, language: str) -> Outcome | None:
    """Return how a session ended, or None for one that runs or has no result."""
    if session.status == FORFEITED:
        out = losers(session)
        sentence = TEXTS.say(language, "headlines", "forfeited", names_of(game, session, language), out=out)
        return Outcome(game.forfeit(len(session.seats), out), sentence)
    return (
        serialize_outcome(game, table, language, names_of(game, session, language))
        if session.status == FINISHED and table is not None
        else None
    )


def terms_of(game: Game, session: Session) -> dict[str, Any]:
    """Return what a session is played by: what fixes its chance, its clock, how long its bots wait, its origin."""
    return {
        "fairness": _fairness(session),
        "clock": _clock(session),
        "bot_ms": pace(game, session) or UNSET,
        "undo": UNSET if session.charter.undo == UNDO_OFF else session.charter.undo,
        "from_snapshot": session.charter.from_snapshot or UNSET,
    }


def _fairness(session: Session) -> FairnessTold | UnsetType:
    """Return what fixes the chance of a session, with the keys once it is over; nothing for practice."""
    if session.charter.practice:
        return UNSET
    keys = ChanceKeys.of(session.charter.key)
    return FairnessTold(
        commitment=keys.commitment(session.id),
        client_seeds=client_seeds_of(session) or UNSET,
        keys=keys if session.over else UNSET,
    )


def client_seeds_of(session: Session) -> list[ClientSeed]:
    """Return what those who claimed open seats have added to the chance of a session."""
    return [ClientSeed(seat=seat, hash=digest) for seat, digest in session.client_seeds]


def _undo_request(session: Session) -> UndoShown | UnsetType:
    """Return the request to take a decision back that waits for consent, if there is one."""
    asked = session.pending_undo
    return UNSET if asked is None else UndoShown(seat=asked.seat, awaited=asked.awaited)


def _clock(session: Session) -> ClockShown | UnsetType:
    """Return the clock of a session, if it has one."""
    clock = session.charter.clock
    if clock is None:
        return UNSET
    bot = UNSET if clock.level is None else BotShown(level=clock.level)
    if not clock.has_banks:
        return ClockShown(move_ms=clock.move_ms, policy=clock.policy, bot=bot)
    return ClockShown(
        move_ms=clock.move_ms,
        bank_ms=clock.bank_ms,
        increment_ms=clock.increment_ms,
        banks=tuple(coarse(bank) for bank in session.banks),
        policy=clock.policy,
        bot=bot,
    )


def deadlines_of(session: Session, actors: Sequence[int]) -> list[Deadline] | UnsetType:
    """Return when the time of each person among the actors runs out, whether or not they have answered."""
    if session.charter.clock is None:
        return UNSET
    people = [seat for seat in actors if session.seats[seat].level is None]
    return [Deadline(seat=seat, at=coarse_time(session, time_out_at(session, seat))) for seat in people]


def serialize_seats(session: Session) -> list[SeatShown]:
    """Return who sits where."""
    return [SeatShown(**_seat(session, seat)) for seat in range(len(session.seats))]


def serialize_given_seats(
    session: Session, tokens: Mapping[int, str], invites: Mapping[int, str] = MappingProxyType({})
) -> list[SeatGiven]:
    """Return who sits where, with the secrets of the seats."""
    seats = range(len(session.seats))
    return [
        SeatGiven(**_seat(session, seat), token=tokens.get(seat, UNSET), invite=invites.get(seat, UNSET))
        for seat in seats
    ]


def _seat(session: Session, number: int) -> dict[str, Any]:
    """Return the fields of a seat."""
    seat = session.seats[number]
    name = distinct_names(tuple(each.name for each in session.seats))[number]
    return {
        "seat": number,
        "kind": seat.kind,
        "name": UNSET if name is None else name,
        "bot": UNSET if seat.level is None else BotShown(level=seat.level),
        "out": seat.out or UNSET,
    }


def names_of(game: Game, session: Session, language: str) -> list[str]:
    """Return what the seats are called: as the players are, or as the game calls them; no two look alike."""
    usual = game.seat_names(len(session.seats), language)
    return list(filled_names(tuple(seat.name for seat in session.seats), tuple(usual)))


def event_text(game: Game, event: Event, language: str, names: Sequence[str]) -> str:
    """Say what happened, at the game's table or around it."""
    if isinstance(event, SessionEvent):
        return TEXTS.tell(language, "events", event, names)
    return game.tell(event, language, names)


def serialize_events(game: Game, session: Session, events: Sequence[Event], language: str) -> list[ToldEvent]:
    """Return events for one who heard them."""
    names = names_of(game, session, language)
    return [ToldEvent(event, event_text(game, event, language, names)) for event in events]


def serialize_history_entry(
    game: Game, session: Session, line: HistoryEntry, language: str, *, complete: bool
) -> HistoryLine:
    """Return a line of a history; a complete one says who heard what."""
    names = names_of(game, session, language)

    def say(event: Event) -> str:
        return event_text(game, event, language, names)

    if complete:
        events = serialize_log_events(len(names), line.heard, say)
    else:
        events = [HeardEvent(heard.event, say(heard.event)) for heard in line.heard]
    whole: dict[str, Any] = {}
    if line.played is not None:
        entry, move, before = line.played
        whole = {
            "seat": entry.seat,
            "code": entry.move,
            "move": move,
            "label": game.label(move, language, game.view(before, entry.seat), names),
            "draws": entry.outcomes,
        }
    whole["undone"] = line.undone or UNSET
    return HistoryLine(at=coarse_time(session, line.at), version=line.version or UNSET, events=events, **whole)


def coarse_time(session: Session, at: int) -> str:
    """Return a time of a session as it is told: by the store's clock, to a tenth of a second."""
    return rfc3339(coarse(at) + session.calendar.offset(at))


def headline_of(
    game: Game, session: Session, view: View | None, language: str, names: Sequence[str] | None = None
) -> str:
    """Say in one sentence how a session without a result stands; `names` are those of the seats, where known."""
    if view is None or session.status in {WAITING, ABORTED}:
        return TEXTS.say(language, "headlines", session.status)
    return game.headline(view, language, names or names_of(game, session, language))
