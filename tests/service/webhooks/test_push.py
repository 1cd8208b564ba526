"""A browser is pushed a message when its seat has to decide, once per decision, until its token ends."""

import base64
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Final

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import Flask
from redis import Redis

from service.app import create_app
from service.http.context import AppContext
from service.sessions.reading import load
from service.sessions.turns import PUSH_DELAY_MS
from service.settings import Settings
from service.store import keys
from service.store.hooks import TIMED_OUT, Attempt
from service.store.leases import StoreLease
from service.store.pushes import PendingPush, PushStore, lease_key
from service.webhooks.push import Vapid, new_private_key
from service.webhooks.target import Target
from tests.service.kit import SPECTATOR, Clock, Sitting, application, bid, code_of, sit
from tests.service.webhooks.browser import Browser
from tests.toy import GAME
from workers.sessions import timers
from workers.webhooks.push import PUSH_LEASE_MS, PUSH_PAUSES_MS, PushSender
from workers.webhooks.schedule import REVISIT_MS, schedule_pushes

KEY: Final = new_private_key()
PATHS: Final = ("/seats/0/push", "/seats/1/push")


@dataclass
class PushService:
    """Takes messages instead of the net: a status for each, 201 if none is given."""

    answers: list[int | str] = field(default_factory=list)
    sent: list[tuple[Target, Mapping[str, str], bytes]] = field(default_factory=list)

    def __call__(self, target: Target, headers: Mapping[str, str], body: bytes) -> Attempt:
        self.sent.append((target, headers, body))
        answer = self.answers.pop(0) if self.answers else 201
        status, problem = (answer, None) if isinstance(answer, int) else (None, answer)
        return Attempt(at=0, milliseconds=1, status=status, problem=problem)


class Table:
    """A running session of Pebbles, the browser of seat 0, the clock of the workers, and a push service."""

    def __init__(self, app: Flask, **body: Any) -> None:
        self.house: AppContext = app.extensions["context"]
        self.clock, self.push_service, self.browser = Clock(self.house.sessions.now()), PushService(), Browser()
        self.sitting = sit(app, **body)
        self.services = replace(self.house.sessions, now=self.clock)
        self.store = PushStore(self.house.redis)

    @property
    def name(self) -> str:
        return f"{self.sitting.made['id']}/0"

    def subscribe(self, browser: Browser | None = None, seat: int = 0, language: str = "en") -> Any:
        subscription = (browser or self.browser).subscription
        answer = self.sitting.call(seat, "PUT", PATHS[seat], json=subscription, headers={"Accept-Language": language})
        assert answer.status_code == 200, answer.text
        return answer.json

    def is_subscribed(self, seat: int = 0) -> bool:
        shown: Any = self.sitting.look(seat, PATHS[seat]).json
        return bool(shown["subscribed"])

    def queued(self) -> list[str]:
        """Look as the scheduler does; return the seats for which workers are called."""
        self.house.redis.delete("rq:queue:hooks")
        timers.run_due_timers(self.services, lambda *_: None)
        schedule_pushes(self.house.redis, self.clock())
        tickets: Any = self.house.redis.lrange("rq:queue:hooks", 0, -1)
        return [f"{ticket.decode().split('-')[1]}/{ticket.decode().split('-')[2]}" for ticket in tickets]

    def wait(self, milliseconds: int) -> None:
        """Let time pass at the workers, from the present of the web process on."""
        self.clock.now = max(self.clock.now, self.house.sessions.now()) + milliseconds

    def round(self, after_ms: int = 0) -> int:
        """Let time pass, look, let workers send all due messages, and return the number of messages sent so far."""
        self.wait(after_ms)
        vapid = self.house.vapid
        assert vapid is not None
        for name in self.queued():
            PushSender(self.services, self.store, vapid, self.push_service).deliver(name)
        return len(self.push_service.sent)

    def bids(self) -> None:
        """Let both seats decide, which opens the next decision."""
        for seat, amount in ((0, 2), (1, 1)):
            assert self.sitting.move(seat, bid(amount)).status_code == 201


def find_queued(table: Table) -> PendingPush:
    """Let a push message of seat 0 become due, and return it as the first worker reads it."""
    table.subscribe()
    table.bids()
    table.wait(PUSH_DELAY_MS)
    assert table.queued() == [table.name]
    message = table.store.find(table.name)
    assert message is not None
    return message


def stored(table: Table) -> dict[bytes, bytes]:
    """Return the fields of the stored session about push messages."""
    found: Any = table.services.store.client.hgetall(keys.session(table.sitting.made["id"]))
    return {name: value for name, value in found.items() if name.startswith(b"push")}


@pytest.fixture(scope="module")
def pushing(redis_server: str) -> Flask:
    settings = Settings(
        redis_url=redis_server, log_level="critical", vapid_private_key=KEY, vapid_subject="mailto:us@example.org"
    )
    return create_app(settings, {GAME.slug: GAME})


@pytest.fixture
def table(pushing: Flask, redis_client: Redis) -> Table:
    assert redis_client.dbsize() == 0
    return Table(pushing)


def test_a_browser_reads_that_its_seat_has_to_decide_and_nothing_else(table: Table) -> None:
    table.subscribe(language="de")
    assert table.round(PUSH_DELAY_MS) == 0, "the decision was there before"
    table.bids()
    assert table.round() == 0, "a person at the table decides soon"
    assert table.round(PUSH_DELAY_MS) == 1
    place, headers, body = table.push_service.sent[0]
    told = table.browser.read(body)
    assert set(told) == {"type", "timestamp", "data"}
    assert told["type"] == "seat.asked"
    data = {"session": table.sitting.made["id"], "seat": 0, "url": table.sitting.here, "text": "Du bist am Zug."}
    assert told["data"] == data
    assert (place.scheme, place.host, place.path) == ("https", "push.example", "/send/abc")
    assert headers["content-encoding"] == "aes128gcm"
    assert len(headers["topic"]) == 32
    scheme, _, parts = headers["authorization"].partition(" ")
    token, _, key = parts.removeprefix("t=").partition(", k=")
    assert (scheme, key) == ("vapid", table.sitting.look(0, PATHS[0]).json["application_server_key"])  # type: ignore[index]
    public = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), base64.urlsafe_b64decode(key + "="))
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(token, pem, algorithms=["ES256"], audience="https://push.example")
    assert claims["sub"] == "mailto:us@example.org"


def test_each_decision_is_one_message_however_often_it_is_notified(table: Table) -> None:
    table.subscribe()
    table.bids()
    assert table.round(PUSH_DELAY_MS) == 1
    decision = table.store.find(table.name)
    assert decision is not None
    assert not table.store.add(table.name, decision[0], table.clock())
    assert [table.round(REVISIT_MS) for _ in range(3)] == [1, 1, 1]
    assert table.queued() == []


def test_a_decision_that_a_late_message_has_described_is_not_pushed_again(table: Table) -> None:
    table.subscribe()
    table.bids()
    table.store.add(table.name, "an earlier decision", table.clock())
    table.push_service.answers = [503]
    assert table.round() == 1
    assert table.round(PUSH_DELAY_MS) == 2, "nobody has received a message about the present decision"
    table.store.add(table.name, "an earlier decision", table.clock())
    assert table.round() == 2
    assert table.queued() == []


def test_a_seat_that_has_decided_is_not_pushed(table: Table) -> None:
    table.subscribe()
    table.bids()
    seat = table.sitting.look(0).json["actors"][0]  # type: ignore[index]
    assert seat == 0
    assert table.sitting.move(0, table.sitting.moves(0)[0]["move"]).status_code == 201
    actors = table.sitting.look(0).json["actors"]  # type: ignore[index]
    assert table.round(PUSH_DELAY_MS) == (1 if 0 in actors else 0)
    assert table.queued() == []


def test_decisions_in_a_row_are_one_message(table: Table) -> None:
    table.subscribe()
    for number in range(3):
        table.store.add(table.name, f"decision {number}", table.clock())
    table.bids()
    assert table.round(PUSH_DELAY_MS) == 1


def test_a_worker_that_dies_over_a_message_is_followed_by_another(table: Table) -> None:
    table.subscribe()
    table.bids()
    table.wait(PUSH_DELAY_MS)
    assert table.queued() == [table.name]
    lease = StoreLease(table.house.redis, lease_key(table.name), "dead", PUSH_LEASE_MS)
    assert lease.take()
    assert table.queued() == [], "a worker was called"
    assert table.round(REVISIT_MS) == 0, "another worker is at it"
    lease.release()
    assert table.round(REVISIT_MS) == 1


def test_a_late_worker_does_not_overwrite_the_attempt_of_another(table: Table) -> None:
    before = find_queued(table)
    assert table.round(REVISIT_MS) == 1
    delivered = table.store.find(table.name)
    assert delivered is not None
    table.store.note(table.name, before, before.told, table.clock())
    assert table.store.find(table.name) == delivered
    assert table.round(REVISIT_MS) == 1
    table.store.add(table.name, "a later decision", table.clock())
    table.store.note(table.name, before, "an earlier opening", None)
    assert table.store.find(table.name) == ("a later decision", 0, delivered.told)
    assert table.queued() == [table.name]


def test_a_late_worker_reports_a_message_that_it_has_delivered(table: Table) -> None:
    before = find_queued(table)
    table.push_service.answers = [503]
    assert table.round(REVISIT_MS) == 1
    session = load(table.services, table.sitting.made["id"])
    table.store.note(table.name, before, f"{session.opened[0]}/{session.undone}", None)
    assert table.round(REVISIT_MS) == 1, "the second attempt would repeat the message"
    assert table.queued() == []


def test_a_message_that_is_added_meanwhile_stays_due(table: Table) -> None:
    table.store.add(table.name, "a decision", table.clock())
    table.store.forget(table.name)
    ((name, due),) = table.store.due(table.clock(), 1)
    assert name == table.name
    table.store.add(table.name, "a later decision", due + 1)
    table.store.put_off(name, due, due + REVISIT_MS)
    assert table.store.due(due + 1, 1) == [(name, due + 1)]


def test_a_message_is_sent_again_after_growing_pauses_and_then_dropped(table: Table) -> None:
    table.subscribe()
    table.bids()
    table.push_service.answers = [503, TIMED_OUT, 429, 500, 502, 503, 201]
    assert table.round(PUSH_DELAY_MS) == 1
    for number, pause in enumerate(PUSH_PAUSES_MS, 2):
        assert table.round(pause - 1) == number - 1
        assert table.round(1) == number
    assert table.round(2 * PUSH_PAUSES_MS[-1]) == len(PUSH_PAUSES_MS) + 1
    assert table.is_subscribed()


@pytest.mark.parametrize("status", [404, 410])
def test_a_subscription_that_the_push_service_ends_is_removed(table: Table, status: int) -> None:
    table.subscribe()
    table.bids()
    table.push_service.answers = [status]
    assert table.round(PUSH_DELAY_MS) == 1
    assert not table.is_subscribed()
    assert stored(table) == {b"push": b"", b"push0": b""}


@pytest.mark.parametrize("status", [400, 403, 413])
def test_a_message_that_is_refused_is_not_sent_again(table: Table, status: int) -> None:
    table.subscribe()
    table.bids()
    table.push_service.answers = [status]
    assert [table.round(PUSH_DELAY_MS), table.round(PUSH_PAUSES_MS[-1])] == [1, 1]
    assert table.is_subscribed()


def test_a_subscription_past_its_expiration_time_is_removed(table: Table) -> None:
    body = {**table.browser.subscription, "expirationTime": table.clock() + PUSH_DELAY_MS}
    assert table.sitting.call(0, "PUT", PATHS[0], json=body).status_code == 200
    table.bids()
    assert table.round(PUSH_DELAY_MS + 60_000) == 0
    assert not table.is_subscribed()


def test_a_subscription_that_does_not_fit_its_name_is_not_used(table: Table) -> None:
    table.subscribe()
    table.bids()
    session = load(table.services, table.sitting.made["id"])
    raw = table.services.store.subscription(session, 0)
    inner = Browser("https://10.0.0.1/").subscription["endpoint"].encode()
    changed = raw.replace(table.browser.endpoint.encode(), inner)
    table.house.redis.hset(keys.session(session.id), "push0", changed)
    assert table.round(PUSH_DELAY_MS) == 0


def test_the_subscription_ends_with_the_seats_token(table: Table) -> None:
    sitting = table.sitting
    table.subscribe()
    table.subscribe(Browser("https://other.example/"), seat=1)
    assert sitting.call("owner", "POST", "/seats/0/token").status_code == 201
    assert stored(table)[b"push0"] == b""
    assert table.is_subscribed(1), "the other seat's stays"
    assert sitting.call("owner", "POST", "/seats/1/assign", json={"kind": "human"}).status_code == 201
    assert stored(table) == {b"push": b"", b"push0": b"", b"push1": b""}


def test_the_subscription_ends_with_the_session(table: Table) -> None:
    table.subscribe()
    table.bids()
    assert table.sitting.call("owner", "DELETE").status_code == 204
    assert stored(table) == {b"push": b"", b"push0": b""}
    assert table.round(PUSH_DELAY_MS) == 0
    refused = table.sitting.call(0, "PUT", PATHS[0], json=table.browser.subscription)
    assert (refused.status_code, code_of(refused)) == (409, "session-over")
    assert table.sitting.call(0, "DELETE", PATHS[0]).status_code == 204


def test_a_bot_in_a_persons_stead_is_not_pushed(table: Table) -> None:
    table.subscribe()
    assert table.sitting.call(0, "POST", "/resign", json={"then": "bot", "bot": {"level": "random"}}).status_code == 200
    assert table.sitting.move(1, bid(1)).status_code == 201
    assert table.round(PUSH_DELAY_MS) == 0
    assert table.is_subscribed(), "the person may come back"


def test_another_browser_takes_the_place_of_the_first(table: Table) -> None:
    second = Browser("https://second.example/x")
    table.subscribe()
    table.subscribe(second)
    table.bids()
    assert table.round(PUSH_DELAY_MS) == 1
    assert table.push_service.sent[0][0].host == "second.example"
    assert second.read(table.push_service.sent[0][2])["data"]["seat"] == 0


def test_nothing_of_a_subscription_shows_to_anybody(table: Table) -> None:
    sitting, session_id = table.sitting, table.sitting.made["id"]
    before = load(table.services, session_id)
    seen = [sitting.standing(caller) for caller in (0, 1, SPECTATOR)]
    table.subscribe()
    assert sitting.call(0, "DELETE", PATHS[0]).status_code == 204
    table.subscribe()
    after = load(table.services, session_id)
    assert (after.revision, after.versions, after.moved) == (before.revision, before.versions, before.moved)
    assert [sitting.standing(caller) for caller in (0, 1, SPECTATOR)] == seen
    assert table.services.store.client.xlen(keys.log(session_id)) == before.revision
    refused = sitting.call(1, "GET", PATHS[0])
    assert (refused.status_code, code_of(refused)) == (403, "forbidden")
    for caller, status in ((1, 403), ("owner", 403), (None, 401)):
        body = table.browser.subscription
        assert sitting.call(caller, "PUT", PATHS[0], json=body).status_code == status
        assert sitting.call(caller, "DELETE", PATHS[0]).status_code == status


@pytest.mark.parametrize("removed", ["push", "device"])
def test_an_end_in_between_hinders_no_removal(table: Table, monkeypatch: pytest.MonkeyPatch, removed: str) -> None:
    """The session ends after a removal has loaded it, and before the removal writes."""
    table.subscribe()
    sitting, store = table.sitting, table.services.store
    made: Any = sitting.call(0, "POST", "/seats/0/device-codes").json
    added: Any = sitting.app.test_client().post("/v1/devices", json={"code": made["code"]}).json
    path = {"push": PATHS[0], "device": f"/seats/0/devices/{added['device']}"}[removed]
    subscribe = store.subscribe

    def late(*wanted: Any) -> Any:
        with ThreadPoolExecutor(1) as other:
            assert other.submit(sitting.call, "owner", "DELETE").result().status_code == 204
        return subscribe(*wanted)

    monkeypatch.setattr(store, "subscribe", late)
    assert sitting.call(0, "DELETE", path).status_code == 204
    shown: Any = sitting.look(0, "/seats/0/devices").json
    assert len(shown["devices"]) == (1 if removed == "device" else 2)
    assert stored(table)[b"push0"] == b""


def test_a_move_planned_before_a_subscription_still_notifies_it(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store refuses a change that was planned without the subscription, so the change is planned again."""
    services, session_id = table.services, table.sitting.made["id"]
    store = services.store
    write, once = store.write_each, [table.subscribe]

    def late(writes: Any) -> Any:
        if once:
            once.pop()()
        return write(writes)

    monkeypatch.setattr(store, "write_each", late)
    table.bids()
    assert load(services, session_id).push[0]
    assert table.round(PUSH_DELAY_MS) == 1


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"endpoint": "http://push.example/x"}, "/endpoint"),
        ({"endpoint": "https://127.0.0.1/x"}, "/endpoint"),
        ({"endpoint": "https://[::ffff:10.0.0.1]/x"}, "/endpoint"),
        ({"keys": {"p256dh": "AAAA", "auth": "MDEyMzQ1Njc4OWFiY2RlZg"}}, "/keys/p256dh"),
        ({"keys": {"auth": "MDEyMzQ1Njc4OWFiY2RlZg"}}, "/keys/p256dh"),
        ({"expirationTime": "soon"}, "/expirationTime"),
        ({"contentEncoding": "aesgcm"}, "/contentEncoding"),
    ],
)
def test_a_subscription_that_cannot_be_used_is_refused(table: Table, change: dict[str, Any], pointer: str) -> None:
    body = {**table.browser.subscription, **change}
    refused = table.sitting.call(0, "PUT", PATHS[0], json=body)
    assert (refused.status_code, code_of(refused)) == (422, "invalid-body")
    assert [fault["pointer"] for fault in refused.json["errors"]] == [pointer]  # type: ignore[index]
    assert not table.is_subscribed()


def test_a_point_off_the_curve_is_refused(table: Table) -> None:
    point = base64.urlsafe_b64encode(b"\x04" + bytes(range(64))).decode()
    secret = base64.urlsafe_b64encode(b"too short").decode()
    body = {**table.browser.subscription, "keys": {"p256dh": point, "auth": secret}}
    refused: Any = table.sitting.call(0, "PUT", PATHS[0], json=body)
    assert {fault["pointer"] for fault in refused.json["errors"]} == {"/keys/p256dh", "/keys/auth"}


def test_a_service_without_keys_says_so(redis_url: str) -> None:
    sitting: Sitting = sit(application(None, redis_url))
    for method, body in (("GET", None), ("PUT", Browser().subscription)):
        refused = sitting.call(0, method, PATHS[0], json=body)
        assert (refused.status_code, code_of(refused)) == (409, "push-off")


def test_keys_of_the_settings_are_checked_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAPID_PRIVATE_KEY", KEY)
    with pytest.raises(ValueError, match="together"):
        Settings.from_env()
    monkeypatch.setenv("VAPID_SUBJECT", "us@example.org")
    with pytest.raises(ValueError, match="mailto"):
        Settings.from_env()
    monkeypatch.setenv("VAPID_SUBJECT", "mailto:us@example.org")
    settings = Settings.from_env()
    vapid = Vapid.of(settings.vapid_private_key, settings.vapid_subject)
    assert vapid is not None
    assert KEY not in repr(settings)
    assert b"PRIVATE" not in repr(vapid).encode()
    for wrong in ("abc", "!" * 43, "A" * 43):
        with pytest.raises(ValueError, match=r".+"):
            Vapid.of(wrong, "mailto:us@example.org")
