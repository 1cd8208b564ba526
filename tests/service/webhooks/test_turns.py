"""A key gets a message when a seat has to decide whose token it was given, and nothing else of the session."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from redis import Redis

from service.auth.api_keys import KeyStore
from service.http.context import AppContext
from service.sessions.turns import notifications
from service.store import keys
from service.store.hooks import HookStore
from service.store.session_store import SessionStore
from workers.sessions import timers


class Back:
    """A back end with a key and a webhook."""

    def __init__(self, client: FlaskClient, *events: str) -> None:
        self.house: AppContext = client.application.extensions["context"]
        key, text = KeyStore(self.house.redis).add("back", ["play", "webhooks"])
        self.id, self.headers = key.id, {"Api-Key": text}
        body = {"url": "https://hooks.example/", "events": [*events] or ["seat.asked"]}
        made: Any = client.post("/v1/webhooks", json=body, headers=self.headers).json
        self.hook = made["id"]

    def heard(self) -> list[dict[str, Any]]:
        """Let the clock run, and return the messages of the webhook, the oldest first."""
        timers.run_due_timers(self.house.sessions, lambda *_: None)
        store: HookStore = self.house.sessions.hooks
        return [msgspec.json.decode(message.body) for message in reversed(store.log(self.hook))]


def begin(client: FlaskClient, *kinds: str, clock: Any = None, **headers: Any) -> Any:
    body: dict[str, Any] = {"game": "pebbles", "seats": [{"kind": kind} for kind in kinds]}
    body |= {"undo": "consent"} if clock is None else {"undo": "consent", "clock": clock}
    answer = client.post("/v1/sessions", json=body, headers=headers)
    assert answer.status_code == 201
    return answer.json


def move(client: FlaskClient, made: Any, seat: int, token: str | None = None) -> None:
    own = {"Authorization": f"Bearer {token or made['seats'][seat]['token']}"}
    here = made["links"]["session"]
    view: Any = client.get(f"{here}?expand=legal_moves", headers=own).json
    body = {"move": view["legal_moves"]["moves"][0]["move"]}
    sent = {**own, "If-Match": f'"{view["version"]}"'}
    assert client.post(f"{here}/moves", json=body, headers=sent).status_code == 201


def test_a_key_hears_of_its_seats_from_the_beginning_on_and_after_each_move(client: FlaskClient) -> None:
    back = Back(client)
    made = begin(client, "human", "human", **back.headers)
    first = back.heard()
    asked = client.get(made["links"]["session"], headers={"Authorization": f"Bearer {made['seats'][0]['token']}"}).json
    assert asked is not None
    assert sorted(told["data"]["seat"] for told in first) == asked["actors"]
    for told in first:
        assert told["type"] == "seat.asked"
        assert set(told) == {"type", "timestamp", "data"}
        assert told["data"] == {"session": made["id"], "seat": told["data"]["seat"], "url": made["links"]["session"]}
    assert back.heard() == first, "however often one looks"
    move(client, made, asked["actors"][0])
    for seat in set(asked["actors"][1:]):
        move(client, made, seat)
    assert len(back.heard()) > len(first)


def test_a_session_without_a_key_calls_nobody(client: FlaskClient) -> None:
    back = Back(client)
    begin(client, "human", "human")
    begin(client, "human", "bot")
    assert back.heard() == []


def test_the_claimer_of_a_seat_is_notified_and_the_owner_is_not(client: FlaskClient) -> None:
    founder, guest = Back(client), Back(client)
    made = begin(client, "open", "open", **founder.headers)
    tokens = []
    for number, headers in enumerate((guest.headers, {})):
        code = {"code": made["seats"][number]["invite"]}
        claimed: Any = client.post(f"{made['links']['session']}/seats/{number}/claim", json=code, headers=headers).json
        tokens.append(claimed["token"])
    heard = guest.heard()
    asked: Any = client.get(made["links"]["session"], headers={"Authorization": f"Bearer {tokens[0]}"}).json
    assert [told["data"]["seat"] for told in heard] == ([0] if 0 in asked["actors"] else [])
    assert asked["actors"] == [0, 1]
    assert founder.heard() == []


def test_bots_and_the_seats_of_others_are_no_news(client: FlaskClient) -> None:
    back = Back(client)
    made = begin(client, "human", "bot", **back.headers)
    assert [told["data"]["seat"] for told in back.heard()] == [0]
    store: SessionStore = back.house.sessions.store
    session = store.load(made["id"])
    assert session is not None
    assert [seat.key for seat in session.seats] == [back.id, None]
    assert back.id.encode() not in msgspec.json.encode([line for _, line in store.log_entries(made["id"])])


def test_a_seat_that_a_bot_plays_in_its_persons_stead_calls_nobody(client: FlaskClient) -> None:
    back = Back(client)
    made = begin(client, "human", "human", **back.headers)
    session = back.house.sessions.store.load(made["id"])
    assert session is not None
    assert [call.split("/")[1] for call in notifications(session, [0, 1])] == ["0", "1"]
    away = msgspec.structs.replace(session.seats[0], level="random")
    assert [
        call.split("/")[1]
        for call in notifications(msgspec.structs.replace(session, seats=(away, session.seats[1])), [0, 1])
    ] == ["1"]


def test_a_dying_clock_tells_once(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    back = Back(client)
    begin(client, "human", "human", **back.headers)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr("service.store.due.DueSets.forget", die)
        with pytest.raises(KeyboardInterrupt):
            back.heard()
    told = back.heard()
    assert len({str(one["data"]) for one in told}) == len(told)


def test_the_end_is_told_with_the_outcome_to_founder_and_seats(client: FlaskClient) -> None:
    founder, guest = Back(client, "session.ended"), Back(client, "session.ended")
    made = begin(client, "human", "open", **founder.headers)
    code = {"code": made["seats"][1]["invite"]}
    client.post(f"{made['links']['session']}/seats/1/claim", json=code, headers=guest.headers)
    assert founder.heard() == guest.heard() == []
    own = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    assert client.post(f"{made['links']['session']}/resign", json={"then": "forfeit"}, headers=own).status_code == 200
    told = {"session": made["id"], "url": made["links"]["session"], "status": "forfeited"}
    for back in (founder, guest):
        (message,) = back.heard()
        assert message["data"] == {**told, "outcome": {"rewards": [0.0, 1.0]}}


def test_an_end_without_a_result_has_no_outcome(client: FlaskClient) -> None:
    back = Back(client, "session.ended")
    made = begin(client, "open", "open", **back.headers)
    client.delete(made["links"]["session"], headers={"Authorization": f"Bearer {made['owner_token']}"})
    (message,) = back.heard()
    assert (message["type"], message["data"]["status"]) == ("session.ended", "aborted")
    assert "outcome" not in message["data"]


def test_the_founder_hears_that_a_seat_was_claimed(client: FlaskClient) -> None:
    founder, guest = Back(client, "seat.claimed"), Back(client, "seat.claimed")
    made = begin(client, "open", "open", **founder.headers)
    code = {"code": made["seats"][1]["invite"]}
    client.post(f"{made['links']['session']}/seats/1/claim", json=code, headers=guest.headers)
    (message,) = founder.heard()
    assert message["data"] == {"session": made["id"], "seat": 1, "url": made["links"]["session"]}
    assert guest.heard() == []


def test_equal_events_of_two_sessions_and_seats_are_messages_of_their_own(client: FlaskClient) -> None:
    founder, guest = Back(client, "seat.claimed", "session.ended"), Back(client, "deadline.near")
    clock = {"move_ms": 100_000, "policy": "random"}
    made = [begin(client, "open", "open", clock=clock, **founder.headers) for _ in range(2)]
    for each in made:
        for number, seat in enumerate(each["seats"]):
            code, here = {"code": seat["invite"]}, f"{each['links']['session']}/seats/{number}/claim"
            assert client.post(here, json=code, headers=guest.headers).status_code == 201
    services = founder.house.sessions
    timers.run_due_timers(replace(services, now=lambda: services.now() + 76_000), lambda *_: None)
    for each in made:
        own = {"Authorization": f"Bearer {each['owner_token']}"}
        assert client.delete(each["links"]["session"], headers=own).status_code < 300

    def heard(back: Back) -> list[tuple[str, str, int]]:
        return sorted((told["type"], told["data"]["session"], told["data"].get("seat", 0)) for told in back.heard())

    def expected(*kinds: tuple[str, int]) -> list[tuple[str, str, int]]:
        return sorted((kind, each["id"], seat) for kind, seat in kinds for each in made)

    for _ in range(2):
        assert heard(founder) == expected(("seat.claimed", 0), ("seat.claimed", 1), ("session.ended", 0))
        assert heard(guest) == expected(("deadline.near", 0), ("deadline.near", 1))


@pytest.mark.parametrize("asks", [False, True], ids=["", "though another asks for an undo meanwhile"])
def test_a_near_deadline_is_announced_once_to_undecided_seats(client: FlaskClient, *, asks: bool) -> None:
    back = Back(client, "deadline.near")
    made = begin(client, "human", "human", clock={"move_ms": 100_000, "policy": "random"}, **back.headers)
    assert back.heard() == []
    move(client, made, 0)
    if asks:
        sent = {"Authorization": f"Bearer {made['seats'][0]['token']}", "If-Match": "*"}
        assert client.post(f"{made['links']['session']}/undo", headers=sent).status_code == 200
    services = back.house.sessions
    later = replace(services, now=lambda: services.now() + 76_000)
    timers.run_due_timers(later, lambda *_: None)
    (message,) = back.heard()
    shown: Any = client.get(
        made["links"]["session"], headers={"Authorization": f"Bearer {made['seats'][1]['token']}"}
    ).json
    (deadline,) = {each["at"] for each in shown["deadlines"]}
    told = {"session": made["id"], "seat": 1, "url": made["links"]["session"]}
    assert message["data"] == {**told, "deadline": deadline}


def test_nothing_warns_in_a_session_that_is_gone(client: FlaskClient, redis_client: Redis) -> None:
    back = Back(client, "deadline.near")
    made = begin(client, "human", "human", clock={"move_ms": 100_000, "policy": "random"}, **back.headers)
    redis_client.delete(keys.session(made["id"]))
    services = back.house.sessions
    assert timers.run_due_timers(replace(services, now=lambda: services.now() + 76_000), lambda *_: None)
    assert back.heard() == []


def test_nothing_warns_of_deadlines_of_less_than_a_minute(client: FlaskClient) -> None:
    back = Back(client, "deadline.near")
    begin(client, "human", "human", clock={"move_ms": 59_999, "policy": "random"}, **back.headers)
    services = back.house.sessions
    timers.run_due_timers(replace(services, now=lambda: services.now() + 59_000), lambda *_: None)
    assert back.heard() == []
