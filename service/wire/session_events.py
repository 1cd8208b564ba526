"""The messages of session streams, their serializer, and the two stream formats."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Game
from service.contract.json_schemas import SCHEMAS, Time
from service.http.json_lines import json_line
from service.http.json_patch import PatchOperation
from service.sessions.reading import events_of
from service.sessions.states import TableState
from service.sessions.stream_items import Attended, Changed, Ended, Opened, PhraseItem, Resumed, StreamItem
from service.store.sessions import LogEntry
from service.subscription import StreamHeartbeat, Subscription
from service.wire.agreements import coarse_time
from service.wire.phrases import PhraseSent, serialize_phrase
from service.wire.session_responses import ToldEvent
from service.wire.sessions import common_fields, event_text, headline_of, names_of, own_fields
from service.wire.state_texts import (
    VIEW_PLACE,
    Known,
    Texts,
    changes,
    common_texts,
    frozen,
    length_of,
    shared,
    state_texts,
    texts_of,
    whole_state,
)

SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"

RETRY_MS: Final = 2_000
"""Time in milliseconds after which a browser reconnects to a broken event stream."""

END: Final = "end"
"""Tag of the last message of every stream."""

MAX_CACHED_PRESENCES: Final = 1_024
"""Maximum number of cached presence messages."""

UNPACKED_BYTES: Final = 8_192
"""Maximum length in bytes of a view that is kept uncompressed.

A stream keeps its last sent state in memory. If the view in this state is longer than UNPACKED_BYTES, the stream
compresses the state. Then the serialization of a message takes about a third longer.
"""

WINDOW_BITS: Final = -12
"""The zlib parameter `wbits` for the compression of states in memory.

With zlib's defaults for `wbits` and `memLevel`, the creation of a compressor takes five times as long. The compression
is slightly better.
"""

MEMORY_LEVEL: Final = 5
"""The zlib parameter `memLevel` for the compression of states in memory. For the reason, see WINDOW_BITS."""

STOP_MS: Final = 3_600_000
"""Milliseconds after which a browser reconnects to a stream that has sent its message `end`.

The time is long, because a browser that reconnects receives nothing new.
"""

Id = Annotated[int, Meta(ge=1, description="Version of the audience after this message.")]
Cursor = Annotated[
    str,
    Meta(
        description=(
            "Cursor for resuming, as `Last-Event-ID` or `after`. The response is 410 if the history was replaced."
        )
    ),
]
State = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}SessionState"})]
EndStatus = Literal["finished", "forfeited", "aborted", "expired"]
SessionEventName = Literal["state", "change", "presence", "phrase", "end"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of the state, as the audience of the stream sees it.

    It contains the time, the events and a JSON Patch.
    """

    at: Time
    events: list[ToldEvent]
    changes: list[PatchOperation]


class PresenceTold(msgspec.Struct, frozen=True, kw_only=True):
    """Seats that have to decide, seats that have already decided, connected seats, and the number of watchers."""

    asked: list[int]
    answered: list[int]
    connected: list[int]
    paused: (
        Annotated[list[int], Meta(description="Seats whose clock rests in a pause or a vacation, in order.")]
        | UnsetType
    ) = UNSET
    watchers: (
        Annotated[
            int,
            Meta(
                ge=1,
                description="Number of spectators' streams and polls, rounded down to one digit. Missing if it is 0.",
            ),
        ]
        | UnsetType
    ) = UNSET


class End(msgspec.Struct, frozen=True, kw_only=True):
    """The final status of the session. If `status` is `expired`, the session no longer exists."""

    status: EndStatus


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """Base class of the messages of a session stream. In JSON Lines, each message is one line."""


class StateMessage(Message, frozen=True, kw_only=True, tag="state"):
    """The complete state as the audience sees it. A stream starts with this message unless the stream is resumed."""

    id: Id
    cursor: Cursor
    data: State


class ChangeMessage(Message, frozen=True, kw_only=True, tag="change"):
    """The state that the audience sees has changed."""

    id: Id
    cursor: Cursor
    data: Change


class PresenceMessage(Message, frozen=True, kw_only=True, tag="presence"):
    """The connections, the pending decisions or the pauses at the table have changed.

    For example, a seat has connected, disconnected or made its decision. This message has no version.
    """

    data: PresenceTold


class PhraseMessage(Message, frozen=True, kw_only=True, tag="phrase"):
    """A seat has sent a phrase. This message has no version."""

    data: PhraseSent


class HeartbeatMessage(Message, frozen=True, kw_only=True, tag="heartbeat"):
    """The connection is still open. In a `text/event-stream`, a comment line is sent instead."""


class EndMessage(Message, frozen=True, kw_only=True, tag=END):
    """The last message of the stream."""

    data: End


SessionStreamMessage = StateMessage | ChangeMessage | PresenceMessage | PhraseMessage | HeartbeatMessage | EndMessage

_DATA: Final = {
    "contentMediaType": "application/json",
    "contentSchema": {
        "anyOf": [{"$ref": SCHEMAS + name} for name in ("SessionState", "Change", "PresenceTold", "PhraseSent", "End")]
    },
}


class ServerSentEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of one event in a `text/event-stream`. `data` is one line of JSON."""

    event: SessionEventName
    data: Annotated[str, Meta(extra_json_schema=_DATA)]
    id: Annotated[str, Meta(description="Cursor of a `state` or `change`. It starts with the version.")] | UnsetType = (
        UNSET
    )
    retry: Annotated[int, Meta(description="Reconnection time in milliseconds.")] | UnsetType = UNSET


class EventSerializer:
    """Serializes the messages of one stream in their order, for one audience and in one language."""

    __slots__ = ("_game", "_language", "_media_type", "_sent", "_viewer", "actors")

    def __init__(self, game: Game, viewer: int, language: str, media_type: str) -> None:
        self._game, self._viewer, self._language, self._media_type = game, viewer, language, media_type
        # The last sent state, one JSON text per field. To save memory, equal texts are shared, and long states are
        # compressed.
        self._sent: Texts | bytes = b""
        self.actors: Sequence[int] = ()

    def write(self, item: StreamItem) -> bytes:
        match item:
            case Changed():
                return FORMATS[self._media_type][1](self._change(item))
            case Attended(found):
                parts = (found.asked, found.answered, found.connected, found.paused)
                return _presence_chunk(self._media_type, found.watchers, *map(tuple, parts))
            case PhraseItem(phrase, shown_at):
                told = serialize_phrase(phrase, shown_at, self._language)
                return FORMATS[self._media_type][1](PhraseMessage(data=told))
            case Resumed(moment):
                self._keep(self._texts(moment, {}, ()))
                return b""
            case Opened(moment):
                texts = self._texts(moment, {}, ())
                self._keep(texts)
                state = msgspec.Raw(whole_state(self._game.view_type, texts))
                opened = StateMessage(id=self._version(moment), cursor=self._cursor(moment, {}), data=state)
                return FORMATS[self._media_type][1](opened)
            case Ended(status):
                return FORMATS[self._media_type][1](EndMessage(data=msgspec.convert({"status": status}, End)))

    def share(self, other: EventSerializer) -> None:
        if isinstance(self._sent, tuple) and isinstance(other._sent, tuple):
            self._sent = shared(self._sent, other._sent)

    def _change(self, item: Changed) -> ChangeMessage:
        moment, line, made = item.state, item.line, item.made
        known = made.get("known") or made.setdefault("known", Known())
        kept, steps = changes(self._game.view_type, self._kept(), self._texts(moment, made, item.viewers), known)
        self._keep(kept)
        events = self._told(line, made)
        change = Change(
            at=coarse_time(moment.session, line.at),
            events=cast("list[ToldEvent]", events),
            changes=cast("list[PatchOperation]", steps),
        )
        return ChangeMessage(id=self._version(moment), cursor=self._cursor(moment, made), data=change)

    def _texts(self, moment: TableState, made: dict[Any, Any], viewers: Collection[int]) -> Texts:
        game, session, table, language = self._game, moment.session, moment.dealt, self._language
        if ("common", language) not in made:
            fields = common_fields(game, session, table, language)
            made["common", language] = fields["outcome"], common_texts(fields), names_of(game, session, language)
        outcome, texts, names = made["common", language]
        if table is not None and ("view", self._viewer) not in made:
            seats = sorted({self._viewer, *viewers})
            made.update((("view", seat), view) for seat, view in zip(seats, game.views(table, seats), strict=True))
        view = made.get(("view", self._viewer))
        shown = None if view is None else texts_of(view, made)
        headline = headline_of(game, session, view, language, names) if outcome is UNSET else outcome.headline
        own = own_fields(game, session, view, self._viewer, headline)
        self.actors = own["actors"]
        return state_texts(texts, own, shown)

    def _keep(self, texts: Texts) -> None:
        view = texts[1][VIEW_PLACE]
        self._sent = _packed(texts) if view is not None and length_of(view) > UNPACKED_BYTES else texts

    def _kept(self) -> Texts:
        if isinstance(self._sent, tuple):
            return self._sent
        texts: Texts = frozen(msgspec.msgpack.decode(zlib.decompress(self._sent, WINDOW_BITS)))
        return texts

    def _told(self, line: LogEntry, made: dict[Any, Any]) -> list[msgspec.Raw]:
        game, language = self._game, self._language
        _, _, names = made["common", language]
        if "heard" not in made:
            made["heard"] = events_of(game, line)
        found: list[msgspec.Raw] = []
        for number, heard in enumerate(made["heard"]):
            if heard.by(self._viewer):
                if (language, number) not in made:
                    text = event_text(game, heard.event, language, names)
                    made[language, number] = msgspec.Raw(msgspec.json.encode(ToldEvent(heard.event, text)))
                found.append(made[language, number])
        return found

    def _version(self, moment: TableState) -> int:
        return moment.session.versions[self._viewer]

    def _cursor(self, moment: TableState, made: dict[Any, Any]) -> str:
        session = moment.session
        key = "mark", self._viewer, session.moved[self._viewer]
        if key not in made:
            made[key] = session.mark(self._viewer)
        return f"{self._version(moment)}~{made[key]}" if made[key] else str(self._version(moment))


@cache
def heartbeat(media_type: str, seconds: float) -> StreamHeartbeat:
    return StreamHeartbeat(FORMATS[media_type][1](HeartbeatMessage()), seconds)


@lru_cache(MAX_CACHED_PRESENCES)
def _presence_chunk(
    media_type: str,
    watchers: int,
    asked: tuple[int, ...],
    answered: tuple[int, ...],
    connected: tuple[int, ...],
    paused: tuple[int, ...],
) -> bytes:
    told = PresenceTold(
        asked=list(asked),
        answered=list(answered),
        connected=list(connected),
        paused=list(paused) or UNSET,
        watchers=watchers or UNSET,
    )
    return FORMATS[media_type][1](PresenceMessage(data=told))


def _packed(texts: Texts) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, WINDOW_BITS, MEMORY_LEVEL)
    return packer.compress(msgspec.msgpack.encode(texts)) + packer.flush()


def as_event(message: Message) -> bytes:
    if isinstance(message, HeartbeatMessage):
        return b":\n\n"
    tag, data = message.__struct_config__.tag, message.data  # type: ignore[attr-defined]  # every other message has some
    head = f"event: {tag}\n"
    if isinstance(message, StateMessage | ChangeMessage):
        head = f"id: {message.cursor}\n{head}"
    if tag == END:
        head = f"retry: {STOP_MS}\n{head}"
    return head.encode() + b"data: " + json_line(data) + b"\n"


def beginning(media_type: str, chunks: Iterator[bytes | Subscription]) -> Iterator[bytes | Subscription]:
    """Yield the opening bytes of a stream format, if any. Then yield the chunks of the stream."""
    if preamble := FORMATS[media_type][0]:
        yield preamble
    yield from chunks


FORMATS: Final[Mapping[str, tuple[bytes, Callable[[Message], bytes]]]] = MappingProxyType(
    {SSE: (f"retry: {RETRY_MS}\n\n".encode(), as_event), NDJSON: (b"", json_line)}
)
"""For each stream format, the bytes with which it begins, and the function that encodes a message."""
