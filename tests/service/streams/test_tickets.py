"""A ticket shows one viewer one thing for ten minutes; a picture is the caller's view, and runs nothing."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from tests.service.kit import PEOPLE, SPECTATOR, Clock, Sitting, application, bid, code_of, contents, freeze, sit
from tests.service.streams.hearing import chunks, parsed, read_stream

MINUTES_10 = 600_000


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app, *PEOPLE, game="hoher-rat", spectators="none")


def get(sitting: Sitting, address: str, **headers: str) -> TestResponse:
    return sitting.app.test_client().get(address, headers={name.replace("_", "-"): v for name, v in headers.items()})


def urls(sitting: Sitting, caller: int | None, **headers: str) -> dict[str, str]:
    shown = sitting.look(caller, **headers).json
    assert shown is not None
    return {"picture": shown["picture_url"], "events": shown["stream_url"]}


def ticket(address: str) -> str:
    return parse_qs(urlsplit(address).query)["ticket"][0]


def test_a_ticket_stands_in_for_the_token_of_the_seat_that_was_shown_it(
    sitting: Sitting, redis_client: redis.Redis
) -> None:
    for seat in (0, 1):
        given = urls(sitting, seat)
        assert get(sitting, given["picture"]).data == sitting.look(seat, "/picture").data
        answer = get(sitting, given["events"])
        stream = chunks(answer)
        next(stream)
        assert parsed(next(stream))[0]["data"]["you"] == {"seat": seat}
        answer.close()
        secrets = [ticket(address).rpartition(".")[2].encode() for address in given.values()]
        assert not [held for held in contents(redis_client).values() for secret in secrets if secret in held]


def test_a_ticket_is_good_for_one_purpose(sitting: Sitting) -> None:
    given = urls(sitting, 0)
    for purpose, other in (("picture", "events"), ("events", "picture")):
        answer = get(sitting, f"{sitting.here}/{purpose}?ticket={ticket(given[other])}")
        assert (answer.status_code, code_of(answer)) == (403, "forbidden")


def test_a_ticket_is_good_for_one_session(app: Flask, sitting: Sitting) -> None:
    other = sit(app, *PEOPLE, game="hoher-rat", spectators="none")
    answer = get(sitting, f"{sitting.here}/picture?ticket={ticket(urls(other, 0)['picture'])}")
    assert (answer.status_code, code_of(answer)) == (401, "unauthorized")


def test_a_ticket_is_good_for_ten_minutes_and_an_open_stream_longer(app: Flask) -> None:
    clock = Clock()
    with freeze(app, clock):
        sitting = sit(app, *PEOPLE, game="hoher-rat", spectators="none")
        given = urls(sitting, 0)
        opened = get(sitting, given["events"])
        stream = chunks(opened)
        next(stream)
        clock.now += MINUTES_10 - 1
        assert get(sitting, given["picture"]).status_code == 200
        clock.now += 1
        for address in given.values():
            answer = get(sitting, address)
            assert (answer.status_code, code_of(answer)) == (401, "unauthorized")
            assert "WWW-Authenticate" in answer.headers
        assert parsed(next(stream))[0]["event"] == "state"
        opened.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda good: good[:-9] + ("A" if good[-9] != "A" else "B") + good[-8:],
        lambda good: good.replace(".0.picture", ".1.picture"),
        lambda good: good.rpartition(".")[0],
        lambda good: good + "x",
        lambda _: "",
        lambda _: "x" * 5000,
        lambda _: "%00.%F0%9F%8E%B2",
    ],
    ids=["another signature", "another seat", "no signature", "longer", "empty", "very long", "no ticket at all"],
)
def test_a_ticket_that_was_changed_is_none(sitting: Sitting, change: object) -> None:
    assert callable(change)
    answer = get(sitting, f"{sitting.here}/picture?ticket={change(ticket(urls(sitting, 0)['picture']))}")
    assert (answer.status_code, code_of(answer)) == (401, "unauthorized")


def test_tickets_of_another_services_secret_are_none(app: Flask, redis_server: str) -> None:
    sitting = sit(app)
    other = application(redis_url=redis_server).test_client()
    assert other.get(urls(sitting, 0)["picture"]).status_code == 401


def test_where_a_token_is_sent_it_counts_and_no_ticket(sitting: Sitting) -> None:
    given = urls(sitting, 0)["picture"]
    token = sitting.token(1)["Authorization"]
    assert get(sitting, given, Authorization=token).data == sitting.look(1, "/picture").data
    assert get(sitting, given, Authorization="Bearer nobody").status_code == 401
    assert get(sitting, given, Authorization=sitting.token("owner")["Authorization"]).status_code == 403


def test_a_ticket_opens_only_its_target(sitting: Sitting) -> None:
    good = ticket(urls(sitting, 0)["picture"])
    for method, part in (("GET", ""), ("GET", "/history"), ("GET", "/presence"), ("POST", "/moves"), ("DELETE", "")):
        answer = sitting.app.test_client().open(f"{sitting.here}{part}?ticket={good}", method=method, json={})
        assert answer.status_code in {401, 422}
        answer = sitting.app.test_client().open(
            f"{sitting.here}{part}", method=method, json={}, headers={"Authorization": f"Bearer {good}"}
        )
        assert answer.status_code == 401


def test_a_picture_is_the_callers_view_as_the_stateless_engine_draws_it(sitting: Sitting) -> None:
    for caller in (0, 1):
        for theme in ("light", "dark"):
            view = sitting.standing(caller)["view"]
            drawn = sitting.app.test_client().post(
                f"/v1/games/hoher-rat/pictures?theme={theme}", json={"view": view}, headers={"Accept-Language": "it"}
            )
            answer = sitting.look(caller, f"/picture?theme={theme}", Accept_Language="it")
            assert answer.data == drawn.data
            assert answer.mimetype == "image/svg+xml"
    assert sitting.look(0, "/picture").data != sitting.look(1, "/picture").data


def test_a_picture_is_shown_and_never_run(sitting: Sitting) -> None:
    headers = sitting.look(0, "/picture").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"


def test_a_picture_from_an_angle_is_another_one_to_a_cache(app: Flask) -> None:
    sitting = sit(app)
    seen = sitting.look(0, "/picture?angle=-90")
    assert seen.headers["ETag"] == sitting.tag('"1.en.picture-light-270"')
    assert sitting.look(0, "/picture?angle=-90", If_None_Match=seen.headers["ETag"]).status_code == 304
    assert sitting.look(0, "/picture", If_None_Match=seen.headers["ETag"]).status_code == 200
    assert seen.data == sitting.look(0, "/picture").data, "all lies flat in this game"
    assert sitting.look(0, "/picture?angle=360").status_code == 422


def test_an_address_with_a_ticket_speaks_the_language_in_which_it_was_asked_for(app: Flask) -> None:
    sitting = sit(app)
    given = urls(sitting, 0, Accept_Language="it")
    sitting.call("owner", "DELETE")
    assert get(sitting, given["picture"], Accept_Language="de").headers["Content-Language"] == "it"
    assert read_stream(sitting, 0, "?language=it") == parsed(get(sitting, given["events"]).text)


def test_each_form_and_width_of_a_sessions_picture_has_an_etag_of_its_own(app: Flask) -> None:
    sitting = sit(app, *PEOPLE)
    asked = [("", "*/*"), ("?width=360", "*/*"), ("", "image/png"), ("?width=360", "image/png")]
    tags = {}
    for query, accept in asked:
        answer = sitting.look(0, f"/picture{query}", Accept=accept)
        assert answer.status_code == 200
        tags[query, accept] = answer.headers["ETag"]
        vary = {name.strip() for name in answer.headers["Vary"].split(",")}
        assert {"Accept", "Authorization", "Accept-Language"} <= vary
    assert len(set(tags.values())) == len(asked)
    for query, accept in asked:
        for tag in tags.values():
            answer = sitting.look(0, f"/picture{query}", Accept=accept, If_None_Match=tag)
            assert answer.status_code == (304 if tag == tags[query, accept] else 200)
            assert "Accept" in [name.strip() for name in answer.headers["Vary"].split(",")]
    drawn = sitting.look(0, "/picture?width=360", Accept="image/png")
    assert drawn.content_type == "image/png"
    assert int.from_bytes(drawn.data[16:20], "big") == 360
    given = urls(sitting, 0)["picture"]
    assert get(sitting, f"{given}&width=360", Accept="image/png").data == drawn.data


@pytest.fixture
def aging(app: Flask) -> Iterator[tuple[Sitting, Clock, str, list[str]]]:
    """Yield a session whose tickets have expired, its clock, a seat's stream address, and the cursors it was sent."""
    clock = Clock()
    with freeze(app, clock):
        sitting = sit(app)
        address = urls(sitting, 0)["events"]
        sent = [read_first(get(sitting, address))["cursor"]]
        assert sitting.move(0, bid(1)).status_code == 201
        sent.append(read_first(get(sitting, address, Last_Event_ID=sent[0]))["cursor"])
        clock.now += MINUTES_10
        yield sitting, clock, address, sent


def read_first(answer: TestResponse) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    for chunk in chunks(answer):
        for message in parsed(chunk):
            if "cursor" in message:
                answer.close()
                return message
    raise AssertionError("no message has an id")


def test_an_expired_ticket_resumes_a_stream_after_its_last_event(
    aging: tuple[Sitting, Clock, str, list[str]],
) -> None:
    sitting, clock, address, (first, second) = aging
    assert read_first(get(sitting, address, Last_Event_ID=first))["cursor"] == second
    clock.now += 24 * 60 * MINUTES_10
    assert sitting.move(1, bid(2)).status_code == 201
    third = read_first(get(sitting, address, Last_Event_ID=second))
    assert (third["event"], third["id"]) == ("change", 3)


def test_an_expired_ticket_opens_nothing_without_a_sent_event(
    aging: tuple[Sitting, Clock, str, list[str]],
) -> None:
    sitting, _, address, (first, _) = aging
    others = [read_first(sitting.look(caller, "/events"))["cursor"] for caller in (1, SPECTATOR)]
    assert not {first.partition("~")[2]} & {other.partition("~")[2] for other in others}
    for cursor in ("", "0", "1", "2", "0~0123456789ab", f"0~{first.partition('~')[2]}", "1~0123", "1~"):
        answer = get(sitting, address, Last_Event_ID=cursor)
        assert answer.status_code in {401, 422}, cursor
        assert get(sitting, f"{address}&after={cursor or 0}").status_code in {401, 422}, cursor
    for cursor in ("1~0123456789ab", "2~0123456789ab", "9~0123456789ab", *others):
        answer = get(sitting, address, Last_Event_ID=cursor)
        assert (answer.status_code, code_of(answer)) == (410, "history-cut"), cursor
    picture = f"{sitting.here}/picture?ticket={ticket(address)}"
    assert get(sitting, picture, Last_Event_ID=first).status_code == 401
    assert get(sitting, address.replace("/events", ""), Last_Event_ID=first).status_code == 422


def test_an_expired_ticket_dies_with_its_token(aging: tuple[Sitting, Clock, str, list[str]]) -> None:
    sitting, _, address, (_, second) = aging
    assert sitting.call("owner", "POST", "/seats/0/token").status_code == 201
    assert get(sitting, address, Last_Event_ID=second).status_code == 401
