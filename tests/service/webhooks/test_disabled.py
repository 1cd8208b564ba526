"""A webhook with nothing but failures for days is disabled, its owner is notified, and a ping enables it again."""

from dataclasses import replace
from itertools import count
from typing import Any, Final

import msgspec
import pytest
from flask import Flask

from service.http.context import AppContext
from service.settings import DAY_MS, HOUR_MS, Limits, Settings
from service.store.clock import rfc3339
from service.store.hooks import (
    ADDRESS_GONE,
    DELIVERED,
    DELIVERY_FAILED,
    FAILING,
    HEALTHY,
    Attempt,
    Hook,
    HookHealth,
    HookStore,
    lease_key,
)
from service.webhooks.messages import JOB_ENDED, SEAT_ASKED_EVENT, WEBHOOK_DISABLED, enter, notify
from service.webhooks.signing import Secrets
from tests.service.kit import Death, application, die_at
from tests.service.webhooks.office import SECRET, SECRETS, Office, open_office
from workers.webhooks.deliver import MIN_FAILURES, PAUSES_MS, WebhookSender

ROUND_MS: Final = 600_000
"""Interval of the worker's rounds while nothing is accepted."""


@pytest.fixture
def office(redis_url: str) -> Office:
    return open_office(redis_url)


def health(office: Office, hook: Hook) -> HookHealth:
    found = office.store.find(hook.id)
    assert found is not None
    return found.health


def disabled(hook: Hook, office: Office) -> list[Any]:
    """Return the notices about disabled webhooks that a webhook was sent or will be sent."""
    bodies = (msgspec.json.decode(message.body) for message in office.store.log(hook.id))
    return [body["data"] for body in bodies if body["type"] == WEBHOOK_DISABLED]


def fail_for(office: Office, hook: Hook, days: float, every_hours: float = 6) -> None:
    """Let time pass in which a webhook is sent something every few hours and accepts nothing."""
    until = office.clock() + days * DAY_MS
    office.post.down.add(f"{hook.id}.example")
    while office.clock() < until:
        notify(office.store, office.key, SEAT_ASKED_EVENT, str(office.clock()), {}, office.clock(), office.clock())
        for _ in range(int(every_hours * HOUR_MS / ROUND_MS)):
            office.clock.now += ROUND_MS
            office.round()
    office.post.down.clear()


def test_a_webhook_that_accepts_nothing_for_five_days_is_disabled(office: Office) -> None:
    dead, begun = office.hook("dead"), office.clock()
    fail_for(office, dead, 4.9)
    failing = health(office, dead)
    assert (failing.off, failing.reason) == (0, None)
    assert begun <= failing.since <= begun + 2 * ROUND_MS
    assert failing.last is not None
    assert failing.last.status == 500
    fail_for(office, dead, 0.5)
    off = health(office, dead)
    assert off.reason == FAILING
    assert 5 * DAY_MS <= off.off - off.since <= 5 * DAY_MS + 7 * HOUR_MS
    sent, kept = len(office.post.sent), office.store.log(dead.id)
    assert {message.state for message in kept} == {DELIVERY_FAILED}
    notify(office.store, office.key, JOB_ENDED, "later", {}, office.clock(), office.clock())
    assert office.store.log(dead.id) == kept
    office.clock.now += DAY_MS
    office.round()
    assert len(office.post.sent) == sent, "nothing is sent to a disabled webhook"


def test_every_other_webhook_of_the_owner_gets_one_message(office: Office) -> None:
    dead, alive = office.hook("dead"), office.hook("alive")
    stranger_key = office.keys.add("stranger", ["webhooks"])[0].id
    office.store.create(msgspec.structs.replace(dead, id="stranger", key=stranger_key))
    fail_for(office, dead, 5.5)
    fail_for(office, dead, 0.5)
    assert disabled(alive, office) == [{"webhook": "dead", "url": "/v1/webhooks/dead", "reason": FAILING}]
    assert disabled(dead, office) == []
    assert office.store.log("stranger") == []
    office.clock.now += DAY_MS
    office.round()
    assert {message.state for message in office.store.log(alive.id)} == {DELIVERED}


def test_of_two_dead_webhooks_the_later_is_not_told_of_by_a_disabled_one(office: Office) -> None:
    first, second = office.hook("first"), office.hook("second")
    office.post.answers = [410]
    office.say(first, "a")
    office.round()
    assert health(office, first).reason == ADDRESS_GONE
    assert [notice["reason"] for notice in disabled(second, office)] == [ADDRESS_GONE]
    office.post.answers = [410]
    office.clock.now += 1
    office.round()  # `second` refuses that very message
    assert health(office, second).reason == ADDRESS_GONE
    assert disabled(first, office) == []


def test_an_accepted_ping_enables_it_and_restarts_the_days(office: Office) -> None:
    dead, _alive = office.hook("dead"), office.hook("alive")
    fail_for(office, dead, 5.5)
    office.clock.now += DAY_MS
    office.say(dead, "still down")
    office.post.answers = [503]
    office.round()
    assert health(office, dead).reason == FAILING
    office.clock.now += PAUSES_MS[0]
    office.round()
    assert health(office, dead) == HEALTHY
    fail_for(office, dead, 4.5)
    assert health(office, dead).off == 0
    fail_for(office, dead, 1)
    assert health(office, dead).off
    office.round()
    notices = [body["data"]["webhook"] for body in office.post.bodies if body["type"] == WEBHOOK_DISABLED]
    assert notices == [dead.id, dead.id], "each time is reported once"


def test_one_success_in_five_days_suffices(office: Office) -> None:
    hook = office.hook()
    for _ in range(3):
        fail_for(office, hook, 4)
        office.round()
        office.clock.now += max(PAUSES_MS)
        office.round()
    assert health(office, hook).off == 0


def test_a_failure_after_quiet_weeks_is_not_yet_a_dead_webhook(office: Office) -> None:
    hook = office.hook()
    fail_for(office, hook, 0.5, every_hours=12)
    assert health(office, hook).failures >= MIN_FAILURES
    office.clock.now += 30 * DAY_MS
    office.say(hook, "after weeks")
    office.post.answers = [500] * (MIN_FAILURES - 1)
    for pause in PAUSES_MS[:-1]:
        office.round()
        office.clock.now += pause
    assert health(office, hook).off == 0
    office.post.answers = [500, 500]
    office.round()
    office.clock.now += PAUSES_MS[-1]
    office.round()
    assert health(office, hook).reason == FAILING, "the last attempt at the message failed too"


def test_the_period_is_a_setting_and_0_disables_nothing(office: Office) -> None:
    hook = office.hook()
    office.failing_days = 0
    fail_for(office, hook, 6)
    assert health(office, hook).off == 0
    office.failing_days = 1
    fail_for(office, hook, 0.3)
    assert health(office, hook).off


def test_a_sender_has_the_settings_of_its_worker(office: Office) -> None:
    limits = Limits(webhook_failing_days=3, webhook_messages=7)
    settings = Settings(secret_key=SECRET, webhooks_private=True, limits=limits)
    sender = WebhookSender.of(office.client, settings)
    assert (sender.failing_ms, sender.private) == (3 * DAY_MS, True)
    assert sender.secrets.text("h", 1) == SECRETS.text("h", 1)
    hook = office.hook()
    for matter in range(9):
        enter(sender.store, hook, JOB_ENDED, str(matter), {}, sender.now(), sender.date())
    assert len(sender.store.log(hook.id)) == 7


def test_a_mistake_of_the_operator_disables_no_webhook(office: Office) -> None:
    hook = office.hook()
    other = WebhookSender(
        store=office.store, keys=office.keys, secrets=Secrets("b"), send=office.post, now=office.clock
    )
    for _ in range(6 * 24):
        office.say(hook, str(office.clock()))
        office.clock.now += HOUR_MS
        other.deliver(hook.id)
    assert (health(office, hook).off, office.post.sent) == (0, [])
    assert office.store.log(hook.id)[-1].attempts[0].problem == "unsigned"


def test_a_secret_that_is_rotated_during_an_attempt_stays_rotated(office: Office) -> None:
    hook = office.hook()
    office.say(hook, "a")

    def rotate(*_: object) -> Any:
        office.store.replace(msgspec.structs.replace(hook, generation=2))
        return office.post(*_)  # type: ignore[arg-type]

    office.post.answers = [410]
    WebhookSender(
        store=office.store, keys=office.keys, secrets=SECRETS, send=rotate, now=office.clock, date=office.clock
    ).deliver(hook.id)
    found = office.store.find(hook.id)
    assert found is not None
    assert (found.generation, found.health.reason) == (2, ADDRESS_GONE)


@pytest.mark.parametrize("status", [204, 410])
def test_a_late_worker_does_not_overwrite_what_another_has_counted(office: Office, status: int) -> None:
    hook = office.hook()
    office.say(hook, "a")
    office.store.set_health(hook.id, HookHealth(since=office.clock(), failures=1, failed=office.clock()))

    def be_late(*arguments: Any) -> Attempt:
        office.client.delete(lease_key(hook.id))
        office.post.answers = [500]
        office.courier.deliver(hook.id)
        counted.append((health(office, hook), office.store.due(2**50, 1)))
        office.post.answers = [status]
        return office.post(*arguments)

    counted = list[tuple[HookHealth, list[tuple[str, int]]]]()
    replace(office.courier, send=be_late).deliver(hook.id)
    ((found, due),) = counted
    assert health(office, hook) == found
    assert found.failures == 2
    if status == 410:  # after a success, the late worker takes the lease again
        assert office.store.due(2**50, 1) == due


def test_a_late_worker_does_not_give_up_a_message_that_another_has_delivered(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = office.hook()
    notify(office.store, office.key, JOB_ENDED, "job", {}, office.clock(), office.clock())
    office.store.set_health(hook.id, HookHealth(off=office.clock(), reason=ADDRESS_GONE))
    first = HookStore.first

    def be_late(self: HookStore, name: str, now: int) -> Any:
        found = first(self, name, now)
        if found is not None:
            office.store.note(name, msgspec.structs.replace(found, state=DELIVERED, tries=1, next=None))
        return found

    monkeypatch.setattr(HookStore, "first", be_late)
    office.courier.deliver(hook.id)
    assert [message.state for message in office.store.log(hook.id)] == [DELIVERED]


def test_a_worker_that_dies_at_any_exchange_leaves_one_notice(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in count(1):
        dead, alive = office.hook(f"dead{number}"), office.hook(f"alive{number}")
        tired = HookHealth(since=office.clock() - 6 * DAY_MS, failures=9, failed=office.clock() - HOUR_MS)
        office.store.set_health(dead.id, tired)
        office.say(dead, "a")
        office.post.answers = [500] * 3
        died = False
        with monkeypatch.context() as patch:
            die_at(number, patch)
            try:
                office.courier.deliver(dead.id)
            except Death:
                died = True
        office.client.delete(lease_key(dead.id))
        office.clock.now += HOUR_MS
        office.courier.deliver(dead.id)
        assert health(office, dead).reason == FAILING
        assert [notice["webhook"] for notice in disabled(alive, office)] == [dead.id]
        office.store.delete(dead)
        office.store.delete(alive)
        if not died:
            break
    assert number > 10


def test_the_owner_sees_state_last_error_and_start(redis_url: str) -> None:
    office = open_office(redis_url)
    app: Flask = application(None, redis_url)
    context: AppContext = app.extensions["context"]
    key = {"Api-Key": context.keys.add("owner", ["webhooks"])[1]}
    client = app.test_client()
    made: Any = client.post("/v1/webhooks", json={"url": "https://hooks.example/"}, headers=key).json
    here = f"/v1/webhooks/{made['id']}"

    def shown() -> Any:
        found: Any = client.get(here, headers=key).json
        assert client.get("/v1/webhooks", headers=key).json == {"webhooks": [found]}
        return {name: value for name, value in found.items() if name not in {"id", "url", "events", "created_at"}}

    store = HookStore(office.client, 10)
    hook = store.find(made["id"])
    assert hook is not None
    assert shown() == {"state": "enabled"}
    sender = WebhookSender(
        store=store,
        keys=office.keys,
        secrets=context.webhook_secrets,
        send=office.post,
        now=office.clock,
        date=office.clock,
    )
    office.post.answers = ["timed-out", 410, 204]
    since: str | None = None
    for state, error, reason in (
        ("failing", {"problem": "timed-out"}, None),
        ("disabled", {"status": 410}, "gone"),
        ("enabled", None, None),
    ):
        office.say(hook, str(office.clock()))
        sender.deliver(hook.id)
        office.clock.now += HOUR_MS
        found = shown()
        assert (found.pop("state"), found.pop("disabled_reason", None)) == (state, reason)
        if error is None:
            assert found == {}
            continue
        at = rfc3339(office.clock() - HOUR_MS)
        assert found.pop("last_error") == {
            "at": rfc3339(office.clock() - HOUR_MS - 1000),
            "milliseconds": 1000,
            **error,
        }
        since = since or at
        assert found == {"failing_since": since} | ({"disabled_at": at} if reason else {})
