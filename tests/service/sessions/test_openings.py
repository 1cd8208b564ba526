"""The log of a session begins with the set-up of its table: for each audience its own part, and once."""

from typing import Any

import pytest
from flask import Flask

from games.core.registry import registered
from tests.service.kit import SESSIONS, Sitting, sit
from tests.service.streams.hearing import audiences

GAMES = registered()
FIRST = {
    "barbarossa": "hall_opened",
    "gartenzwerge": "round_begun",
    "hoher-rat": "council_convened",
    "wichtel": "village_set_up",
}
"""The event that begins the log of a new table."""

EVENTS_BY_GAME = {**FIRST, "wichtel": "village_found"}
"""The event that begins the log of a table some moves after its set-up."""

OWN = {"hoher-rat": "cards_drawn", "wichtel": "hand_dealt"}
"""The event that names a seat's own hand."""

EVERY_SIZE = [(slug, seats) for slug, game in GAMES.items() for seats in game.seat_numbers]
every_size = pytest.mark.parametrize(("slug", "seats"), EVERY_SIZE)
each_game = pytest.mark.parametrize("slug", GAMES)


def people(seats: int, kind: str = "human") -> list[dict[str, str]]:
    return [{"kind": kind}] * seats


def opening_events(sitting: Sitting, caller: int | str | None) -> list[dict[str, Any]]:
    answer = sitting.look(caller, "/history")
    assert answer.status_code == 200, answer.text
    return list(answer.json["lines"][0]["events"])  # type: ignore[index]


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [told["event"]["kind"] for told in events]


def snapshot_of(app: Flask, slug: str, seats: int, query: str = "") -> Any:
    body = {"seat_count": seats, **({} if query else {"seed": "noon"})}
    answer = app.test_client().post(f"/v1/games/{slug}/snapshots{query}", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json


@every_size
def test_a_session_begins_with_the_set_up_and_hides_hands(every_game: Flask, slug: str, seats: int) -> None:
    sitting = sit(every_game, *people(seats), game=slug)
    for caller in (*range(seats), None):
        told = opening_events(sitting, caller)
        assert kinds(told)[:2] == ["session_started", FIRST[slug]]
        if slug in OWN:
            shown = [each["event"] for each in told if each["event"]["kind"] == OWN[slug]]
            hands = [event["seat"] for event in shown if event.get("cards") or event.get("gnomes")]
            assert hands == ([] if caller is None else [caller])


@each_game
def test_with_the_last_seat_claimed_the_set_up_is_told_and_not_before(every_game: Flask, slug: str) -> None:
    seats = GAMES[slug].seat_numbers[0]
    sitting = sit(every_game, *people(seats - 1), {"kind": "open"}, game=slug, seed=None)
    assert kinds(opening_events(sitting, 0)) == ["session_set_up"]
    body = {"code": sitting.made["seats"][-1]["invite"]}
    present = Sitting(every_game, {**sitting.made, "seats": sitting.made["seats"][:-1]})
    with audiences(present) as listening:
        answer = sitting.call(None, "POST", f"/seats/{seats - 1}/claim", json=body)
        assert answer.status_code in {200, 201}, answer.text
        assert sitting.call("owner", "DELETE").status_code == 204
        for audience in listening:
            messages = audience.messages.result(30)
            told = [each["event"]["kind"] for message in messages for each in message["data"].get("events", ())]
            assert told.count(FIRST[slug]) == 1


@each_game
def test_a_rematch_begins_with_its_own_set_up(every_game: Flask, slug: str) -> None:
    sitting = sit(every_game, *people(GAMES[slug].seat_numbers[0]), game=slug)
    assert sitting.call(0, "POST", "/resign", json={"then": "forfeit"}).status_code == 200
    made = sitting.call(0, "POST", "/rematch").json
    seats = sitting.made["seats"]
    rematch = Sitting(every_game, {**sitting.made, "links": made["links"], "seats": [seats[-1], *seats[:-1]]})  # type: ignore[index]
    assert kinds(opening_events(rematch, 0))[:2] == ["session_started", FIRST[slug]]


@each_game
@pytest.mark.parametrize("moves", [0, 3])
def test_a_branch_begins_with_the_set_up_or_with_how_its_table_stands(every_game: Flask, slug: str, moves: int) -> None:
    sitting = sit(every_game, *people(GAMES[slug].seat_numbers[0]), game=slug)
    for _ in range(moves):
        seat = next(seat for seat in sitting.look(0).json["actors"] if sitting.moves(seat))  # type: ignore[index]
        assert sitting.move(seat, sitting.moves(seat)[0]["move"]).status_code == 201
    made = sitting.call(0, "POST", "/branches", json={"seats": people(GAMES[slug].seat_numbers[0])}).json
    told = opening_events(Sitting(every_game, made["session"]), 0)  # type: ignore[index]
    expected = (EVENTS_BY_GAME if moves else FIRST)[slug]
    if slug == "barbarossa" and moves == GAMES[slug].seat_numbers[0]:
        expected = "wizard_turn_begun"
    assert kinds(told)[:2] == ["session_started", expected]


@each_game
def test_a_snapshot_comes_with_its_set_up_and_a_session_from_it_tells_it(every_game: Flask, slug: str) -> None:
    seats = GAMES[slug].seat_numbers[0]
    made = snapshot_of(every_game, slug, seats)
    assert kinds(made["events"])[0] == FIRST[slug]
    assert made["events"][0]["hearers"] == [*range(seats), "spectators"]
    wanted = {"game": slug, "seats": people(seats), "spectators": "live", "snapshot": made["snapshot"]}
    answer = every_game.test_client().post(SESSIONS, json=wanted)
    assert answer.status_code == 201, answer.text
    told = opening_events(Sitting(every_game, answer.json), 1)  # type: ignore[arg-type]
    assert [each["text"] for each in told[1:]] == [each["text"] for each in made["events"] if 1 in each["hearers"]]
    record = {"seat_count": seats, "seed": "noon", "moves": []}
    replayed: Any = every_game.test_client().post(f"/v1/games/{slug}/replays", json=record).json
    assert {each["text"] for each in replayed["events"]} <= {each["text"] for each in made["events"]}
    assert kinds(replayed["events"])[0] == FIRST[slug]


@each_game
def test_a_sealed_snapshot_tells_each_seat_its_own_set_up_beside_its_key(every_game: Flask, slug: str) -> None:
    seats = GAMES[slug].seat_numbers[0]
    made = snapshot_of(every_game, slug, seats, "?sealed=true")
    told = {each["seat"]: each["events"] for each in made["seat_keys"]} | {None: made["events"]}
    for seat, events in told.items():
        assert kinds(events)[0] == FIRST[slug]
        shown = [each["event"] for each in events if each["event"]["kind"] == OWN.get(slug)]
        hands = [event["seat"] for event in shown if event.get("cards") or event.get("gnomes")]
        assert hands == ([] if seat is None or slug not in OWN else [seat])
