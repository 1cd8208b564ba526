"""A message is delivered at least once, in order, to one webhook by one worker, after growing pauses, whoever dies."""

from collections.abc import Mapping
from itertools import pairwise

import pytest

from service.auth.api_keys import KEY_OWNER
from service.jobs import queues
from service.store.hooks import DELIVERED, DELIVERY_FAILED, DELIVERY_WAITING, Attempt, HookStore
from service.webhooks.messages import JOB_ENDED, PING, enter, notify
from service.webhooks.target import Target
from tests.service.webhooks.office import SECRETS, Office, open_office
from workers.webhooks import deliver
from workers.webhooks.deliver import PAUSES_MS, WebhookSender
from workers.webhooks.push import PUSH_PAUSES_MS
from workers.webhooks.schedule import REVISIT_MS


@pytest.fixture
def office(redis_url: str) -> Office:
    return open_office(redis_url)


def test_messages_are_sent_in_order_and_noted(office: Office) -> None:
    hook = office.hook()
    said = [office.say(hook, matter) for matter in "cab"]
    office.round()
    assert office.post.ids == said
    assert [body["data"]["matter"] for body in office.post.bodies] == list("cab")
    assert {body["type"] for body in office.post.bodies} == {PING}
    log = office.store.log(hook.id)
    assert [message.id for message in log] == said[::-1]
    assert {message.state for message in log} == {DELIVERED}
    assert office.called() == []
    assert office.store.figures() == ({"delivered": 3}, 0)


def test_the_same_event_is_one_message_to_each_webhook_however_often_it_is_told(office: Office) -> None:
    one, other = office.hook("one"), office.hook("other")
    for _ in range(3):
        notify(office.store, office.key, JOB_ENDED, "job", {}, office.clock(), office.clock())
    notify(office.store, "another key", JOB_ENDED, "job", {}, office.clock(), office.clock())
    ids = {message.id for hook in (one, other) for message in office.store.log(hook.id)}
    assert len(ids) == 2
    office.round()
    assert sorted(office.post.ids) == sorted(ids)


def test_a_message_that_is_not_taken_comes_again_with_its_id_and_body_after_growing_pauses(office: Office) -> None:
    hook = office.hook()
    name, begun = office.say(hook, "a"), office.clock()
    office.post.answers = [500, "timed-out", 302, 404, "unreachable", 429, 503, 500, 200]
    for pause in PAUSES_MS:
        office.round()
        office.round()  # too early: nothing happens
        office.clock.now += pause
    office.round()
    assert office.post.ids == [name] * 8
    assert len({str(body) for body in office.post.bodies}) == 1
    waited = [message.at for message in office.store.log(hook.id)[0].attempts]
    assert [later - sooner - 1000 for sooner, later in pairwise(waited)] == list(PAUSES_MS)
    (kept,) = office.store.log(hook.id)
    assert (kept.state, kept.next, len(kept.attempts)) == (DELIVERY_FAILED, None, 8)
    assert office.clock() - begun > 10 * 3_600_000
    assert office.called() == []


def test_each_attempt_is_signed_for_its_own_time(office: Office) -> None:
    office.say(office.hook(), "a")
    office.post.answers = [500]
    office.round()
    office.clock.now += PAUSES_MS[0]
    office.round()
    first, second = office.post.sent
    assert int(second["webhook-timestamp"]) > int(first["webhook-timestamp"])
    assert first["webhook-signature"] != second["webhook-signature"]


def test_a_message_that_was_not_taken_is_overtaken(office: Office) -> None:
    hook = office.hook()
    bad, good = office.say(hook, "bad"), office.say(hook, "good")
    office.post.answers = [500, 200, 500]
    office.round()
    assert office.post.ids == [bad], "after a failure the webhook rests"
    office.clock.now += PAUSES_MS[0] - 1_500
    office.round()
    assert office.post.ids == [bad]
    office.clock.now += 1_500
    office.round()
    assert set(office.post.ids[1:]) == {bad, good}
    assert office.post.ids[1:2] == [good]


def test_an_address_that_fails_again_and_again_costs_one_attempt_in_two_minutes(office: Office) -> None:
    hook = office.hook()
    office.post.answers = ["timed-out"] * 100
    for number in range(10):
        office.say(hook, str(number))
    for _ in range(36):
        office.round()
        office.clock.now += 100_000
    assert len(office.post.sent) <= 3 + 3_600 // 120


def test_the_log_is_bounded_and_forgets_the_oldest(office: Office) -> None:
    hook = office.hook()
    said = [office.say(hook, str(number)) for number in range(13)]
    assert [message.id for message in office.store.log(hook.id)] == said[:2:-1]
    office.clock.now += 100  # those of one millisecond are a millisecond apart
    office.round()
    assert office.post.ids == said[3:]
    assert not office.store.add("gone", office.store.log(hook.id)[0])


def test_a_late_worker_does_not_overwrite_the_attempt_of_another(office: Office) -> None:
    hook = office.hook()
    office.say(hook, "a")
    (before,) = office.store.log(hook.id)
    office.round()
    (delivered,) = office.store.log(hook.id)
    refused = deliver.after(before, Attempt(at=office.clock.now, milliseconds=1, status=503), office.clock.now)
    office.store.note(hook.id, refused, before.tries)
    assert office.store.log(hook.id) == [delivered]
    assert office.store.first(hook.id, 2**50) is None


def test_one_worker_at_a_time_sends_for_a_webhook(office: Office) -> None:
    hook = office.hook()
    office.say(hook, "a")
    office.lease(hook, "another worker").take()
    office.round()
    assert office.post.sent == []
    office.lease(hook, "another worker").release()
    office.clock.now += REVISIT_MS
    office.round()
    assert len(office.post.sent) == 1


def test_a_message_that_comes_while_others_are_sent_is_not_forgotten(office: Office) -> None:
    hook = office.hook()
    office.say(hook, "a")
    (name,) = office.called()
    sending = office.post.__call__

    def meanwhile(target: Target, headers: Mapping[str, str], body: bytes) -> Attempt:
        if len(office.post.sent) == 0:
            office.say(hook, "b")
        return sending(target, headers, body)

    courier = WebhookSender(store=office.store, keys=office.keys, secrets=SECRETS, send=meanwhile, now=office.clock)
    courier.deliver(name)
    office.round()
    assert len(office.post.sent) == 2


def test_a_worker_stays_with_no_webhook_for_long(office: Office) -> None:
    big = HookStore(office.client, 100)
    hook = office.hook()
    for number in range(40):
        enter(big, hook, PING, str(number), {}, office.clock(), office.clock())
    office.round()
    assert 15 < len(office.post.sent) < 25, "each takes a second, and a slice is twenty"
    office.round()
    office.round()
    assert len(office.post.sent) == 40


def test_webhooks_of_a_revoked_key_fall_silent_and_are_forgotten(office: Office) -> None:
    hook = office.hook()
    office.say(hook, "a")
    office.keys.revoke(office.key)
    office.round()
    assert office.post.sent == []
    assert office.store.find(hook.id) is None
    assert [key for key in office.client.keys("{w}*") if hook.id.encode() in key] == []


def test_a_deleted_webhook_is_told_nothing_more(office: Office) -> None:
    hook = office.hook()
    office.say(hook, "a")
    (name,) = office.called()
    office.store.delete(hook)
    office.courier.deliver(name)
    assert (office.post.sent, office.called(), office.store.log(hook.id)) == ([], [], [])


def test_an_address_that_is_not_public_is_never_sent_to(office: Office) -> None:
    hook = office.hook(url="https://10.0.0.1/")
    office.say(hook, "a")
    office.round()
    assert office.post.sent == []
    (kept,) = office.store.log(hook.id)
    assert (kept.state, kept.attempts[0].problem) == (DELIVERY_WAITING, "no-public-address")


def test_jobs_of_keys_are_told_of_once_and_those_of_others_never(office: Office) -> None:
    hook = office.hook()
    for job, owner in (("mine", KEY_OWNER + office.key), ("somebody's", "f" * 64), ("nobody's", "")):
        office.client.hset(queues.record_key(job), mapping={"owner": owner, "state": "succeeded"})
        for _ in range(2):  # the sweep may find it again
            queues.close(office.client, job)
    assert office.client.zrange(queues.ENDED_JOBS, 0, -1) == [b"mine"]
    office.round()
    queues.close(office.client, "mine")
    office.round()
    (body,) = office.post.bodies
    assert body["type"] == JOB_ENDED
    assert body["data"] == {"job": "mine", "state": "succeeded", "url": "/v1/jobs/mine"}
    assert len(office.store.log(hook.id)) == 1
    assert office.client.zcard(queues.ENDED_JOBS) == 0


def test_pauses_grow_from_five_seconds_to_hours() -> None:
    seconds, minutes, hours = (5_000, 30_000), (120_000, 600_000), (3_600_000, 10_800_000, 21_600_000)
    assert (*seconds, *minutes, *hours) == PAUSES_MS
    assert PAUSES_MS[:5] == PUSH_PAUSES_MS
