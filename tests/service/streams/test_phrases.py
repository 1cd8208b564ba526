"""Quick phrases: they reach everyone at the table who does not mute the speaker, once, and change no version."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
import redis
from flask import Flask
from redis.client import Redis
from werkzeug.test import TestResponse

from games.core.texts import LANGUAGES
from service.sessions.phrases import PHRASES, RECENT_MS, RecentPhrases
from service.store import keys
from service.store.phrases import KEPT_PHRASES, MAX_WINDOW_PHRASES, WINDOW_MS, Phrase
from service.store.scripts import script
from tests.service.kit import PEOPLE, SPECTATOR, Clock, Sitting, bid, code_of, freeze, sit, take
from tests.service.streams.hearing import NDJSON, chunks, listen, parsed

UUID = "01234567-89ab-cdef-0123-456789abcdef"


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app, *PEOPLE, {"kind": "human"})


def say(sitting: Sitting, caller: int | str | None, phrase: str = "hello", **headers: str) -> TestResponse:
    return sitting.call(caller, "POST", "/phrases", json={"phrase": phrase}, headers=headers)


def mute(sitting: Sitting, seat: int, *seats: int) -> TestResponse:
    return sitting.call(seat, "PUT", f"/seats/{seat}/mutes", json={"seats": list(seats)})


def heard(sitting: Sitting, caller: int | str | None) -> list[tuple[int, str]]:
    """Return the phrases that a caller received, each with its speaker."""
    shown: Any = sitting.look(caller, "/phrases").json
    return [(each["seat"], each["phrase"]) for each in shown["phrases"]]


def messages(answer: TestResponse) -> Iterator[dict[str, Any]]:
    return (message for chunk in chunks(answer) for message in parsed(chunk, NDJSON))


def opened(sitting: Sitting, caller: int | None, query: str = "", **headers: str) -> tuple[TestResponse, Any]:
    """Open a stream and read it up to its first presence."""
    answer = listen(sitting, caller, query, Accept=NDJSON, **headers)
    stream = messages(answer)
    while next(stream)["event"] != "presence":
        pass
    return answer, stream


def test_the_list_has_every_phrase_in_every_language(app: Flask) -> None:
    shown: list[Any] = [
        app.test_client().get("/v1/phrases", headers={"Accept-Language": language}).json for language in LANGUAGES
    ]
    assert [[each["id"] for each in one["phrases"]] for one in shown] == [list(PHRASES)] * len(LANGUAGES)
    texts = [{each["text"] for each in one["phrases"]} for one in shown]
    assert [len(each) for each in texts] == [len(PHRASES)] * len(LANGUAGES)
    assert len(set.union(*texts)) > 2 * len(PHRASES), "the languages differ"


def test_a_phrase_reaches_seats_and_spectators_in_their_language_and_changes_no_version(sitting: Sitting) -> None:
    streams = [opened(sitting, caller, Accept_Language=spoken) for caller, spoken in ((0, "de"), (1, "it"))]
    streams.append(opened(sitting, SPECTATOR, Accept_Language="en"))
    before = [sitting.version(seat) for seat in range(3)]
    said: Any = say(sitting, 2, "thanks").json
    assert {name: said[name] for name in ("number", "seat", "phrase")} == {"number": 1, "seat": 2, "phrase": "thanks"}
    for (answer, stream), text in zip(streams, ("Danke!", "Grazie!", "Thank you!"), strict=True):
        told = next(message for message in stream if message["event"] == "phrase")
        assert told == {"event": "phrase", "data": {**said, "text": text}}
        answer.close()
    assert [sitting.version(seat) for seat in range(3)] == before
    assert [heard(sitting, caller) for caller in (0, 2, SPECTATOR, "owner")] == [[(2, "thanks")]] * 4


def test_muted_seats_are_not_delivered_to_the_seat_that_mutes_them(sitting: Sitting) -> None:
    assert mute(sitting, 0, 2, 1, 2).json == {"seats": [1, 2]}
    assert sitting.look(0, "/seats/0/mutes").json == {"seats": [1, 2]}
    assert sitting.look(1, "/seats/1/mutes").json == {"seats": []}
    answer, stream = opened(sitting, 0)
    for seat, phrase in ((1, "hurry-up"), (2, "sorry"), (0, "hello")):
        assert say(sitting, seat, phrase).status_code == 201
    told = next(message for message in stream if message["event"] == "phrase")
    assert (told["data"]["seat"], told["data"]["phrase"]) == (0, "hello")
    answer.close()
    assert heard(sitting, 0) == [(0, "hello")]
    assert heard(sitting, 1) == [(1, "hurry-up"), (2, "sorry"), (0, "hello")]
    assert mute(sitting, 0, 2).json == {"seats": [2]}
    say(sitting, 1, "back")
    assert heard(sitting, 0) == [(0, "hello"), (1, "back")]


def test_mutes_belong_to_the_seat_and_end_with_its_token(sitting: Sitting) -> None:
    assert code_of(sitting.call(0, "PUT", "/seats/1/mutes", json={"seats": [0]})) == "forbidden"
    assert code_of(sitting.look(0, "/seats/1/mutes")) == "forbidden"
    assert code_of(mute(sitting, 0, 3)) == "not-found"
    assert mute(sitting, 0, 1).status_code == 200
    token: Any = sitting.call("owner", "POST", "/seats/0/token").json
    sitting.made["seats"][0]["token"] = token["token"]
    assert sitting.look(0, "/seats/0/mutes").json == {"seats": []}
    say(sitting, 1)
    assert heard(sitting, 0) == [(1, "hello")]


def test_only_seats_say_phrases_of_the_list(sitting: Sitting) -> None:
    assert [code_of(say(sitting, caller)) for caller in (SPECTATOR, "owner")] == ["unauthorized", "forbidden"]
    refused = say(sitting, 0, "free chat")
    assert (refused.status_code, code_of(refused)) == (422, "invalid-body")
    assert "/phrase" in refused.text
    assert heard(sitting, 0) == []
    sit_closed = sit(sitting.app, spectators="none")
    say(sit_closed, 0)
    assert code_of(sit_closed.look(SPECTATOR, "/phrases")) == "unauthorized"
    assert heard(sit_closed, "owner") == [(0, "hello")]


def test_a_repetition_says_a_phrase_once(sitting: Sitting, redis_client: redis.Redis) -> None:
    first, again = (say(sitting, 0, **{"Idempotency-Key": UUID}) for _ in range(2))
    assert (first.json, first.status_code) == (again.json, again.status_code)
    assert again.headers["Idempotency-Replayed"] == "true"
    for key in redis_client.scan_iter("o:*"):  # as if the process had died before it stored its response
        redis_client.delete(key)
    assert say(sitting, 0, **{"Idempotency-Key": UUID}).json == first.json
    assert heard(sitting, 1) == [(0, "hello")]


def test_a_seat_may_say_some_phrases_in_a_while(app: Flask, sitting: Sitting) -> None:
    clock = Clock()
    with freeze(app, clock):
        for _ in range(MAX_WINDOW_PHRASES):
            assert say(sitting, 0).status_code == 201
            clock.now += 1000
        refused = say(sitting, 0)
        assert (refused.status_code, code_of(refused)) == (429, "too-many-phrases")
        wait = int(refused.headers["Retry-After"])
        assert wait == WINDOW_MS // 1000 - MAX_WINDOW_PHRASES
        assert say(sitting, 1).status_code == 201, "each seat has its own limit"
        clock.now += 1000 * wait - 1
        assert say(sitting, 0).status_code == 429
        clock.now += 1
        assert say(sitting, 0).status_code == 201
    assert len(heard(sitting, 1)) == MAX_WINDOW_PHRASES + 2


def test_a_stream_repeats_the_phrases_of_the_last_minute(app: Flask, sitting: Sitting) -> None:
    clock = Clock()
    with freeze(app, clock):
        mute(sitting, 0, 2)
        for seat, phrase in ((1, "hello"), (2, "sorry")):
            say(sitting, seat, phrase)
        for age, told in ((RECENT_MS - 1, ["hello", "back"]), (RECENT_MS, ["back"])):
            clock.now = Clock.now + age
            answer, stream = opened(sitting, 0, "?after=1")
            clock.now = Clock.now - RECENT_MS
            say(sitting, 1, "back")
            found = [next(stream)["data"]["phrase"] for _ in told]
            answer.close()
            assert found == told


def test_a_lost_message_is_found_by_polling(sitting: Sitting, redis_client: redis.Redis) -> None:
    answer, stream = opened(sitting, 0)
    silent = [row for row in script("phrase").splitlines() if "PUBLISH" not in row]
    send_silently = redis_client.register_script("\n".join(silent))
    with patch.object(sitting.app.extensions["context"].sessions.store.phrases, "_send", send_silently):
        assert say(sitting, 1, "oh-no").status_code == 201
    told = next(message for message in stream if message["event"] == "phrase")
    assert told["data"]["phrase"] == "oh-no"
    answer.close()


def test_the_next_phrase_is_read_from_its_message_and_missed_ones_from_redis() -> None:
    sent = [Phrase(number=number, seat=0, phrase="hello", at=number) for number in range(1, 6)]
    lines = [msgspec.json.encode(msgspec.structs.replace(phrase, number=0)) for phrase in sent]
    reads = list[int]()

    def after(_session: str, number: int) -> list[Phrase]:
        reads.append(number)
        return sent[number:4]

    store: Any = SimpleNamespace(after=after)
    recent = RecentPhrases(store, "a session")
    assert recent.hear(1, lines[0]) == sent[:1]
    assert recent.hear(1, lines[0]) == [], "a repeated message"
    assert reads == []
    assert recent.hear(4, lines[3]) == sent[1:4], "two messages were lost"
    assert reads == [1]
    assert recent.hear(5, lines[4]) == sent[4:]
    assert (recent.since(0), recent.since(3), reads) == (sent, sent[3:], [1])


def test_a_phrase_sent_during_the_read_of_missed_ones_is_shown_once() -> None:
    sent = [Phrase(number=number, seat=0, phrase="hello", at=number) for number in (1, 2)]
    store: Any = SimpleNamespace(after=lambda _session, number: sent[number:])
    recent = RecentPhrases(store, "a session")
    assert recent.reach(1) == sent, "the second phrase came after its number was read"
    assert recent.hear(2, msgspec.json.encode(sent[1])) == []
    assert (recent.reach(2), recent.since(0)) == ([], sent)


def test_a_finished_table_says_good_game_and_an_ended_one_nothing(app: Flask) -> None:
    finished, aborted = sit(app), sit(app)
    finished.play_out()
    assert say(finished, 0, "good-game").status_code == 201
    assert heard(finished, 1) == [(0, "good-game")]
    say(aborted, 0)
    aborted.call("owner", "DELETE")
    assert (code_of(say(aborted, 0)), heard(aborted, 1)) == ("session-over", [(0, "hello")])


def test_a_session_that_is_gone_takes_no_phrase_and_no_mute(sitting: Sitting, redis_client: redis.Redis) -> None:
    load = sitting.app.extensions["context"].sessions.store.phrases.mutes

    def expire(*args: Any) -> Any:
        found = load(*args)
        redis_client.delete(keys.session(sitting.made["id"]))
        return found

    with patch.object(sitting.app.extensions["context"].sessions.store.phrases, "mutes", expire):
        assert code_of(say(sitting, 0)) == "unknown-session"
    assert code_of(say(sitting, 0)) == code_of(mute(sitting, 0)) == "unknown-session"
    assert not redis_client.exists(keys.session(sitting.made["id"]), keys.phrases(sitting.made["id"]))


def test_phrases_are_bounded_and_expire_with_their_session(app: Flask, redis_client: Redis) -> None:
    sitting, clock = sit(app), Clock()
    with freeze(app, clock):
        for _ in range(KEPT_PHRASES + 1):
            say(sitting, 0)
            clock.now += WINDOW_MS
    name = sitting.made["id"]
    assert redis_client.xlen(keys.phrases(name)) == KEPT_PHRASES
    life = redis_client.pttl(keys.session(name))
    assert 0 < redis_client.pttl(keys.phrases(name)) <= life
    shown: Any = sitting.look(1, "/phrases").json
    assert [each["number"] for each in shown["phrases"]] == list(range(2, KEPT_PHRASES + 2))


def test_an_erased_seat_has_said_nothing(sitting: Sitting) -> None:
    say(sitting, 0), say(sitting, 1, "sorry")
    assert sitting.call("owner", "POST", "/seats/0/erase").status_code == 204
    assert heard(sitting, 1) == [(1, "sorry")]


def test_phrases_have_an_etag_of_their_own(sitting: Sitting) -> None:
    before = sitting.look(0, "/phrases").headers["ETag"]
    assert sitting.look(0, "/phrases", If_None_Match=before).status_code == 304
    assert sitting.look(1, "/phrases", If_None_Match=before).status_code == 200
    assert sitting.look(0, "/phrases", If_None_Match=before, Accept_Language="it").status_code == 200
    say(sitting, 1)
    assert sitting.look(0, "/phrases", If_None_Match=before).status_code == 200


def test_moves_and_phrases_mix_in_a_stream(sitting: Sitting) -> None:
    answer, stream = opened(sitting, 0)
    say(sitting, 0)
    for seat in range(3):
        sitting.move(seat, bid(1))
    say(sitting, 1, "nice-move")
    sitting.move(0, take(1))
    found = list[Any]()
    while len(found) < 5:
        message = next(stream)
        if message["event"] != "presence":
            found.append(message["data"].get("phrase", message.get("id")))
    answer.close()
    assert found == ["hello", 2, 3, "nice-move", 4]
