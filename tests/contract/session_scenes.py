"""The scenes of sessions that are recorded as examples of the contract."""

from typing import Any

from service.http.context import AppContext
from service.store import keys
from tests.contract.recorder import Recorder

SESSIONS = "/v1/sessions"
KEY = "4b3c0a4e-6f0d-4a57-9d3e-0c1f2b7a9e11"


def sessions(recorder: Recorder) -> None:
    """Create sessions, look, move, repeat, read the history, and end one."""
    seats = [{"kind": "human", "name": "Aine"}, {"kind": "bot", "bot": {"level": "medium"}}]
    body = {"game": "hoher-rat", "seats": seats, "spectators": "none"}
    recorder.post("against-a-bot", SESSIONS, body, Idempotency_Key=KEY)
    recorder.post("three-seats", SESSIONS, {**body, "seats": [*seats, {"kind": "bot"}]}, Accept_Language="de")
    wizards = {"game": "barbarossa", "seats": [*seats, {"kind": "bot"}]}
    recorder.post("bots-leave-time-to-curse", SESSIONS, wizards)
    recorder.post("bots-take-their-time", SESSIONS, {**body, "bot_ms": 4_000})
    people = [{"kind": "human", "name": "Aine"}, {"kind": "human", "name": "Tom"}]
    practice = {**body, "seats": people, "seed": "stonehenge", "spectators": "live"}
    clock = {"move_ms": 15_000, "bank_ms": 600_000, "increment_ms": 5_000, "policy": "forfeit"}
    recorder.post("with-reserve-clocks", SESSIONS, {**body, "seats": people, "clock": clock})
    opened: Any = (
        recorder.app.test_client().post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "seed": "oak"}).json
    )
    recorder.post("from-a-snapshot", SESSIONS, {**body, "seats": people, "snapshot": opened["snapshot"]})
    made: Any = recorder.post("practice", SESSIONS, practice).json
    here, owner = made["links"]["session"], f"Bearer {made['owner_token']}"
    bearers = [f"Bearer {seat['token']}" for seat in made["seats"]]
    seen: Any = recorder.get("spectator", here, Accept_Language="it").json
    mover = seen["actors"][0]
    own, other = bearers[mover], bearers[1 - mover]
    seen = recorder.get("own-view", here, Authorization=own)
    tag = seen.headers["ETag"]
    recorder.get("unchanged", here, Authorization=own, If_None_Match=tag)
    recorder.get("with-moves", f"{here}?expand=legal_moves", Authorization=own, Accept_Language="de")
    recorder.get("bad-token", here, Authorization="Bearer nobody")
    recorder.get("unknown", f"{SESSIONS}/{'0' * 32}", Authorization=own)
    listed: Any = recorder.get("first-turn", f"{here}/legal-moves", Authorization=own).json
    recorder.get("no-token", f"{here}/legal-moves")
    move, moves = {"move": listed["moves"][0]["move"]}, f"{here}/moves"
    recorder.post("no-version", moves, move, Authorization=own)
    recorder.post("not-your-turn", moves, move, Authorization=other, If_Match='"1"')
    convince = {"kind": "convince", "source": 1, "target": 2, "argument": "white", "colour": "white"}
    recorder.post("illegal", moves, {"move": convince}, Authorization=own, If_Match=tag, Accept_Language="de")
    recorder.post("legal", f"{moves}/check", move, Authorization=own, If_Match=tag)
    recorder.post("first-move", moves, move, Authorization=own, If_Match=tag, Idempotency_Key="first-move")
    recorder.post("outdated", moves, move, Authorization=own, If_Match=tag, Accept_Language="it")
    recorder.get("running", f"{here}/history", Authorization=other)
    branches = f"{here}/branches"
    recorder.post("against-a-bot", branches, {"version": 1}, Authorization=own)
    recorder.post("snapshot", branches, {"kind": "snapshot", "seed": "menhir"}, Authorization=own)
    recorder.post("not-there-yet", branches, {"version": 99}, Authorization=own, Accept_Language="de")
    recorder.get("before-the-end", f"{here}/replay", Authorization=other, Accept_Language="de")
    recorder.call("by-a-seat", "DELETE", here, None, {"Authorization": own})
    recorder.call("by-the-owner", "DELETE", here, None, {"Authorization": owner})
    recorder.get("after-the-end", f"{here}/history", Authorization=other)
    recorder.get("one-line", f"{here}/history?first=0&limit=1", Authorization=other, Accept_Language="it")
    recorder.lines("line", f"{here}/history", Authorization=other, Accept="application/x-ndjson")
    record: Any = recorder.get("after-the-end", f"{here}/replay", Authorization=other).json
    recorder.post("of-a-session", "/v1/games/hoher-rat/replays", record)
    recorder.post("too-late", moves, move, Authorization=own, If_Match='"3.en.view"')


def unreadable(recorder: Recorder) -> None:
    """Look at a session whose stored table is broken."""
    body = {"game": "hoher-rat", "seats": [{"kind": "open"}, {"kind": "open"}], "spectators": "live"}
    made = recorder.app.test_client().post(SESSIONS, json=body).json
    assert made is not None
    house = recorder.app.extensions["context"]
    assert isinstance(house, AppContext)
    house.sessions.store.client.hset(keys.session(made["id"]), "record", b"{}")
    recorder.get("unreadable", made["links"]["session"], Accept_Language="de")


def batches(recorder: Recorder) -> None:
    seats = [{"kind": "human", "name": "Aine"}, {"kind": "open"}]
    members = [{"game": "hoher-rat", "seats": seats}, {"game": "gartenzwerge", "seats": [{"kind": "open"}] * 2}]
    recorder.post("two-games", f"{SESSIONS}:batch", {"sessions": members}, Idempotency_Key=KEY)
    wrong = [*members, {"game": "hoher-rat", "seats": [{"kind": "open"}] * 3}]
    recorder.post("one-is-wrong", f"{SESSIONS}:batch", {"sessions": wrong}, Accept_Language="it")
