"""Decisions are taken back by consent of all other persons, and chance never repeats."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask import Flask
from werkzeug.test import TestResponse

import service.sessions.create
import service.sessions.undo
from service.auth.session_ledger import SessionLedger
from service.sessions import mending
from service.sessions.charging import settle_bots
from service.sessions.clocks import SEALED_LEFT_MS, time_out_at
from service.sessions.reading import load, read_whole_log
from service.sessions.states import course
from service.sessions.undo import ask as ask_for_undo
from service.sessions.undo import consent as consent_to_undo
from service.store.sessions import Clock, Clocks, Seat, Session
from tests.service.kit import (
    BOT,
    NOON,
    PEOPLE,
    PERSON,
    SPECTATOR,
    Room,
    Sitting,
    bid,
    code_of,
    lowest,
    sceptic,
    sit,
    take,
    verdict,
)
from tests.service.sessions.test_clocks import entries, move
from tests.service.streams.hearing import NDJSON, final_state, read_stream
from tests.toy.table import BID, TAKE
from workers.sessions import bot_turns

SPECTATORS = -1
IDEMPOTENT = {"Idempotency-Key": "once"}


def begin(app: Flask, *seats: dict[str, Any], **body: Any) -> Sitting:
    """Create a session at which decisions may be taken back."""
    return sit(app, *seats, undo="consent", **body)


def open_session(app: Flask, **body: Any) -> tuple[Sitting, int]:
    """Return a session of two after the bids, and the seat that takes pebbles."""
    sitting = begin(app, **body)
    assert sitting.move(0, bid(1)).status_code == 201
    assert sitting.move(1, bid(0)).status_code == 201
    return sitting, 0


def ask(sitting: Sitting, seat: int, part: str = "", version: int | None = None, **kwargs: Any) -> TestResponse:
    tag = f'"{sitting.version(seat) if version is None else version}"'
    headers = {"If-Match": tag, **kwargs.pop("headers", {})}
    return sitting.call(seat, "POST", f"/undo{part}", headers=headers, **kwargs)


def consent(sitting: Sitting, seat: int, **kwargs: Any) -> TestResponse:
    return ask(sitting, seat, "/consent", **kwargs)


def refuse(sitting: Sitting, seat: int, **kwargs: Any) -> TestResponse:
    return sitting.call(seat, "POST", "/undo/refuse", **kwargs)


def table_of(sitting: Sitting, caller: int | None) -> dict[str, Any]:
    seen = sitting.standing(caller)
    return {name: seen[name] for name in ("view", "actors", "headline")}


def kinds(sitting: Sitting, caller: int | None = SPECTATOR) -> list[str]:
    lines: Any = sitting.look(caller, "/history").json
    return [event["event"]["kind"] for line in lines["lines"] for event in line["events"]]


def state_for(sitting: Sitting, caller: int | None) -> dict[str, Any]:
    return {name: part for name, part in sitting.standing(caller).items() if name != "links"}


def streamed_state(sitting: Sitting, caller: int | None) -> dict[str, Any]:
    """Return the state that the messages of a caller's whole stream lead to, read after the end."""
    found: dict[str, Any] = final_state(read_stream(sitting, caller, "?after=0", Accept=NDJSON))
    return found


def test_the_last_decision_is_taken_back_once_the_other_person_consents(app: Flask) -> None:
    sitting, seat = open_session(app)
    before = {caller: table_of(sitting, caller) for caller in (0, 1, SPECTATOR)}
    assert sitting.move(seat, take(1)).status_code == 201
    version = sitting.version(1)
    asked: Any = ask(sitting, seat)
    assert (asked.status_code, asked.json["undo_request"]) == (200, {"seat": seat, "awaited": [1]})
    assert asked.headers["ETag"].startswith(f'"{asked.json["version"]}.')
    for caller in (0, 1, SPECTATOR):
        assert sitting.standing(caller)["undo_request"] == {"seat": seat, "awaited": [1]}
    answer: Any = consent(sitting, 1)
    assert (answer.status_code, answer.json["version"], "undo_request" in answer.json) == (200, version + 2, False)
    assert {caller: table_of(sitting, caller) for caller in (0, 1, SPECTATOR)} == before
    assert kinds(sitting)[-4:] == ["pebbles_taken", "undo_asked", "undo_consented", "decision_undone"]
    lines: Any = sitting.look(1, "/history").json
    assert [line.get("undone", False) for line in lines["lines"][-3:]] == [True, False, False]
    assert sitting.stored().undone == 1
    assert sitting.move(seat, take(2)).status_code == 201
    assert sitting.stored().undone == 1


def test_bids_that_were_opened_are_sealed_again_and_a_seat_may_go_back_further_by_asking_again(app: Flask) -> None:
    sitting, seat = open_session(app)
    fresh = table_of(sitting, seat)
    sitting.move(seat, take(1))
    for _ in range(2):
        assert ask(sitting, seat).status_code == 200
        assert consent(sitting, 1).status_code == 200
    assert sitting.standing(seat)["actors"] == [0, 1]
    assert sitting.standing(seat)["view"] != fresh["view"]
    assert [sitting.moves(caller) != [] for caller in (0, 1)] == [True, True]
    refused = ask(sitting, seat)
    assert (refused.status_code, code_of(refused)) == (409, "nothing-to-undo")
    assert sitting.stored().undone == 3
    sitting.play_out()
    for caller in (0, 1, SPECTATOR):
        assert streamed_state(sitting, caller) == state_for(sitting, caller)


@pytest.mark.parametrize("who", [0, 1], ids=["withdrawn", "refused"])
def test_a_refused_or_withdrawn_undo_stays_so(app: Flask, who: int) -> None:
    sitting, seat = open_session(app)
    sitting.move(seat, take(1))
    before = table_of(sitting, 1)
    ask(sitting, seat)
    answer: Any = refuse(sitting, who)
    assert (answer.status_code, "undo_request" in answer.json) == (200, False)
    assert (table_of(sitting, 1), kinds(sitting)[-1]) == (before, "undo_refused")
    again = ask(sitting, seat)
    assert (again.status_code, code_of(again)) == (409, "undo-denied")
    for late in (consent(sitting, 1), refuse(sitting, 1), refuse(sitting, seat)):
        assert (late.status_code, code_of(late)) == (409, "no-undo-pending")
    other = 1
    assert sitting.move(other, take(1)).status_code == 201
    assert ask(sitting, other).status_code == 200, "another decision may be asked for"
    assert sitting.stored().undone == 0


def test_a_move_that_all_hear_ends_a_request_and_it_may_be_asked_for_again(app: Flask) -> None:
    sitting, seat = open_session(app)
    sitting.move(seat, take(1))
    assert ask(sitting, seat).status_code == 200
    version = sitting.version(1)
    pending = ask(sitting, 1)
    assert (pending.status_code, code_of(pending)) == (409, "undo-pending")
    assert sitting.move(1, take(1)).status_code == 201
    assert "undo_request" not in sitting.standing(SPECTATOR)
    late = consent(sitting, 1, version=version)
    assert (late.status_code, code_of(late)) == (412, "stale-version")
    late = consent(sitting, 1)
    assert (late.status_code, code_of(late)) == (409, "no-undo-pending")
    assert ask(sitting, seat).status_code == 200
    assert consent(sitting, 1).status_code == 200
    session = sitting.stored()
    assert (session.undone, sitting.standing(0)["actors"]) == (2, [seat])


def test_sealed_answers_wake_nobody_while_a_request_is_pending_and_are_undone_with_the_rest(app: Flask) -> None:
    sitting = begin(app, PERSON, PERSON, PERSON)
    sitting.move(0, bid(2))
    ask(sitting, 0)
    before = {caller: sitting.look(caller) for caller in (0, 2, SPECTATOR)}
    assert sitting.move(1, bid(1)).status_code == 201
    for caller, seen in before.items():
        after = sitting.look(caller)
        assert (after.headers["ETag"], after.json["undo_request"]) == (  # type: ignore[index]
            seen.headers["ETag"],
            {"seat": 0, "awaited": [1, 2]},
        )
    assert consent(sitting, 1).json["undo_request"] == {"seat": 0, "awaited": [2]}  # type: ignore[index]
    twice = consent(sitting, 1)
    assert (twice.status_code, code_of(twice)) == (409, "no-undo-pending")
    assert consent(sitting, 2).status_code == 200
    assert [bool(sitting.moves(seat)) for seat in range(3)] == [True] * 3
    assert sitting.stored().undone == 2
    assert {caller: sitting.look(caller, "/history").json["total"] for caller in (0, 1, 2)} == {  # type: ignore[index]
        0: 5,
        1: 5,
        2: 4,
    }


def test_a_seat_that_consented_may_still_refuse(app: Flask) -> None:
    sitting = begin(app, PERSON, PERSON, PERSON)
    sitting.move(0, bid(2))
    ask(sitting, 0)
    assert consent(sitting, 2).status_code == 200
    assert refuse(sitting, 2).status_code == 200
    assert code_of(consent(sitting, 1)) == "no-undo-pending"


def test_bots_consent_and_so_do_those_who_left_their_seats_to_one(app: Flask) -> None:
    sitting = begin(app, PERSON, BOT, PERSON)
    sitting.move(0, bid(1))
    assert sitting.call(2, "POST", "/resign").status_code == 200
    answer: Any = ask(sitting, 0)
    assert (answer.status_code, "undo_request" in answer.json) == (200, False)
    assert kinds(sitting)[-2:] == ["undo_asked", "decision_undone"]
    assert sitting.moves(0)
    assert sitting.stored().undone == 1


def test_a_session_is_founded_without_undo_unless_it_is_wished_for(app: Flask) -> None:
    plain = sit(app)
    assert plain.move(0, bid(1)).status_code == 201
    for answer in (ask(plain, 0), consent(plain, 1), refuse(plain, 1)):
        assert (answer.status_code, code_of(answer)) == (409, "undo-off")
    assert "undo" not in plain.made
    wished = begin(app)
    assert (wished.made["undo"], wished.standing(1)["undo"], wished.standing(None)["undo"]) == ("consent",) * 3


def test_an_undo_request_during_another_answer_counts(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = begin(app, *PEOPLE, PERSON)
    sitting.move(0, bid(1))
    others = iter((1,))

    def read_late(*arguments: Any) -> Any:
        for seat in others:
            with ThreadPoolExecutor(1) as another:
                assert another.submit(sitting.move, seat, bid(1)).result().status_code == 201
        return read_whole_log(*arguments)

    monkeypatch.setattr(service.sessions.undo, "read_whole_log", read_late)
    answer: Any = ask(sitting, 0)
    assert answer.status_code == 200, answer.text
    assert answer.json["undo_request"]["seat"] == 0


Wrong = tuple[Callable[[Sitting], TestResponse], int, str]
WRONG: dict[str, Wrong] = {
    "no decision made": (lambda sitting: ask(sitting, 1), 409, "nothing-to-undo"),
    "nobody asks": (lambda sitting: consent(sitting, 1), 409, "no-undo-pending"),
    "nothing to refuse": (lambda sitting: refuse(sitting, 0), 409, "no-undo-pending"),
    "a spectator": (lambda sitting: sitting.call(SPECTATOR, "POST", "/undo"), 401, "unauthorized"),
    "the owner": (lambda sitting: sitting.call("owner", "POST", "/undo/refuse"), 403, "forbidden"),
    "no version": (lambda sitting: sitting.call(0, "POST", "/undo"), 428, "precondition-required"),
    "an old version": (lambda sitting: ask(sitting, 0, version=1), 412, "stale-version"),
}


@pytest.mark.parametrize("name", WRONG)
def test_whatever_is_refused_changes_nothing(app: Flask, name: str) -> None:
    sitting = begin(app)
    sitting.move(0, bid(1))
    before = sitting.stored()
    act, status, code = WRONG[name]
    answer = act(sitting)
    assert (answer.status_code, code_of(answer)) == (status, code)
    assert sitting.stored() == before


def test_after_the_end_and_before_the_beginning_nothing_is_taken_back(app: Flask) -> None:
    sitting, _ = open_session(app)
    sitting.play_out()
    assert [code_of(answer) for answer in (ask(sitting, 0), consent(sitting, 1), refuse(sitting, 1))] == [
        "session-over"
    ] * 3
    waiting = begin(app, PERSON, {"kind": "open"})
    assert code_of(ask(waiting, 0)) == "session-waiting"


@pytest.fixture
def cards(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Sitting:
    """Return a session that is not for practice, in which each of three cards was drawn three times, played out."""
    monkeypatch.setattr(service.sessions.create, "session_key", lambda *_: bytes(range(32)))
    sitting = begin(app, seed=None, options={"heap": 40})
    for seat in (0, 1):
        sitting.move(seat, bid(0))
    for _ in range(3):
        (seat,) = sitting.standing(SPECTATOR)["actors"]
        for _ in range(2):
            play_card(sitting, seat)
            assert ask(sitting, seat).status_code == 200
            assert consent(sitting, 1 - seat).status_code == 200
        play_card(sitting, seat)
    sitting.play_out()
    sitting.stored()
    return sitting


def play_card(sitting: Sitting, seat: int) -> None:
    move = sitting.moves(seat)[-1]["move"]
    assert move["kind"] == "play_pebble_card"
    assert sitting.move(seat, move).status_code == 201


def test_repeated_draws_are_fresh_and_all_are_in_the_proof(cards: Sitting, checkout: Path) -> None:
    proof: Any = cards.look(0, "/fairness").json
    plies = [move["ply"] for move in proof["moves"]]
    assert plies[:12] == [0, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5]
    assert [move.get("undone", False) for move in proof["moves"]][2:11] == [True, True, False] * 3
    found = verdict(cards.app, proof)
    assert (found["fair"], found["faults"], found["moves"]) == (True, [], len(plies))
    code, said = sceptic(checkout, proof, cards.made["fairness"]["commitment"])
    assert (code, said[:5]) == (0, "fair:"), said
    drawn = [move["draws"][0]["value"] for move in proof["moves"][2:11]]
    assert any(len(set(drawn[first : first + 3])) > 1 for first in (0, 3, 6)), "the dice do not repeat"


CHANGES: dict[str, tuple[Callable[[list[Any]], Any], str]] = {
    "one is not marked": (lambda moves: moves[3].pop("undone"), "/moves/4/ply"),
    "further back than those marked": (lambda moves: moves[5].update(ply=1), "/moves/5/ply"),
    "one is left out": (lambda moves: moves.pop(3), "/moves/3/draws/0"),
    "the draws of another": (lambda moves: moves[4].update(draws=moves[3]["draws"]), "/moves/4/draws/0"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_proof_in_which_undone_moves_are_changed_is_found_out(cards: Sitting, name: str) -> None:
    proof: Any = cards.look(0, "/fairness").json
    change, pointer = CHANGES[name]
    change(proof["moves"])
    found = verdict(cards.app, proof)
    assert (found["fair"], [fault["pointer"] for fault in found["faults"]]) == (False, [pointer])


def test_after_the_end_all_is_told_and_the_replay_has_what_stands(cards: Sitting) -> None:
    sitting = cards
    lines: Any = sitting.look(1, "/history").json
    undone = [line for line in lines["lines"] if line.get("undone")]
    assert ([line["move"]["kind"] for line in undone], {len(line["draws"]) for line in undone}) == (
        ["play_pebble_card"] * 6,
        {1},
    )
    record: Any = sitting.look(1, "/replay").json
    made = [line for line in lines["lines"] if "move" in line]
    assert len(record["moves"]) == len(made) - 6
    replayed: Any = cards.app.test_client().post("/v1/games/pebbles/replays", json=record).json
    assert (replayed["fits"], len(replayed["moves"])) == (True, len(record["moves"]))
    page: Any = sitting.look(1, f"/history?first={lines['total'] - 1}").json
    assert page["lines"] == lines["lines"][-1:]
    for caller in (0, 1, SPECTATOR):
        assert streamed_state(sitting, caller) == state_for(sitting, caller)


def test_a_branch_is_dealt_from_any_version_before_and_after(app: Flask) -> None:
    sitting, seat = open_session(app)
    versions = {}
    sitting.move(seat, take(3))
    versions[sitting.version(seat)] = table_of(sitting, seat)["view"]
    ask(sitting, seat)
    consent(sitting, 1)
    versions[sitting.version(seat)] = table_of(sitting, seat)["view"]
    sitting.move(seat, take(1))
    for version, view in versions.items():
        body = {"version": version, "kind": "snapshot"}
        dealt: Any = sitting.call(seat, "POST", "/branches", json=body).json
        wanted = {"snapshot": dealt["snapshot"], "seat": seat}
        assert app.test_client().post("/v1/games/pebbles/views", json=wanted).json == view


CLOCK = Clock(move_ms=20_000, bank_ms=10_000, increment_ms=60_000, policy="random")


def clocks_of(room: Room, name: str) -> tuple[tuple[int, ...], list[int]]:
    """Return the banks of a session and how much time each seat has left, after its log was read again."""
    session = load(room.services, name)
    again = mending.replayed(room.services, session).session
    assert (again.opened, again.banks, again.answered) == (session.opened, session.banks, session.answered)
    return session.banks, [time_out_at(session, seat) - room.clock.now for seat in range(len(session.seats))]


def take_back(room: Room, name: str, seat: int, *others: int) -> None:
    drawn = str(room.services.entropy(8))
    session = load(room.services, name)
    ask_for_undo(room.services, session, seat, session.versions[seat], drawn)
    for other in others:
        session = load(room.services, name)
        consent_to_undo(room.services, session, other, session.versions[other], drawn)


def test_undone_moves_earn_no_time(room: Room) -> None:
    clock = Clock(move_ms=5_000, bank_ms=10_000, increment_ms=60_000, policy="random")
    name = room.begin(Seat(kind="human"), Seat(kind="bot", level="random"), undo="consent", clock=clock).session.id
    move(room, name, 0, BID + 2)
    bot_turns.play(room.services, name, lowest, sleep=room.clock.sleep)
    room.clock.now += 1_000
    before = clocks_of(room, name)
    for _ in range(6):
        room.clock.now += 1_000
        move(room, name, 0, TAKE + 1)
        bot_turns.play(room.services, name, lowest, sleep=room.clock.sleep)
        assert clocks_of(room, name)[0][0] > before[0][0]
        take_back(room, name, 0)
    banks, left = clocks_of(room, name)
    assert (banks, left[0]) == (before[0], before[1][0] - 6_000), "each undone thought took its second"
    assert room.due.time(name) == room.clock.now + left[0]


def test_every_clock_goes_back_with_the_table_whoever_was_asked_and_however_long_it_took(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="human"), undo="consent", clock=CLOCK).session.id
    move(room, name, 0, BID + 1)
    move(room, name, 1, BID)
    room.clock.now += 23_000
    before = clocks_of(room, name)
    move(room, name, 0, TAKE + 1)
    room.clock.now += 70_000
    take_back(room, name, 0, 1)
    assert clocks_of(room, name) == before
    move(room, name, 0, TAKE + 1)
    (bank, _), _ = clocks_of(room, name)
    assert bank == before[0][0], "what the decision took is taken out when the next one opens"


def test_a_sealed_answer_that_is_undone_tells_nobody_when_it_was_given(room: Room) -> None:
    shown = set()
    for thought in (1_000, 19_000):
        room.clock.now = NOON
        name = room.begin(Seat(kind="human"), Seat(kind="human"), undo="consent", clock=CLOCK).session.id
        room.clock.now = NOON + thought
        move(room, name, 0, BID + 1)
        room.clock.now = NOON + 25_000
        take_back(room, name, 0, 1)
        banks, left = clocks_of(room, name)
        shown.add((banks, tuple(left)))
    assert shown == {((10_000, 10_000), (5_000, 5_000))}


def test_a_sealed_answer_is_not_undone_into_a_time_out(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="human"), undo="consent", clock=CLOCK).session.id
    move(room, name, 0, BID + 1)
    room.clock.now += 31_000
    take_back(room, name, 0, 1)
    assert clocks_of(room, name) == ((10_000, 10_000), [SEALED_LEFT_MS] * 2)


def test_a_sealed_answer_is_undone_without_a_clock(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="human"), undo="consent").session.id
    move(room, name, 0, BID + 1)
    room.clock.now += 31_000
    take_back(room, name, 0, 1)
    assert load(room.services, name).opened == (NOON, NOON)


def test_a_move_that_the_clock_made_is_undone_without_time(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="bot", level="random"), undo="consent", clock=CLOCK).session.id
    move(room, name, 0, BID + 2)
    bot_turns.play(room.services, name, lowest, sleep=room.clock.sleep)
    room.clock.now = room.due.time(name) or 0
    room.look()
    made = entries(room, name)
    take_back(room, name, 0)
    assert clocks_of(room, name)[1][0] == 0
    room.look()
    assert len(entries(room, name)) == len(made) + 1


class Refunds(SessionLedger):
    """A ledger that records what it would give back."""

    def __init__(self) -> None:
        self.made: Mapping[int, int] = {}

    def settle(
        self, _name: str, _session_id: str, _seats: Sequence[int], moves: Callable[[], Mapping[int, int]]
    ) -> None:
        self.made = moves()


def test_bots_are_not_charged_for_undone_moves(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="bot", level="random"), undo="consent").session.id
    for _ in range(3):
        move(room, name, 0, BID + 2)
        bot_turns.play(room.services, name, lowest, sleep=room.clock.sleep)
        take_back(room, name, 0)
    refunds = Refunds()
    settle_bots(replace(room.services, ledger=refunds), load(room.services, name))
    assert refunds.made == {}


def test_a_line_of_an_earlier_service_reopens_all_decisions(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="human"), undo="consent", clock=CLOCK).session.id
    move(room, name, 0, BID + 1)
    move(room, name, 1, BID)
    room.clock.now += 5_000
    move(room, name, 0, TAKE + 1)
    take_back(room, name, 0, 1)
    session = load(room.services, name)
    game = room.services.games["pebbles"]
    lines = read_whole_log(room.services, game, session)
    old = [(revision, msgspec.structs.replace(line, clocks=None)) for revision, line in lines]
    assert [line.clocks is None for _, line in lines].count(False) == 1
    *_, state = course(game, session, old)
    assert state.session.opened[0] == room.clock.now
    assert state.session.banks[0] > session.banks[0]


def test_every_part_of_a_session_is_restored_by_an_undo_or_named_here() -> None:
    """A new field belongs to `Clocks` if a move changes it, or on the list below with its reason."""
    of_the_table = {"record", "status"}
    founding = {"id", "charter", "rematch", "calendar"}
    go_on = {"revision", "versions", "moved", "undo", "undone"}  # an undo is an event of its own
    by_persons = {"seats", "standing", "agreements"}  # a move changes seats only for a person who comes back
    outside = {"devices", "held", "push"}  # of the seats' holders, and no part of the log
    promised = {"kept"}  # until when a session stays
    named = [of_the_table, founding, go_on, by_persons, outside, promised, set(Clocks.__struct_fields__)]
    assert sorted(name for part in named for name in part) == sorted(Session.__struct_fields__)


def test_a_bots_move_for_an_undone_table_is_dropped(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="bot", level="random"), undo="consent").session.id
    bots = room.services
    move(room, name, 0, BID + 2)
    thought = load(bots, name)
    before = ask_for_undo(bots, thought, 0, thought.versions[0], "undo")[0].session
    room.clock.now += 60_000
    assert bot_turns.publish(bots, room.decisions, thought, 1, BID) is None
    assert load(bots, name).revision == before.revision
    bot_turns.play(bots, name, lowest, sleep=room.clock.sleep)
    assert entries(room, name)[-1] == (1, BID), "it thinks anew of the table as it is"
    move(room, name, 0, BID + 1)
    assert load(bots, name).undone == 1
