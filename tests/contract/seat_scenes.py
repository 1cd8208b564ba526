"""The scenes of seats and clocks that are recorded as examples of the contract."""

import time
from typing import Any
from uuid import UUID

from service.http.context import AppContext
from service.store.phrases import MAX_WINDOW_PHRASES
from tests.contract.recorder import Recorder
from tests.service.webhooks.browser import Browser
from workers.sessions import timers

SESSIONS = "/v1/sessions"
MOVE_MS = 1_000


def seats(recorder: Recorder) -> None:
    named = {"kind": "human", "name": "Aine"}
    bot = {"bot": {"level": "random"}}
    clock = {"move_ms": MOVE_MS, "policy": "bot", **bot}
    body = {"game": "hoher-rat", "seats": [named, {"kind": "open"}], "spectators": "live", "clock": clock}
    made: Any = recorder.post("with-an-open-seat-and-a-clock", SESSIONS, body).json
    here, own = made["links"]["session"], f"Bearer {made['seats'][0]['token']}"
    move = {"move": {"kind": "end_turn"}}
    recorder.get("waiting", here, Authorization=own)
    owner = f"Bearer {made['owner_token']}"
    assigned = {"kind": "human", "name": "Orla"}
    given: Any = recorder.post("to-another-person", f"{here}/seats/0/assign", assigned, Authorization=owner).json
    own = f"Bearer {given['token']}"
    recorder.post("before-all-are-there", f"{here}/moves", move, Authorization=own, If_Match='"1"')
    recorder.post("too-early", f"{here}/resign", None, Authorization=own, Accept_Language="it")
    claim = f"{here}/seats/1/claim"
    recorder.post("wrong-code", claim, {"code": "a guess"}, Accept_Language="de")
    invited = {"code": made["seats"][1]["invite"], "name": "Tom"}
    claimed: Any = recorder.post("taken", claim, invited, Idempotency_Key=str(UUID(int=1, version=4))).json
    recorder.post("somebody-was-faster", claim, invited)
    tokens = [own, f"Bearer {claimed['token']}"]
    mover = recorder.get("with-deadlines", here, Authorization=own).json["actors"][0]  # type: ignore[index]
    devices(recorder, f"{here}/seats/0", own)
    recorder.get("none", f"{here}/standing-answers", Authorization=own)
    answers = f"{here}/standing-answers"
    recorder.call("none", "PUT", answers, {"answers": []}, {"Authorization": own})
    recorder.call("unknown", "PUT", answers, {"answers": ["pass"]}, {"Authorization": own, "Accept-Language": "de"})
    time.sleep(MOVE_MS / 1000)
    house = recorder.app.extensions["context"]
    assert isinstance(house, AppContext)
    timers.run_due_timers(house.sessions, lambda *_: None)
    recorder.get("a-bot-plays", here, Accept_Language="de")
    recorder.post("after-a-while", f"{here}/seats/{mover}/reclaim", None, Authorization=tokens[mover])
    recorder.post("anothers-seat", f"{here}/seats/{mover}/reclaim", None, Authorization=tokens[1 - mover])
    recorder.post("with-a-move-made", f"{here}/seats/1/assign", {"kind": "open"}, Authorization=owner)
    lost = recorder.post("lost-phone", f"{here}/seats/1/token", None, Authorization=owner, Idempotency_Key="lost-phone")
    recorder.post("by-a-seat", f"{here}/seats/1/token", None, Authorization=own)
    tokens[1] = f"Bearer {lost.json['token']}"  # type: ignore[index]
    recorder.get("a-seat-was-away", f"{here}/history", Authorization=own, Accept_Language="it")
    leaving = {"then": "bot", "bot": {"level": "random"}}
    recorder.post("to-a-bot", f"{here}/resign", leaving, Authorization=own, Idempotency_Key="goodbye")
    recorder.post("back-again", f"{here}/seats/0/reclaim", None, Authorization=own)
    surrender = {"then": "forfeit"}
    recorder.post("given-up", f"{here}/resign", surrender, Authorization=own, Idempotency_Key="enough")
    recorder.get("forfeited", here)
    recorder.post("by-a-seat", f"{here}/seats/1/erase", None, Authorization=own, Accept_Language="de")
    recorder.call("of-a-person", "POST", f"{here}/seats/1/erase", None, {"Authorization": owner})
    replay(recorder, here, owner)
    begun: Any = recorder.post("again", f"{here}/rematch", None, Authorization=own, Idempotency_Key="again").json
    recorder.post("not-over", f"{begun['links']['session']}/rematch", None, Authorization=own, Accept_Language="it")


def devices(recorder: Recorder, seat: str, own: str) -> None:
    """Open a seat on another device by a code, look at both, and remove one."""
    code: Any = recorder.post("of-a-seat", f"{seat}/device-codes", None, Authorization=own).json
    added: Any = recorder.post("by-code", "/v1/devices", {"code": code["code"]}).json
    recorder.post("used-before", "/v1/devices", {"code": code["code"]}, Accept_Language="de")
    recorder.get("two", f"{seat}/devices", Authorization=own)
    recorder.call("lost", "DELETE", f"{seat}/devices/{added['device']}", None, {"Authorization": own})
    recorder.call("gone", "DELETE", f"{seat}/devices/{added['device']}", None, {"Authorization": own})


def replay(recorder: Recorder, here: str, owner: str) -> None:
    """Publish a session that is over, look at it, and withdraw it."""
    link: Any = recorder.call("published", "PUT", f"{here}/replay-link", None, {"Authorization": owner}).json
    recorder.get("published", f"{here}/replay-link", Authorization=owner)
    recorder.get("published", link["url"])
    recorder.get("last", f"{link['url']}/picture")
    recorder.get("unchanged", f"{link['url']}/preview", If_None_Match="*")
    recorder.call("withdrawn", "DELETE", f"{here}/replay-link", None, {"Authorization": owner})
    recorder.get("withdrawn", link["url"], Accept_Language="de")


def open_seats(recorder: Recorder) -> None:
    seats = [{"kind": "human", "name": "Aine"}, {"kind": "open"}]
    clock = {"move_ms": 60_000, "policy": "bot"}
    body = {"game": "hoher-rat", "seats": seats, "listed": True, "language": "de", "clock": clock}
    made: Any = recorder.post("listed", SESSIONS, body).json
    recorder.get("open", f"{SESSIONS}?open=true&game=hoher-rat&language=de")
    path, named = f"{made['links']['session']}/seats/1/claim", {"Idempotency_Key": str(UUID(int=2, version=4))}
    recorder.post("without-a-code", path, {"name": "Tom"}, **named)


def push(recorder: Recorder) -> None:
    """Subscribe a seat to push messages, look, and unsubscribe; a bot's address is no push service."""
    people = [{"kind": "human", "name": "Aine"}, {"kind": "human", "name": "Tom"}]
    made: Any = recorder.app.test_client().post(SESSIONS, json={"game": "hoher-rat", "seats": people}).json
    path = f"{made['links']['session']}/seats/0/push"
    own = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    recorder.get("key", path, **own)
    body = Browser().subscription
    recorder.call("subscribed", "PUT", path, body, own)
    inside = {**own, "Accept-Language": "de"}
    recorder.call("private-address", "PUT", path, {**body, "endpoint": "https://10.0.0.1/"}, inside)
    recorder.call("unsubscribed", "DELETE", path, None, own)


def phrases(recorder: Recorder) -> None:
    """Send phrases, read them in another language, and mute a seat."""
    people = [{"kind": "human", "name": "Aine"}, {"kind": "human", "name": "Tom"}]
    made: Any = recorder.app.test_client().post(SESSIONS, json={"game": "hoher-rat", "seats": people}).json
    here = made["links"]["session"]
    own, other = ({"Authorization": f"Bearer {seat['token']}"} for seat in made["seats"])
    recorder.post("hello", f"{here}/phrases", {"phrase": "hello"}, **own)
    recorder.post("not-in-the-list", f"{here}/phrases", {"phrase": "free chat"}, **own)
    recorder.get("one", f"{here}/phrases", Accept_Language="it", **other)
    recorder.call("one", "PUT", f"{here}/seats/1/mutes", {"seats": [0]}, other)
    recorder.get("one", f"{here}/seats/1/mutes", **other)
    for _ in range(MAX_WINDOW_PHRASES - 1):
        recorder.app.test_client().post(f"{here}/phrases", json={"phrase": "hurry-up"}, headers=own)
    recorder.post("too-often", f"{here}/phrases", {"phrase": "hurry-up"}, Accept_Language="de", **own)


def undo(recorder: Recorder) -> None:
    """Take a decision back by consent, refuse another, and request an impossible one."""
    people = [{"kind": "human", "name": "Aine"}, {"kind": "human", "name": "Tom"}]
    body = {"game": "hoher-rat", "seats": people, "seed": "stonehenge"}
    plain: Any = recorder.app.test_client().post(SESSIONS, json=body).json
    token = f"Bearer {plain['seats'][0]['token']}"
    recorder.post("not-wished-for", f"{plain['links']['session']}/undo", None, Authorization=token, If_Match="*")
    made: Any = recorder.post("with-undo", SESSIONS, {**body, "undo": "consent"}).json
    here = made["links"]["session"]
    tokens = [f"Bearer {seat['token']}" for seat in made["seats"]]
    path, any_version = f"{here}/undo", {"If_Match": "*"}
    (seat,) = recorder.app.test_client().get(here, headers={"Authorization": tokens[0]}).json["actors"]  # type: ignore[index]
    own, other = tokens[seat], tokens[1 - seat]
    recorder.post("no-decision-yet", path, None, Authorization=own, Accept_Language="de", **any_version)
    for number in (1, 2):
        move(recorder, here, own)
        asked = recorder.post("asked" if number == 1 else "again", path, None, Authorization=own, **any_version)
        if number == 1:
            recorder.post("pending", path, None, Authorization=other, Accept_Language="it", **any_version)
            recorder.post("no-version", f"{path}/consent", None, Authorization=other)
            answer = f"{path}/consent"
            recorder.post("last-consent", answer, None, Authorization=other, Idempotency_Key="yes", **any_version)
            recorder.post("outdated", answer, None, Authorization=other, If_Match=asked.headers["ETag"])
            recorder.post("nobody-asks", answer, None, Authorization=other, Accept_Language="de", **any_version)
    recorder.post("refused", f"{path}/refuse", None, Authorization=other, Accept_Language="it")
    recorder.post("nobody-asks", f"{path}/refuse", None, Authorization=own)
    recorder.post("refused-before", path, None, Authorization=own, **any_version)
    recorder.get("with-an-undone-move", f"{here}/history", Authorization=own, Accept_Language="de")


def pauses(recorder: Recorder) -> None:
    """Pause by consent, take vacations, and vote on an absent player."""
    people = [{"kind": "human", "name": "Aine"}, {"kind": "human", "name": "Tom"}]
    body = {"game": "hoher-rat", "seats": people, "seed": "stonehenge"}
    plain: Any = recorder.app.test_client().post(SESSIONS, json=body).json
    here, token = plain["links"]["session"], f"Bearer {plain['seats'][0]['token']}"
    hour = {"duration_ms": 3_600_000}
    recorder.post("not-wished-for", f"{here}/pause", hour, Authorization=token, Accept_Language="de")
    recorder.post("not-wished-for", f"{here}/vacation", {"days": 1}, Authorization=token)
    recorder.post("not-wished-for", f"{here}/seats/1/absence", None, Authorization=token, Accept_Language="it")
    terms = {
        "pauses": {"consent": True, "days_per_seat": 3},
        "absence": {"then": "bot", "bot": {"level": "random"}, "after_ms": 604_800_000, "vote_after_ms": MOVE_MS},
        "clock": {"move_ms": 86_400_000, "policy": "random"},
    }
    made: Any = recorder.post("with-pauses", SESSIONS, {**body, **terms}).json
    here = made["links"]["session"]
    tokens = [f"Bearer {seat['token']}" for seat in made["seats"]]
    path, trip, any_version = f"{here}/pause", f"{here}/vacation", {"If_Match": "*"}
    recorder.post("nobody-asks", f"{path}/consent", None, Authorization=tokens[1], Accept_Language="de", **any_version)
    recorder.post("nobody-asks", f"{path}/refuse", None, Authorization=tokens[1], Accept_Language="it")
    recorder.post("not-paused", f"{path}/end", None, Authorization=tokens[0])
    recorder.post("asked", path, hour, Authorization=tokens[0], Idempotency_Key="pause")
    recorder.post("pending", path, hour, Authorization=tokens[1], Accept_Language="it")
    recorder.post("refused", f"{path}/refuse", None, Authorization=tokens[1])
    recorder.post("again", path, hour, Authorization=tokens[0])
    recorder.post("no-version", f"{path}/consent", None, Authorization=tokens[1])
    recorder.post("last-consent", f"{path}/consent", None, Authorization=tokens[1], **any_version)
    recorder.get("paused", here, Authorization=tokens[1], Accept_Language="de")
    recorder.post("back-early", f"{path}/end", None, Authorization=tokens[0])
    recorder.post("two-days", trip, {"days": 2}, Authorization=tokens[0])
    recorder.post("too-many-days", trip, {"days": 2}, Authorization=tokens[0], Accept_Language="de")
    recorder.post("back-early", f"{trip}/end", None, Authorization=tokens[0])
    recorder.post("not-away", f"{trip}/end", None, Authorization=tokens[0])
    (absent,) = recorder.app.test_client().get(here, headers={"Authorization": tokens[0]}).json["actors"]  # type: ignore[index]
    voter = tokens[1 - absent]
    recorder.post("to-act", f"{here}/seats/{1 - absent}/absence", None, Authorization=tokens[absent])
    time.sleep(MOVE_MS / 1000)
    recorder.post("last-vote", f"{here}/seats/{absent}/absence", None, Authorization=voter)


def move(recorder: Recorder, here: str, token: str) -> None:
    client, headers = recorder.app.test_client(), {"Authorization": token, "If-Match": "*"}
    listed: Any = client.get(f"{here}/legal-moves", headers=headers).json
    made = client.post(f"{here}/moves", json={"move": listed["moves"][0]["move"]}, headers=headers)
    assert made.status_code == 201
