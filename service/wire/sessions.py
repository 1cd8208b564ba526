"""Functions that build responses about the state, seats, events and history of sessions, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from msgspec import UNSET, UnsetType

from games.core.game import Event, Game, View
from games.core.table import SPECTATOR, Table
from service.http.problems import TEXTS
from service.sessions.clocks import time_out_at
from service.sessions.history import HistoryEntry
from service.sessions.resign import losers
from service.sessions.session_events import SessionEvent
from service.sessions.turns import pace
from service.snapshots.fairness import ChanceKeys, ClientSeed
from service.store.sessions import (
    ABORTED,
    FINISHED,
    FORFEITED,
    OPEN,
    RUNNING,
    UNDO_OFF,
    WAITING,
    Session,
    coarse,
)
from service.validation.names import distinct_names, filled_names
from service.wire.agreements import (
    absence_of,
    absence_vote_of,
    absences_of,
    agreements_of,
    coarse_time,
    hours_of,
    pauses_of,
    undo_offer_of,
)
from service.wire.moves import (
    HeardEvent,
    Outcome,
    serialize_log_events,
    serialize_outcome,
)
from service.wire.session_responses import (
    FairnessTold,
    HistoryLine,
    OpenSession,
    SeatGiven,
    SeatShown,
    SessionLinks,
    SessionOverview,
    SessionState,
    ToldEvent,
    UndoShown,
    You,
)
from service.wire.time_responses import BotShown, ClockShown, Deadline, LatencyShown


def serialize_session(game: Game, session: Session, table: Table | None, viewer: int, language: str) -> SessionState:
    """Return the state of a session as `viewer` sees it. Streams begin with this state.

    `viewer` is a seat or SPECTATOR.
    """
    return SessionState(**session_fields(game, session, table, viewer, language))


def session_fields(game: Game, session: Session, table: Table | None, viewer: int, language: str) -> dict[str, Any]:
    """Return the fields of a `SessionState` or a subclass. If `table` is None, the field `view` is UNSET."""
    common = common_fields(game, session, table, language)
    view = None if table is None else game.view(table, viewer)
    over = common["outcome"]
    headline = headline_of(game, session, view, language) if over is UNSET else over.headline
    return common | own_fields(game, session, view, viewer, headline)


def common_fields(game: Game, session: Session, table: Table | None, language: str) -> dict[str, Any]:
    """Return the fields of a `SessionState` that are the same for all viewers."""
    return dict(
        id=session.id,
        game=game.slug,
        ruleset=game.ruleset,
        practice=session.charter.practice,
        seats=serialize_seats(session),
        names=names_of(game, session, language),
        status=session.status,
        **terms_of(game, session),
        undo_request=_undo_request(session),
        **agreements_of(session),
        outcome=outcome_of(game, session, table, language) or UNSET,
        rematch=session.rematch or UNSET,
    )


OWN_FIELDS: Final = frozenset(
    ("version", "you", "actors", "deadlines", "absences", "absence_vote", "undo_offer", "headline", "phase", "view")
)
"""Names of the fields of a `SessionState` that differ by viewer."""


def own_fields(game: Game, session: Session, view: View | None, viewer: int, headline: str) -> dict[str, Any]:
    """Return the fields of a `SessionState` that differ by viewer. `view` is this viewer's view of the table."""
    actors = view.actors if view is not None and session.status == RUNNING else []
    return {
        "version": session.versions[viewer],
        "you": None if viewer == SPECTATOR else You(seat=viewer),
        "actors": actors,
        "deadlines": deadlines_of(session, actors),
        "absences": absences_of(session, actors),
        "absence_vote": absence_vote_of(session, actors),
        "undo_offer": UNSET if viewer == SPECTATOR else undo_offer_of(session, viewer),
        "headline": headline,
        "phase": (None if view is None else game.phase(view)) or UNSET,
        "view": UNSET if view is None else view,
    }


def lifetime(session: Session, expires: int) -> dict[str, Any]:
    """Return the fields `created_at` and `expires_at`. The session does not expire before `expires_at`."""
    return {
        "created_at": coarse_time(session, session.charter.began),
        "expires_at": coarse_time(session, expires),
    }


def serialize_overview(
    session: Session, played: tuple[Game, Table | None] | None, expires: int, links: SessionLinks, language: str
) -> SessionOverview:
    """Return the overview of a session for its owner.

    `played` contains the game and the session's table. If the table cannot be read, `played` is None.
    """
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
    """Return the public data of a session with open seats. It reveals nothing of the table."""
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
    """Return the outcome of a session. Return None if the session has not ended or has no result."""
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
    """Return the fields that show the terms of a session.

    They are the proof of fairness, the clock, the delay of bots, and the rules for undo, pauses and absent players.
    Another field is true if the session began from a snapshot.
    """
    return {
        "fairness": _fairness(session),
        "clock": _clock(session),
        "bot_ms": pace(game, session) or UNSET,
        "undo": UNSET if session.charter.undo == UNDO_OFF else session.charter.undo,
        "pauses": pauses_of(session),
        "absence": absence_of(session),
        "from_snapshot": session.charter.from_snapshot or UNSET,
    }


def _fairness(session: Session) -> FairnessTold | UnsetType:
    if session.charter.practice:
        return UNSET
    keys = ChanceKeys.of(session.charter.key)
    return FairnessTold(
        commitment=keys.commitment(session.id),
        client_seeds=client_seeds_of(session) or UNSET,
        keys=keys if session.over else UNSET,
    )


def client_seeds_of(session: Session) -> list[ClientSeed]:
    """Return the hashes of the seeds that players have contributed to the random draws.

    A player can contribute a seed with the claim of a seat.
    """
    return [ClientSeed(seat=seat, hash=digest) for seat, digest in session.client_seeds]


def _undo_request(session: Session) -> UndoShown | UnsetType:
    asked = session.pending_undo
    return UNSET if asked is None else UndoShown(seat=asked.seat, awaited=asked.awaited)


def _clock(session: Session) -> ClockShown | UnsetType:
    clock = session.charter.clock
    if clock is None:
        return UNSET
    bot = UNSET if clock.level is None else BotShown(level=clock.level)
    has_banks = clock.has_banks
    latency = LatencyShown(move_ms=clock.latency_ms, total_ms=clock.total_latency_ms) if clock.latency_ms else UNSET
    return ClockShown(
        move_ms=clock.move_ms,
        bank_ms=clock.bank_ms if has_banks else UNSET,
        increment_ms=clock.increment_ms if has_banks else UNSET,
        banks=tuple(coarse(bank) for bank in session.banks) if has_banks else UNSET,
        latency=latency,
        hours=UNSET if clock.hours is None else hours_of(clock.hours),
        policy=clock.policy,
        bot=bot,
    )


def deadlines_of(session: Session, actors: Sequence[int]) -> list[Deadline] | UnsetType:
    """Return the deadlines of the seats in `actors` that no bot plays. `actors` are the seats whose turn it is.

    Return UNSET if the session has no clock.
    """
    if session.charter.clock is None:
        return UNSET
    # Persons who have already decided are included, so that the result does not reveal who has decided.
    people = [seat for seat in actors if session.seats[seat].level is None]
    return [Deadline(seat=seat, at=coarse_time(session, time_out_at(session, seat))) for seat in people]


def serialize_seats(session: Session) -> list[SeatShown]:
    return [SeatShown(**_seat(session, seat)) for seat in range(len(session.seats))]


def serialize_given_seats(
    session: Session, tokens: Mapping[int, str], invites: Mapping[int, str] = MappingProxyType({})
) -> list[SeatGiven]:
    seats = range(len(session.seats))
    return [
        SeatGiven(**_seat(session, seat), token=tokens.get(seat, UNSET), invite=invites.get(seat, UNSET))
        for seat in seats
    ]


def _seat(session: Session, number: int) -> dict[str, Any]:
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
    """Return the name of each seat.

    Usually, this is the name that the seat has in the session. If the seat has no name there, the game provides a
    default name in `language`. If the names of two seats look alike, a number is appended to one of the names.
    """
    usual = game.seat_names(len(session.seats), language)
    return list(filled_names(tuple(seat.name for seat in session.seats), tuple(usual)))


def event_text(game: Game, event: Event, language: str, names: Sequence[str]) -> str:
    if isinstance(event, SessionEvent):
        return TEXTS.tell(language, "events", event, names)
    return game.tell(event, language, names)


def serialize_events(game: Game, session: Session, events: Sequence[Event], language: str) -> list[ToldEvent]:
    """Return each event together with a sentence that describes it in `language`.

    This function hides no data. So the caller must pass only events that the recipient of the response may see.
    """
    names = names_of(game, session, language)
    return [ToldEvent(event, event_text(game, event, language, names)) for event in events]


def serialize_history_entry(
    game: Game, session: Session, line: HistoryEntry, language: str, *, complete: bool
) -> HistoryLine:
    """Return a line of a session's history.

    If `complete` is true, the line is for all viewers: each event appears only once, with its recipients.
    """
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


def headline_of(
    game: Game, session: Session, view: View | None, language: str, names: Sequence[str] | None = None
) -> str:
    """Return a sentence about the current state of a session, for example whose turn it is."""
    if view is None or session.status in {WAITING, ABORTED}:
        return TEXTS.say(language, "headlines", session.status)
    return game.headline(view, language, names or names_of(game, session, language))
