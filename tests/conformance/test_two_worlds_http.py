"""No endpoint shows a viewer more than his view: two worlds with one view answer alike, to the byte."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final
from uuid import UUID

import msgspec
import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from games.core.dice import FastDice
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from service.app import create_app
from service.auth.api_keys import ALL, PLAY_SCOPE, ApiKey
from service.settings import HOUR_MS, Settings
from service.store import keys
from service.store.agreements import THEN_ABORT, Absence, Pauses
from service.store.owner_index import entry_of
from service.store.sessions import RANDOM_POLICY, UNDO_BY_CONSENT, WAITING, Clock, coarse
from service.webhooks.push import new_private_key
from tests.conformance.cases import CASES, Case, events_for, is_smallest, smallest_first, view_bytes
from tests.conformance.courses import another
from tests.conformance.two_worlds import Story, World, do_searches, find_story, frozen, hides, play_story, watched
from tests.service.webhooks.browser import Browser

TABLES: Final = [
    case
    for case in CASES
    if case.preset == next(iter(case.game.presets))
    and case.seats in {case.game.seat_numbers[0], case.game.seat_numbers[-1]}
]
"""The smallest and the largest tables of every game."""

QUICKEST: Final = next(case for case in TABLES if case.game.slug == "hoher-rat")
"""The table whose worlds are made and asked soonest."""

TWO: Final = LANGUAGES[:2]

SUBSCRIPTION: Final = Browser().subscription
"""The push subscription of the viewer's browser, the same in both worlds."""

VAPID_KEY: Final = new_private_key()

Probe = Callable[[World], None]

NO_TABLE: Final = {
    "GET /": "/",
    "GET /v1/games": "/v1/games",
    "GET /v1/games/<game>": "/v1/games/{game}",
    "GET /v1/games/<game>/rules": "/v1/games/{game}/rules",
    "GET /v1/games/<game>/reference": "/v1/games/{game}/reference",
    "GET /v1/games/<game>/tutorials": "/v1/games/{game}/tutorials",
    "GET /v1/games/<game>/puzzles": "/v1/games/{game}/puzzles",
    "GET /v1/limits": "/v1/limits",
    "GET /v1/problems": "/v1/problems",
    "GET /v1/phrases": "/v1/phrases",
    "GET /healthz": "/healthz",
    "GET /readyz": "/readyz",
    "GET /openapi.json": "/openapi.json",
    "GET /openapi-3.0.json": "/openapi-3.0.json",
    "GET /openapi/examples/<operation>/<name>": "/openapi/examples/listGames/games",
    "GET /docs": "/docs",
    "GET /play": "/play",
    "GET /.well-known/security.txt": "/.well-known/security.txt",
    "GET /llms.txt": "/llms.txt",
    "GET /docs/search": "/docs/search?q=move",
    "GET /docs/<path:path>": "/docs/rules/{game}/en",
}
"""Operations that know of no table, with a path to ask; they answer the same whatever tables there are."""

NO_VIEWER: Final = {
    "POST /v1/games/<game>/snapshots": "sets up a table, whose whole truth is the answer",
    "POST /v1/games/<game>/chance": "takes the whole truth and tells what a move of it may draw",
    "POST /v1/games/<game>/replays": "takes the whole truth and gives it back; no seat is named",
    "GET /v1/games/<game>/puzzles/<puzzle>": "shows a stored table, as its seat sees it (tests/service/stateless)",
    "POST /v1/games/<game>/puzzles/<puzzle>/answers": "the same",
    "GET /v1/replays/<replay>": "shows a session that is over, as spectators saw it (tests/service/sessions)",
    "GET /v1/replays/<replay>/picture": "the same",
    "GET /v1/replays/<replay>/preview": "the same",
    "GET /play/replay/<replay>": "the same",
    "POST /v1/sessions": "sets up a table and shows nothing of it",
    "POST /v1/sessions:batch": "sets up tables and shows nothing of them",
    "POST /v1/jobs/simulations": "plays tables of its own",
    "POST /v1/jobs/tournaments": "plays tables of its own",
    "POST /v1/fairness:verify": "takes the whole truth of a table that is over, and looks nothing up",
    "GET /v1/jobs/<string(minlength=16):id>/games": "tells of tables that bots have played among themselves",
    "GET /v1/jobs/<string(minlength=16):id>/chart": "tells of tables that bots have played, or that are over",
    "GET /v1/keys/current": "shows a key what it may do and what it has left",
    "GET /v1/jobs/bot-secret": "tells a caller the secret that its own bots' requests are signed with",
    "POST /v1/webhooks": "tells a key of seats whose tokens it has, and of nothing else (tests/service/webhooks)",
    "GET /v1/jobs": "lists jobs without what they found",
    "GET /v1/webhooks": "shows addresses",
    "GET /v1/webhooks/<id>": "shows an address",
    "DELETE /v1/webhooks/<id>": "forgets an address",
    "POST /v1/webhooks/<id>/rotate": "makes a secret",
    "POST /v1/webhooks/<id>/ping": "sends a message without content",
    "GET /v1/webhooks/<id>/deliveries": "shows messages, whose bodies name a session and a seat",
    "POST /v1/webhooks/<id>/deliveries/<delivery>/replay": "sends such a message again",
}
"""Operations without a viewer of hidden information, with the reasons."""

PROBES: dict[str, Probe] = {}


def probe(operation: str) -> Callable[[Probe], Probe]:
    def enter(ask: Probe) -> Probe:
        PROBES[operation] = ask
        return ask

    return enter


# The stateless engine.


def at(world: World, part: str) -> str:
    return f"/v1/games/{world.case.game.slug}/{part}"


@probe("POST /v1/games/<game>/views")
def ask_views(world: World) -> None:
    world.ask("POST", at(world, "views"), {"snapshot": world.snapshot(), "seat": world.seat})
    for seat in (world.seat, None, 0):
        world.ask("POST", at(world, "views"), {"snapshot": world.sealed(), "seat": seat}, **world.key())


@probe("POST /v1/games/<game>/legal-moves")
def ask_legal_moves(world: World) -> None:
    for language in LANGUAGES:
        world.ask("POST", at(world, "legal-moves"), {"snapshot": world.snapshot(), "seat": world.seat}, language)
        sealed = {"snapshot": world.sealed(), "seat": world.seat}
        world.ask("POST", at(world, "legal-moves"), sealed, language, **world.key())


@probe("POST /v1/games/<game>/pictures")
def ask_pictures(world: World) -> None:
    for language, (theme, angle) in zip(TWO, (("light", 0), ("dark", 90)), strict=True):
        path = at(world, f"pictures?theme={theme}&angle={angle}")
        world.ask("POST", path, {"snapshot": world.snapshot(), "seat": world.seat}, language)
        world.ask("POST", path, {"view": world.view()}, language)
        world.ask("POST", path, {"snapshot": world.sealed(), "seat": world.seat}, language, **world.key())


@probe("POST /v1/games/<game>/moves")
def ask_moves(world: World) -> None:
    """Try moves that are refused, and make or check legal ones, as far as the viewer sees the response.

    Moves of a kind are refused in turn: made or only checked, at an open snapshot or at a sealed one. An open snapshot
    contains the truth, and its response does, too; of that, only the viewer's events are compared. Of a sealed one
    everything is compared, except the new token, whose length is.
    """
    paths = (at(world, "moves"), at(world, "moves?validate_only=true"))
    for number, code in enumerate(world.refused):
        snapshot = world.sealed() if number & 2 else world.snapshot()
        body = {"snapshot": snapshot, "seat": world.seat, "move": {"code": code}}
        world.ask("POST", paths[number % 2], body, TWO[code % 2], **(world.key() if number & 2 else {}))
    if world.quiet is None:
        return
    body = {"snapshot": world.snapshot(), "seat": world.seat, "move": {"code": world.quiet}}
    checked: Any = world.quietly("POST", at(world, "moves?validate_only=true"), body).json
    made: Any = world.quietly("POST", at(world, "moves"), body).json
    hearer = "spectators" if world.seat is None else world.seat
    events = [{**event, "hearers": None} for event in made["events"] if hearer in event["hearers"]]
    world.said.append(json.dumps([checked["events"], checked["actors"], events, made["actors"], made.get("outcome")]))
    for path in paths:
        world.ask("POST", path, {**body, "snapshot": world.sealed()}, **world.key())


# Sessions.


@probe("GET /v1/sessions/<id>")
def ask_session(world: World) -> None:
    for language in TWO:
        for query in ("", "?expand=legal_moves"):
            answer = world.ask("GET", f"{world.here}{query}", None, language, **world.mine())
            tag = answer.headers["ETag"]
            world.ask("GET", f"{world.here}{query}", None, language, If_None_Match=tag, **world.mine())
            unmarked = tag.partition("~")[0] + '"'
            world.ask("GET", f"{world.here}{query}", None, language, If_None_Match=unmarked, **world.mine())
    world.ask("HEAD", world.here, **world.mine())


def look_again(world: World) -> None:
    """Request the session after a change, with and without the ETag of this state."""
    path = f"{world.here}?expand=legal_moves"
    tag = world.ask("GET", path, None, TWO[world.version % 2], **world.mine()).headers["ETag"]
    world.ask("GET", path, None, TWO[world.version % 2], If_None_Match=tag, **world.mine())


@probe("GET /v1/sessions")
def ask_for_founded(world: World) -> None:
    """Request it as the owner, by key and by token, without spectators; the response holds only their knowledge."""
    ask_for_open(world)
    if world.seat is not None:
        return
    services = world.app.extensions["context"].sessions
    session, text = world.story.session, f"dorf_{'a' * 12}_{'b' * 43}"
    hashed = hashlib.sha256(text.encode()).hexdigest()
    key = ApiKey(id="a" * 12, name="founder", scopes=(PLAY_SCOPE,), hashed=hashed, made=0, requests_per_minute=0)
    world.redis.hset(ALL, key.id, msgspec.json.encode(key))
    charter = msgspec.structs.replace(session.charter, spectators="none", founder=key.id)
    mine, other = {"Api_Key": text}, {"Authorization": f"Bearer {world.story.tokens[None]}"}
    services.store.client.hset(keys.session(session.id), "charter", msgspec.json.encode(charter))
    index = keys.index_key(session.id, key.id)
    services.store.client.zadd(index, {entry_of(charter.began, session.id): 0})
    for language in TWO:
        world.ask("GET", "/v1/sessions", None, language, **mine)
        for holder in (mine, other):
            tag = world.ask("GET", world.here, None, language, **holder).headers["ETag"]
            world.ask("GET", world.here, None, language, If_None_Match=tag, **holder)
            world.ask("GET", f"{world.here}/presence", **holder)
            world.ask("GET", f"{world.here}/history", **holder)


def ask_for_open(world: World) -> None:
    """Request the list of open sessions as if this one, table and all, had an open seat."""
    session, client = world.story.session, world.app.extensions["context"].sessions_redis
    key, entry = keys.session(session.id), entry_of(coarse(session.charter.began), session.id)
    fields = dict(zip(("charter", "status"), client.hmget(key, "charter", "status"), strict=True))
    listed = msgspec.structs.replace(session.charter, listed=True)
    client.hset(key, mapping={"charter": msgspec.json.encode(listed), "status": WAITING})
    client.zadd(keys.listed_with(session.id), {entry: 0})
    for language in TWO:
        answer: Any = world.ask("GET", "/v1/sessions?open=true", None, language, **world.mine()).json
        assert [each["id"] for each in answer["sessions"]] == [session.id]
    client.hset(key, mapping=fields)
    client.delete(keys.listed_with(session.id))


@probe("GET /v1/sessions/<id>/legal-moves")
def ask_session_moves(world: World) -> None:
    for language in TWO:
        world.ask("GET", f"{world.here}/legal-moves", None, language, **world.mine())


@probe("GET /v1/sessions/<id>/history")
def ask_history(world: World) -> None:
    for language in TWO:
        world.ask("GET", f"{world.here}/history", None, language, **world.mine())
    world.ask("GET", f"{world.here}/history?first={world.version // 2}&limit=3", **world.mine())
    world.ask("GET", f"{world.here}/history", Accept="application/x-ndjson", **world.mine())


def look_at_history(world: World) -> None:
    world.ask("GET", f"{world.here}/history", None, TWO[world.version % 2], **world.mine())


@probe("GET /v1/sessions/<id>/replay")
def ask_replay(world: World) -> None:
    world.ask("GET", f"{world.here}/replay", **world.mine())
    world.ask("GET", f"{world.here}/replay", If_None_Match="*", **world.mine())


@probe("POST /v1/sessions/<id>/branches")
def ask_branches(world: World) -> None:
    """Request branches from the viewer's present and earlier knowledge; they are open to him, to the last card."""
    path, earlier = f"{world.here}/branches", {"version": max(world.version // 2, 1)}
    for body in ({}, earlier, {"version": world.version + 1}):
        world.ask("POST", path, {"kind": "snapshot", "seed": "oak", **body}, **world.mine())
    people = [{"kind": "human"}] * world.case.seats
    for number, body in enumerate(({}, earlier)):
        sent = {"seed": "thorn", "seats": people, **body}
        made: Any = world.quietly("POST", path, sent, **named(20 + number, world)).json
        branch = made["session"]
        world.quietly("DELETE", branch["links"]["session"], Authorization=f"Bearer {branch['owner_token']}")
        told: Any = world.quietly("GET", branch["links"]["replay"], **bearer(branch["seats"][0]["token"])).json
        world.said.append(json.dumps([branch["id"], branch["options"], told]))


@probe("POST /v1/sessions/<id>/moves")
def ask_session_move(world: World) -> None:
    path = f"{world.here}/moves"
    move = {"move": {"code": world.quiet or 0}}
    for version in (f'"{world.version - 1}"', f'"{world.version}.en.view~0"', '"100000"', "", '"no"'):
        world.ask("POST", path, move, If_Match=version, **world.mine())
    tag = f'W/"{world.version}.de.view"'
    for code in world.refused:
        world.ask("POST", path, {"move": {"code": code}}, TWO[code % 2], If_Match=tag, **world.mine())
    if world.quiet is not None:
        for _ in range(2):
            named = {"Idempotency_Key": "a-move", **world.mine()}
            world.ask("POST", f"{path}?expand=legal_moves", move, If_Match=tag, **named)
        world.ask("POST", path, move, If_Match=tag, **world.mine())
        look_again(world)
        look_at_history(world)


@probe("POST /v1/sessions/<id>/moves/check")
def ask_session_check(world: World) -> None:
    path, tag = f"{world.here}/moves/check", f'W/"{world.version}.de.view"'
    world.ask("POST", path, {"move": {"code": 0}}, If_Match=f'"{world.version - 1}"', **world.mine())
    for code in world.refused:
        world.ask("POST", path, {"move": {"code": code}}, TWO[code % 2], If_Match=tag, **world.mine())
    if world.quiet is not None:
        world.ask("POST", path, {"move": {"code": world.quiet}}, If_Match=tag, **world.mine())


@probe("DELETE /v1/sessions/<id>")
def ask_abort(world: World) -> None:
    """Try to end the session, and let its owner end it."""
    world.ask("DELETE", world.here, **world.mine())
    world.ask("DELETE", world.here, Authorization=f"Bearer {world.story.tokens[None]}")


@probe("GET /v1/sessions/<id>/picture")
def ask_session_picture(world: World) -> None:
    for language in TWO:
        world.ask("GET", f"{world.here}/picture?theme=dark", None, language, **world.mine())
        shown: Any = world.ask("GET", world.here, None, language, **world.mine()).json
        world.ask("GET", shown["picture_url"])
    delta = {"A_IM": "gdiff", "Accept_Encoding": "gzip"}
    for version in {max(world.version - 1, 1), max(world.version // 2, 1)}:
        path = f"{world.here}/picture?version={version}"
        tag = world.ask("GET", path, **world.mine()).headers["ETag"]
        world.ask("GET", f"{world.here}/picture", If_None_Match=tag, **delta, **world.mine())
    world.ask("GET", f"{world.here}/picture?version={world.version + 1}", **world.mine())


@probe("GET /v1/sessions/<id>/presence")
def ask_presence(world: World) -> None:
    tag = world.ask("GET", f"{world.here}/presence", **world.mine()).headers["ETag"]
    world.ask("GET", f"{world.here}/presence", If_None_Match=tag, **world.mine())


@probe("GET /v1/sessions/<id>/events")
def ask_events(world: World) -> None:
    """Listen from the first version on, from the middle, and from now, in both formats, as long as there is news."""
    for kind, after in (("text/event-stream", world.version // 2), ("application/x-ndjson", 0)):
        world.listen(f"{world.here}/events?after={after}", world.version - after, Accept=kind)
        world.listen(f"{world.here}/events", 2, Accept=kind)
    for cursor in (f"{world.version + 1}", f"{world.version}~0", f"{max(world.version // 2, 1)}~0"):
        world.ask("GET", f"{world.here}/events?after={cursor}", **world.mine())


OF_SEATS: Final[dict[str, Any]] = {
    "POST claim": {"code": "guess"},
    "POST reclaim": None,
    "POST token": None,
    "POST erase": None,
    "POST device-codes": None,
    "GET devices": None,
    "DELETE devices/<device>": None,
}
"""Operations on seats, by body; the viewer tries each on every seat as if he were its player or its founder."""


def ask_of_seats(world: World, method: str, part: str, body: Any) -> None:
    for seat in range(world.case.seats + 1):
        if seat != world.seat or part not in {"device-codes", "devices"}:  # codes of its own differ in every world
            path = f"{world.here}/seats/{seat}/{part.replace('<device>', '0123456789abcdef')}"
            world.ask(method, path, body, **({} if part == "claim" else world.mine()))


def ask_part(world: World, part: str) -> None:
    world.ask("GET", f"{world.here}/{part}", **world.mine())


for name, content in OF_SEATS.items():
    verb, _, rest = name.partition(" ")
    PROBES[f"{verb} /v1/sessions/<id>/seats/<int:number>/{rest}"] = partial(
        ask_of_seats, method=verb, part=rest, body=content
    )
for rest in ("fairness", "standing-answers"):
    PROBES[f"GET /v1/sessions/<id>/{rest}"] = partial(ask_part, part=rest)


@probe("POST /v1/sessions/<id>/rematch")
def ask_rematch(world: World) -> None:
    """Request a rematch, while the session runs or after its end; chance and secrets of the new one are its own."""
    for _ in range(2):
        world.ask("POST", f"{world.here}/rematch", **world.mine())


@probe("POST /v1/sessions/<id>/seats/<int:number>/assign")
def ask_to_assign(world: World) -> None:
    """Try to give away what is another's, and then the own seat; nothing is left to the viewer of it."""
    for seat in range(world.case.seats + 1):
        if seat != world.seat:
            world.ask("POST", f"{world.here}/seats/{seat}/assign", {"kind": "human"}, **world.mine())
    if world.seat is not None:
        path = f"{world.here}/seats/{world.seat}/assign"
        world.ask("POST", path, {"kind": "open"}, **world.mine())
        world.ask("POST", path, {"kind": "bot", "bot": {"level": "random"}}, **world.mine())
        world.ask("GET", world.here, **world.mine())


@probe("POST /v1/devices")
def ask_to_add_a_device(world: World) -> None:
    """Guess a code, and look at the own seat through the device that the right one adds."""
    world.ask("POST", "/v1/devices", {"code": "0000-0000-0000"})
    if world.seat is not None:
        path = f"{world.here}/seats/{world.seat}/device-codes"
        made: Any = world.quietly("POST", path, **named(40, world)).json
        once = {"Idempotency_Key": named(41, world)["Idempotency_Key"]}
        added: Any = world.quietly("POST", "/v1/devices", {"code": made["code"]}, **once).json
        world.ask("GET", world.here, Authorization=f"Bearer {added['token']}")


@probe("POST /v1/sessions/<id>/resign")
def ask_resign(world: World) -> None:
    """Leave, then give up, and request the rest; the history of a session that is over is the truth."""
    for then in ("bot", "forfeit"):
        world.ask("POST", f"{world.here}/resign", {"then": then}, **world.mine())
        world.ask("GET", world.here, **world.mine())


def others_of(world: World) -> list[int]:
    return [seat for seat in range(world.case.seats) if seat != world.seat]


def some_seats(world: World) -> list[int]:
    """Return two other seats and the viewer's; at a larger table the further ones differ only in their numbers."""
    return [*others_of(world)[:2], *([] if world.seat is None else [world.seat])]


def let_undo(world: World) -> list[int]:
    """Let decisions be taken back at the session; return the seats besides the viewer's."""
    charter = msgspec.structs.replace(world.story.session.charter, undo=UNDO_BY_CONSENT)
    world.redis.hset(keys.session(world.story.session.id), "charter", msgspec.json.encode(charter))
    return others_of(world)


def by_another(world: World, seat: int, part: str, body: Any = None) -> TestResponse:
    """Let another seat send a request; its response is not compared."""
    headers = {"If_Match": "*", **bearer(world.story.tokens[seat])}
    return world.quietly("POST", f"{world.here}{part}", body, **headers)


@probe("POST /v1/sessions/<id>/undo")
def ask_undo(world: World) -> None:
    """Request an undo of the own last decision, illegally and legally, and see it done."""
    others, path = let_undo(world), f"{world.here}/undo"
    tag = f'"{world.version}"'
    for version in ("", '"100000"', tag, tag, "*"):
        world.ask("POST", path, If_Match=version, **world.mine())
    look_again(world)
    for seat in others:
        by_another(world, seat, "/undo/consent")
    look_again(world)
    look_at_history(world)
    ask_session_moves(world)
    ask_presence(world)


def consent_to_each(world: World, part: str, body: Any) -> None:
    """Consent without a request, and to the requests of other seats."""
    others, path = let_undo(world) if part == "/undo" else let_pause(world), f"{world.here}{part}/consent"
    world.ask("POST", path, If_Match="*", **world.mine())
    for asker in others[:2]:
        by_another(world, asker, part, body)
        for seat in others:
            by_another(world, seat, f"{part}/consent")
        for version in (f'"{world.version}"', "*"):
            world.ask("POST", path, If_Match=version, **world.mine())
        look_again(world)
    look_at_history(world)


def refuse_each(world: World, part: str, body: Any) -> None:
    """Refuse without a request, and refuse the requests of other seats."""
    others, path = let_undo(world) if part == "/undo" else let_pause(world), f"{world.here}{part}/refuse"
    world.ask("POST", path, **world.mine())
    for asker in others[:2]:
        by_another(world, asker, part, body)
        world.ask("POST", path, **world.mine())
        look_again(world)
    look_at_history(world)


for part, asked in (("/undo", None), ("/pause", {"duration_ms": HOUR_MS})):
    PROBES[f"POST /v1/sessions/<id>{part}/consent"] = partial(consent_to_each, part=part, body=asked)
    PROBES[f"POST /v1/sessions/<id>{part}/refuse"] = partial(refuse_each, part=part, body=asked)


def let_pause(world: World) -> list[int]:
    """Allow pauses, vacations and votes at the session; return the seats besides the viewer's."""
    absence = Absence(then=THEN_ABORT, after_ms=HOUR_MS, vote_after_ms=0)
    charter = msgspec.structs.replace(
        world.story.session.charter,
        pauses=Pauses(consent=True, days_per_seat=3),
        absence=absence,
        clock=Clock(move_ms=HOUR_MS, policy=RANDOM_POLICY),
    )
    world.redis.hset(keys.session(world.story.session.id), "charter", msgspec.json.encode(charter))
    return others_of(world)


@probe("POST /v1/sessions/<id>/pause")
def ask_pause(world: World) -> None:
    """Request a pause, have it granted, and look at it."""
    others, path = let_pause(world), f"{world.here}/pause"
    for duration in (0, HOUR_MS, 2 * HOUR_MS):
        world.ask("POST", path, {"duration_ms": duration}, **world.mine())
    look_again(world)
    for seat in others:
        by_another(world, seat, "/pause/consent")
    look_again(world)
    look_at_history(world)
    ask_presence(world)


@probe("POST /v1/sessions/<id>/pause/end")
def ask_to_end_pause(world: World) -> None:
    """Try to end a pause that is none, one of another seat, and the own."""
    let_pause(world)
    path = f"{world.here}/pause"
    world.ask("POST", f"{path}/end", **world.mine())
    for asker in some_seats(world)[1:]:
        by_another(world, asker, "/pause", {"duration_ms": HOUR_MS})
        for seat in range(world.case.seats):
            by_another(world, seat, "/pause/consent")
        world.ask("POST", f"{path}/end", **world.mine())
        look_again(world)
        by_another(world, asker, "/pause/end")
    look_at_history(world)


@probe("POST /v1/sessions/<id>/vacation")
def ask_vacation(world: World) -> None:
    """Take a vacation beside the others'."""
    for seat in let_pause(world):
        by_another(world, seat, "/vacation", {"days": 1})
    for days in (2, 2, 1):
        world.ask("POST", f"{world.here}/vacation", {"days": days}, **world.mine())
    look_again(world)
    look_at_history(world)


@probe("POST /v1/sessions/<id>/vacation/end")
def ask_to_end_vacation(world: World) -> None:
    """End a vacation that is none, and the own; the others' go on."""
    others, path = let_pause(world), f"{world.here}/vacation"
    world.ask("POST", f"{path}/end", **world.mine())
    for seat in others:
        by_another(world, seat, "/vacation", {"days": 1})
    world.ask("POST", path, {"days": 1}, **world.mine())
    for _ in range(2):
        world.ask("POST", f"{path}/end", **world.mine())
    look_again(world)


@probe("POST /v1/sessions/<id>/seats/<int:number>/absence")
def ask_to_go_on(world: World) -> None:
    """Vote on seats after others have voted on them, and on a seat that does not exist."""
    others = let_pause(world)
    for absent in (*some_seats(world), world.case.seats):
        for seat in others[:1]:
            by_another(world, seat, f"/seats/{absent}/absence")
        look_again(world)
        world.ask("POST", f"{world.here}/seats/{absent}/absence", **world.mine())
        look_again(world)
    look_at_history(world)


@probe("PUT /v1/sessions/<id>/standing-answers")
def ask_to_leave_answers(world: World) -> None:
    for answers in (list(world.case.game.standing), ["nonsense"]):
        world.ask("PUT", f"{world.here}/standing-answers", {"answers": answers}, **world.mine())
    look_again(world)
    look_at_history(world)


@probe("GET /v1/sessions/<id>/replay-link")
@probe("PUT /v1/sessions/<id>/replay-link")
@probe("DELETE /v1/sessions/<id>/replay-link")
def ask_to_publish(world: World) -> None:
    """Try to publish a session that runs, as the viewer and as the owner."""
    for holder in (world.mine(), bearer(world.story.tokens[None])):
        for method in ("GET", "PUT", "DELETE"):
            world.ask(method, f"{world.here}/replay-link", **holder)


@probe("GET /v1/sessions/<id>/phrases")
@probe("POST /v1/sessions/<id>/phrases")
def ask_phrases(world: World) -> None:
    """Send phrases as the viewer and as the others, and read them."""
    path = f"{world.here}/phrases"
    for seat in range(world.case.seats):
        by_another(world, seat, "/phrases", {"phrase": "one-moment"})
    for phrase in ("hello", "free chat"):
        world.ask("POST", path, {"phrase": phrase}, **world.mine())
    for language in TWO:
        tag = world.ask("GET", path, None, language, **world.mine()).headers["ETag"]
        world.ask("GET", path, None, language, If_None_Match=tag, **world.mine())
    world.listen(f"{world.here}/events?after={world.version}", 1, Accept="application/x-ndjson")
    look_again(world)
    look_at_history(world)


SEAT_MUTES: Final = "/v1/sessions/<id>/seats/<int:number>/mutes"


@probe(f"GET {SEAT_MUTES}")
@probe(f"PUT {SEAT_MUTES}")
def ask_mutes(world: World) -> None:
    """Mute seats for others and for the viewer, as one may not and as one may; the others have muted the viewer."""
    for seat in some_seats(world):
        if seat != world.seat:
            path = f"{world.here}/seats/{seat}/mutes"
            muting = {"seats": [0 if world.seat is None else world.seat]}
            world.quietly("PUT", path, muting, **bearer(world.story.tokens[seat]))
        world.ask("GET", f"{world.here}/seats/{seat}/mutes", **world.mine())
        world.ask("PUT", f"{world.here}/seats/{seat}/mutes", {"seats": [0, 1]}, **world.mine())
    ask_phrases(world)


SEAT_PUSH: Final = "/v1/sessions/<id>/seats/<int:number>/push"


@probe(f"GET {SEAT_PUSH}")
@probe(f"PUT {SEAT_PUSH}")
@probe(f"DELETE {SEAT_PUSH}")
def ask_push(world: World) -> None:
    """Subscribe seats to push messages and unsubscribe them, as one may not and as one may."""
    for seat in some_seats(world):
        path = f"{world.here}/seats/{seat}/push"
        world.ask("GET", path, **world.mine())
        world.ask("PUT", path, SUBSCRIPTION, **world.mine())
        world.ask("GET", path, **world.mine())
        look_again(world)
        world.ask("DELETE", path, **world.mine())
    look_at_history(world)


# Jobs.


@probe("POST /v1/jobs/searches")
def ask_searches(world: World) -> None:
    """Request searches from every source, run them, and read their results."""
    search = {"game": world.case.game.slug, "budget": {"iterations": 40}, "seed": "worlds", "level": "tuned"}
    ask: dict[str, Any] = {**search, "explain": True}
    legal = [] if world.seat is None else world.case.game.legal(world.table, world.seat)
    compared = {"code": legal[-1] if legal else 0}
    bodies: list[dict[str, Any]] = [
        {"view": world.view()},
        {"view": world.view(), "compare": compared},
        {"snapshot": world.snapshot(), "seat": world.seat},
        {"snapshot": world.sealed(), "seat": world.seat},
        {"session": world.story.session.id},
    ]
    jobs = []
    for number, body in enumerate(bodies):
        world.ask("POST", "/v1/jobs/searches?validate_only=true", ask | body, **world.key())
        answer = world.ask("POST", "/v1/jobs/searches", ask | body, **named(number, world), **world.key())
        jobs += [answer.json["id"]] if answer.status_code == 202 and answer.json else []
    world.said.append(do_searches(world.redis))
    for job in jobs:
        for language in TWO:
            world.ask("GET", f"/v1/jobs/{job}", None, language, **world.mine())
    assert bool(jobs) == (world.seat in world.case.game.actors(world.table))


@probe("POST /v1/jobs/searches:batch")
def ask_search_batch(world: World) -> None:
    """Request a search of everything that a batch can contain, also if the viewer has nothing to decide."""
    body = {"game": world.case.game.slug, "budget": {"iterations": 40}, "seed": "worlds"}
    for positions in (positions_of(world), [{"view": world.view(), "snapshot": {}}]):
        batch = {**body, "positions": positions}
        world.ask("POST", "/v1/jobs/searches:batch?validate_only=true", batch, **world.key())
        world.ask("POST", "/v1/jobs/searches:batch", batch, **named(7, world), **world.key())
    world.said.append(do_searches(world.redis))


@probe("POST /v1/jobs/reviews")
def ask_review(world: World) -> None:
    """Request a review of a session that still runs, which is available only after the end."""
    for language in TWO:
        for query in ("", "?validate_only=true"):
            body = {"session": world.story.session.id}
            refused = world.ask("POST", f"/v1/jobs/reviews{query}", body, language, **world.mine())
            assert refused.status_code == 409, refused.text


@probe("GET /v1/jobs/<string(minlength=16):id>/results")
def ask_results(world: World) -> None:
    """Read the results of a batch, before and after the workers ran, and of a search without such a part."""
    body: dict[str, Any] = {"game": world.case.game.slug, "budget": {"iterations": 40}, "seed": "worlds"}
    body["positions"] = positions_of(world)
    made: Any = world.ask("POST", "/v1/jobs/searches:batch", body, **named(8, world)).json
    for _ in range(2):
        for language in TWO:
            world.ask("GET", f"/v1/jobs/{made['id']}/results?follow=false", None, language, **world.mine())
        world.said.append(do_searches(world.redis))
    for job in waiting(world):
        world.ask("GET", f"/v1/jobs/{job}/results", **world.mine())


@probe("GET /v1/jobs/<string(minlength=16):id>/events")
def ask_job_events(world: World) -> None:
    """Listen to a search until it is called off, in both formats."""
    for job in waiting(world):
        world.listen(f"/v1/jobs/{job}/events", 1, Accept="application/x-ndjson")
        world.ask("DELETE", f"/v1/jobs/{job}", **world.mine())
        world.listen(f"/v1/jobs/{job}/events", 3, Accept="text/event-stream")


@probe("GET /v1/jobs/<string(minlength=16):id>")
def ask_job(world: World) -> None:
    for job in waiting(world):
        world.ask("GET", f"/v1/jobs/{job}", **world.mine())


@probe("DELETE /v1/jobs/<string(minlength=16):id>")
def ask_job_off(world: World) -> None:
    for job in waiting(world):
        world.ask("DELETE", f"/v1/jobs/{job}", **world.mine())
        world.ask("GET", f"/v1/jobs/{job}", **world.mine())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def positions_of(world: World) -> list[Any]:
    """Return the sources of a search for the viewer, in every form."""
    snapshots = [] if world.seat is None else [world.snapshot(), world.sealed()]
    seated = [{"id": "mine", "snapshot": snapshot, "seat": world.seat} for snapshot in snapshots]
    return [{"view": world.view()}, *seated]


def named(number: int, world: World) -> dict[str, str]:
    """Return the headers of a request of the viewer's that has a name, and so the same id in every world."""
    return {"Idempotency_Key": str(UUID(int=number, version=4)), **world.mine()}


def waiting(world: World) -> Iterator[str]:
    body = {"game": world.case.game.slug, "budget": {"iterations": 40}, "seed": "worlds"}
    seated = {"snapshot": world.snapshot(), "seat": world.seat}
    answer: Any = world.ask("POST", "/v1/jobs/searches", body | seated, **named(9, world)).json
    if "id" in answer:
        yield answer["id"]


# The comparison.


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    contacts = ("mailto:security@example.org",)
    settings = Settings(
        redis_url=redis_server,
        log_level="critical",
        security_contacts=contacts,
        vapid_private_key=VAPID_KEY,
        vapid_subject=contacts[0],
    )
    return create_app(settings)


def operations(app: Flask) -> set[str]:
    return {
        f"{method} {rule.rule}"
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def test_every_operation_is_asked_in_two_worlds_or_has_nothing_to_hide(app: Flask) -> None:
    assert operations(app) == PROBES.keys() | NO_TABLE.keys() | NO_VIEWER.keys()


def quiet_move(story: Story, other: Story, viewer: int) -> int | None:
    """Return a move of the viewer's that asks for no chance, and opens nothing, in either world."""
    if viewer == SPECTATOR:
        return None
    game, tables = story.case.game, (story.course.last, other.course.last)
    for code in game.legal(tables[0], viewer):
        here, there = (game.step(table, viewer, code, FastDice(1)) for table in tables)
        alike = events_for(here, viewer) == events_for(there, viewer)
        alike = alike and view_bytes(game, here.table, viewer) == view_bytes(game, there.table, viewer)
        if alike and not (here.outcomes or there.outcomes):
            return code
    return None


def worlds(app: Flask, client: redis.Redis, story: Story, viewer: int) -> tuple[World, World]:
    """Return the true world, and another that looks the same to a viewer from its first move on."""
    other = story.as_if(viewer, another(story.case, story.course, viewer))
    quiet = quiet_move(story, other, viewer)
    return World(app, client, story, viewer, quiet), World(app, client, other, viewer, quiet)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case is QUICKEST else pytest.mark.thorough) for case in TABLES],
    ids=str,
)
def test_two_worlds_answer_alike_on_every_endpoint(
    app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    with frozen(app, monkeypatch) as house:
        stories = [story for hidden in (False, True) if (story := play_story(app, house, case, hidden=hidden))]
        assert stories
        for viewer in case.viewers:
            fitting = [story for story in stories if hides(case, story.course.last, viewer)]
            # Each viewer has one story, in turn.
            story = fitting[viewer % len(fitting)] if fitting else find_story(app, house, case, viewer)
            compare(app, redis_client, story, viewer, requests_of(viewer, case))


def requests_of(viewer: int, case: Case) -> list[Probe]:
    """Return a viewer's requests: at a larger table every third operation, in turn."""
    probes = list(dict.fromkeys(PROBES.values()))
    return probes if is_smallest(case) else probes[viewer % 3 :: 3]


def compare(app: Flask, client: redis.Redis, story: Story, viewer: int, asked: Iterable[Probe]) -> list[Any]:
    """Send the requests in both worlds, compare the results, and return them."""
    one, other = (watched(world, asked) for world in worlds(app, client, story, viewer))
    for here, there in zip(one, other, strict=True):
        assert here == there, viewer
    return one


def ask_all(world: World) -> None:
    for path in NO_TABLE.values():
        world.ask("GET", path.format(game=world.case.game.slug))


@pytest.mark.parametrize("case", smallest_first(TABLES), ids=str)
def test_operations_without_a_table_answer_the_same(
    app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    with frozen(app, monkeypatch) as house:
        story = find_story(app, house, case, 0)
        answers = compare(app, redis_client, story, 0, [ask_all])
    assert {answer[3] for answer in answers[: len(NO_TABLE)]} == {200}
