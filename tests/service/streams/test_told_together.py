"""Listeners of one group receive the bytes that each would receive alone: those of its own view, of nobody else's."""

import json
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

import msgspec
import pytest
import redis
from flask import Flask

from games.core.game import Game, View
from games.core.registry import registered
from games.core.table import SPECTATOR
from service.http.json_patch import differences
from service.sessions.play import make_move
from service.sessions.reading import read_log, table_of
from service.sessions.states import TableState, course
from service.sessions.stream_items import Changed, Opened
from service.wire import session_events
from service.wire.session_events import NDJSON, SSE, EventSerializer
from service.wire.sessions import serialize_session
from service.wire.state_texts import (
    STATE,
    VIEW_PLACE,
    Known,
    Texts,
    changes,
    shared,
    texts_of,
    whole_view,
)
from tests.service.kit import sit
from tests.toy import GAME

EVERY_GAME: dict[str, Game] = {GAME.slug: GAME, **registered()}
TABLES = [
    pytest.param(slug, seats, marks=() if seats == game.seat_numbers[-1] else pytest.mark.thorough)
    for slug, game in EVERY_GAME.items()
    for seats in sorted({*game.seat_numbers[:1], *game.seat_numbers[-1:]})
]
MOVES = 20
FORMATS = (("en", SSE), ("de", SSE), ("it", NDJSON))


def play_session(app: Flask, slug: str, seats: int) -> tuple[Any, list[Any]]:
    game, choice = EVERY_GAME[slug], Random(slug)
    made = sit(app, *({"kind": "human"} for _ in range(seats)), game=slug, seed="together").made
    services = app.extensions["context"].sessions
    for _ in range(MOVES):
        session = services.store.load(made["id"])
        table = table_of(game, session)
        actors = game.actors(table)
        if not actors:
            break
        seat = choice.choice(actors)
        code = choice.choice(game.legal(table, seat))
        make_move(services, session, seat, session.versions[seat], "", lambda *_, code=code: code)
    session = services.store.load(made["id"])
    return session, read_log(services, game, session)


def stated(game: Game, state: TableState, viewer: int, language: str) -> bytes:
    return msgspec.json.encode(serialize_session(game, state.session, state.dealt, viewer, language))


def data_of(chunk: bytes, kind: str) -> Any:
    if kind == NDJSON:
        return json.loads(chunk)["data"]
    return json.loads(chunk.split(b"\ndata: ", 1)[1])


@pytest.mark.parametrize(
    "plain",
    [
        pytest.param(session_events.UNPACKED_BYTES, id="kept as they are", marks=pytest.mark.thorough),
        pytest.param(0, id="kept packed"),
    ],
)
@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_grouped_listeners_get_the_same_bytes_as_single_ones(
    every_game: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, slug: str, seats: int, plain: int
) -> None:
    assert redis_client.dbsize() == 0
    monkeypatch.setattr(session_events, "UNPACKED_BYTES", plain)
    game = EVERY_GAME[slug]
    viewers = (*range(seats), SPECTATOR)
    keys = [(viewer, language, kind) for viewer in viewers for language, kind in FORMATS]
    together = {key: EventSerializer(game, *key) for key in keys}
    alone = {key: EventSerializer(game, *key) for key in keys}
    session, lines = play_session(every_game, slug, seats)
    shown, order, told = dict[Any, bytes](), Random(slug), Counter[int]()
    for state, (_, line) in zip(course(game, session, lines), lines, strict=True):
        if not shown:
            for key in keys:
                opened = together[key].write(Opened(state))
                assert opened == alone[key].write(Opened(state))
                shown[key] = stated(game, state, key[0], key[1])
                assert data_of(opened, key[2]) == json.loads(shown[key])
                together[key].share(together[keys[0]])
            continue
        hearers = [key for key in keys if line.versions[key[0]]]
        order.shuffle(hearers)
        item = Changed(state, line, {key[0] for key in hearers})
        for key in hearers:
            chunk = together[key].write(item)
            assert chunk == alone[key].write(Changed(state, line))
            now = stated(game, state, key[0], key[1])
            steps = msgspec.json.encode(differences(shown[key], now, {}))
            assert data_of(chunk, key[2])["changes"] == json.loads(steps)
            assert steps in chunk
            shown[key] = now
            told[key[0]] += 1
    assert min(told[viewer] for viewer in viewers) > 0


class Plain(View, frozen=True, tag="plain"):
    """A view with a part that may not be there, and one under another name."""

    hand: list[int] | msgspec.UnsetType = msgspec.UNSET
    other: str = msgspec.field(name="a/b", default="")


class Terse(Plain, frozen=True, tag="terse", omit_defaults=True):
    """The same, without what is usual."""


class Parted(Plain, frozen=True, tag="parted"):
    """The same, with some fields that are a viewer's own."""

    own: ClassVar = frozenset(("seat", "hand"))


class Lone(Plain, frozen=True, tag="lone"):
    """The same, with one field that is a viewer's own."""

    own: ClassVar = frozenset(("other",))


def seen(kind: type[Plain], **fields: Any) -> Plain:
    return kind(**{"ruleset": "r", "seats": 2, "ply": 0, "seat": 0, "actors": [0], **fields})


PAIRS: Sequence[tuple[dict[str, Any], dict[str, Any]]] = (
    ({}, {}),
    ({}, {"hand": [1]}),
    ({"hand": [1]}, {}),
    ({"hand": [1], "ply": 1}, {"hand": [2], "other": "ü"}),
    ({"other": "x", "ply": 1}, {"hand": [], "ply": 2, "seat": None}),
)


@pytest.mark.parametrize("kind", [Plain, Terse, Parted, Lone])
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_texts_of_fields_are_those_of_the_struct(kind: type[Plain], one: dict[str, Any], other: dict[str, Any]) -> None:
    before, after = seen(kind, **one), seen(kind, **other)
    old, new = texts_of(before, {}), texts_of(after, {})
    assert whole_view(kind, old) == msgspec.json.encode(before)
    assert whole_view(kind, new) == msgspec.json.encode(after)
    assert shared(new, old) == new
    assert shared(texts_of(before, {}), old) is old
    for texts, kept_texts in zip(shared(new, old), old, strict=True):
        assert all(text is kept for text, kept in zip(texts, kept_texts, strict=True) if text == kept)
    kept, steps = changes(kind, around(old), around(new), Known())
    assert kept == around(new)
    plain = differences(b'{"view":%b}' % whole_view(kind, old), b'{"view":%b}' % whole_view(kind, new), {})
    assert bytes(steps) == msgspec.json.encode(plain)


def around(view: Texts) -> Texts:
    return (None,) * len(STATE.common.names), tuple(
        view if place == VIEW_PLACE else None for place in range(len(STATE.own.names))
    )


@pytest.mark.parametrize("kind", [Plain, Parted, Lone])
def test_a_common_part_that_is_not_the_very_same_is_not_taken_over(kind: type[Plain]) -> None:
    made = dict[Any, Any]()
    one, other = seen(kind, hand=[1], ply=1), seen(kind, hand=[2], ply=2)
    assert whole_view(kind, texts_of(one, made)) == msgspec.json.encode(one)
    assert whole_view(kind, texts_of(other, made)) == msgspec.json.encode(other)


def test_a_headline_that_depends_on_ones_own_fields_is_said_to_each(
    every_game: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert redis_client.dbsize() == 0
    game = EVERY_GAME["hoher-rat"]
    monkeypatch.setattr(type(game), "say_headline", lambda _self, view, *_: f"{view.turn} is seen by {view.seat}")
    session, lines = play_session(every_game, game.slug, 4)
    writers = {viewer: EventSerializer(game, viewer, "en", NDJSON) for viewer in (*range(4), SPECTATOR)}
    told = set[tuple[int, str]]()
    for state, (_, line) in zip(course(game, session, lines), lines, strict=True):
        item = Changed(state, line, set(writers)) if told else Opened(state)
        for viewer, writer in writers.items():
            seat = None if viewer == SPECTATOR else viewer
            chunk = writer.write(item)
            turn = game.view(state.table, viewer).turn  # type: ignore[attr-defined]
            assert b"seen by %b" % str(seat).encode() in chunk or (viewer, turn) in told
            told.add((viewer, turn))


def test_only_a_view_above_the_bound_is_kept_packed(
    every_game: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert redis_client.dbsize() == 0
    session, lines = play_session(every_game, GAME.slug, 2)
    state = next(iter(course(GAME, session, lines)))
    assert state.table is not None
    view: Any = texts_of(GAME.view(state.table, 0), {})
    length = sum(len(text) for part in view for text in part if text)
    for bound, kept in ((length - 1, bytes), (length, tuple), (length + 1, tuple)):
        monkeypatch.setattr(session_events, "UNPACKED_BYTES", bound)
        writer = EventSerializer(GAME, 0, "en", NDJSON)
        writer.write(Opened(state))
        assert type(writer._sent) is kept
        assert writer._kept()[1][VIEW_PLACE] == view
