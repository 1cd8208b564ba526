"""Reviews: every decision of a finished session is rated from its seat's knowledge; the workers' own code does it."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from games.core.dice import FastDice
from games.core.game import Game
from games.core.playout import playout
from games.core.registry import registered
from games.core.table import Table
from service.jobs import queues
from service.jobs.aggregate import count
from service.jobs.leases import Lease, Portion
from service.jobs.review import BLUNDER, MISTAKE
from service.sessions.play import Mover, make_move
from service.sessions.reading import load, table_of
from service.snapshots import engine
from tests.service.charts import check_layout, check_within, painted, watched
from tests.service.kit import BOT, PERSON, Sitting, application, bid, code_of, sit, take
from tests.service.sessions.test_undo import ask, consent
from tests.workers import jobs
from workers.review import Review

REVIEWS = "/v1/jobs/reviews"
LINES = {"Accept": "application/x-ndjson"}
GAMES = list(registered())
ITERATIONS = 100


def begin_session(app: Flask, slug: str, *seats: dict[str, Any], **body: Any) -> Sitting:
    """Create a session of the smallest table of a game, of persons unless seats are given."""
    game = registered()[slug]
    return sit(app, *(seats or [PERSON] * game.seat_numbers[0]), game=slug, **body)


def play(sitting: Sitting, moves: int, seed: int = 7, by: Mover = Mover.HOLDER) -> None:
    services = sitting.app.extensions["context"].sessions
    game: Game = services.games[sitting.made["game"]]
    choice = Random(seed)
    for _ in range(moves):
        session = load(services, sitting.made["id"])
        table = table_of(game, session)
        seat = choice.choice(game.actors(table))
        code = choice.choice(game.legal(table, seat))
        make_move(services, session, seat, session.versions[seat], "", lambda *_: code, by=by)  # noqa: B023


def aborted(sitting: Sitting) -> Sitting:
    assert sitting.call("owner", "DELETE").status_code == 204
    return sitting


def review(sitting: Sitting, caller: int | str | None = 0, **body: Any) -> Any:
    """Request a review as a seat, the owner, or without a token, and return the response."""
    sent = {"session": sitting.made["id"], "iterations": ITERATIONS, "seed": "wrens", **body}
    return sitting.app.test_client().post(REVIEWS, json=sent, headers=sitting.token(caller))


def reviewed(sitting: Sitting, redis: Redis, language: str = "en", **body: Any) -> Any:
    made = review(sitting, **body)
    assert made.status_code == 202, made.text
    jobs.work(redis, queues.BULK)
    return (
        sitting.app.test_client()
        .get(made.headers["Location"], headers={**sitting.token(0), "Accept-Language": language})
        .json
    )


@pytest.mark.parametrize("slug", GAMES)
def test_decisions_are_rated_and_told_as_the_history_does(every_game: Flask, redis_client: Redis, slug: str) -> None:
    sitting, moves = begin_session(every_game, slug), 6 if slug == "barbarossa" else 12
    play(sitting, moves)
    job = reviewed(aborted(sitting), redis_client, "de")
    assert (job["kind"], job["state"], job["game"]) == ("review", "succeeded", slug)
    result = job["result"]
    decisions, seats = result["decisions"], result["seats"]
    assert job["progress"] == {"done": len(decisions), "total": len(decisions)}
    assert job["cost"] == {"playouts": ITERATIONS * len(decisions)}
    assert (result["session"], result["seed"], result["iterations"]) == (sitting.made["id"], "wrens", ITERATIONS)
    history: Any = sitting.look(0, "/history", Accept_Language="de").json
    made = {number: line for number, line in enumerate(history["lines"]) if "code" in line}
    assert len(made) == moves == len(decisions) + sum(seat["forced"] + seat["own_content"] for seat in seats)
    assert decisions
    assert [row["line"] for row in decisions] == sorted({row["line"] for row in decisions} & made.keys())
    for row in decisions:
        told, played, best = made[row["line"]], row["played"], row["best"]
        assert (row["seat"], played["code"], played["label"]) == (told["seat"], told["code"], told["label"])
        assert played["move"] == told["move"]
        assert row["legal_moves"] > 1
        for move in (played, best):
            assert move["visits"] > 0
            assert move["interval"][0] <= move["value"] <= move["interval"][1]
        assert row["regret"] == pytest.approx(best["value"] - played["value"], abs=2e-6)
        assert 0 <= row["interval"][0] <= row["regret"] <= row["interval"][1] <= 1
        assert (best["code"] == played["code"]) == (row["regret"] == 0)
    assert Counter(row["seat"] for row in decisions) == Counter(
        {seat["seat"]: seat["decisions"] for seat in seats if seat["decisions"]}
    )


def test_thresholds_name_the_regret_and_accuracy_is_its_mean(every_game: Flask, redis_client: Redis) -> None:
    sitting = begin_session(every_game, "hoher-rat")
    play(sitting, 40)
    result = reviewed(aborted(sitting), redis_client)["result"]
    assert result["thresholds"] == {"mistake": MISTAKE, "blunder": BLUNDER}
    for row in result["decisions"]:
        wanted = "good" if row["regret"] < MISTAKE else "mistake" if row["regret"] < BLUNDER else "blunder"
        assert row["verdict"] == wanted
    assert {row["verdict"] for row in result["decisions"]} > {"good"}
    for seat in result["seats"]:
        mine = [row["regret"] for row in result["decisions"] if row["seat"] == seat["seat"]]
        assert seat["decisions"] == len(mine) > 0
        assert seat["mistakes"] == sum(MISTAKE <= regret < BLUNDER for regret in mine)
        assert seat["blunders"] == sum(regret >= BLUNDER for regret in mine)
        assert seat["mean_regret"] == pytest.approx(sum(mine) / len(mine), abs=1e-6)
        accuracy = sum(max(0, 1 - regret / BLUNDER) for regret in mine) / len(mine)
        assert seat["accuracy"] == pytest.approx(accuracy, abs=1e-6)


def two_tables(game: Game) -> tuple[Table, Table, int]:
    """Return two tables that the deciding seat cannot distinguish, and the seat."""
    for seed in range(40):
        table = game.new(game.seat_numbers[0], game.options_type(), FastDice(seed))
        playout(table, FastDice(seed + 1), 12)
        for seat in game.actors(table):
            other = table.clone()
            other.redeal(seat, FastDice(3))
            listed = game.legal(table, seat)
            rated = [code for code in listed if not game.brings_content(game.decode(table, code))]
            if game.write(other) != game.write(table) and len(listed) > 1 and rated:
                return table, other, seat
    raise AssertionError(game.slug)


@pytest.mark.parametrize("slug", GAMES)
def test_alike_sessions_have_one_rating_of_a_decision(every_game: Flask, redis_client: Redis, slug: str) -> None:
    game = registered()[slug]
    *tables, seat = two_tables(game)
    assert game.view(tables[0], seat) == game.view(tables[1], seat)
    services, rows = every_game.extensions["context"].sessions, []
    code = next(
        code for code in reversed(game.legal(tables[0], seat)) if not game.brings_content(game.decode(tables[0], code))
    )
    for table in tables:
        snapshot = msgspec.to_builtins(engine.write_snapshot(game, table, "a seed"))
        sitting = sit(every_game, *[PERSON] * table.seats, game=slug, snapshot=snapshot)
        session = load(services, sitting.made["id"])
        make_move(services, session, seat, session.versions[seat], "", lambda *_: code)
        rows.append(reviewed(aborted(sitting), redis_client)["result"]["decisions"])
    assert len(rows[0]) == 1
    assert rows[0] == rows[1]


def test_the_same_seed_finds_the_same_however_the_decisions_are_cut(every_game: Flask, redis_client: Redis) -> None:
    sitting = begin_session(every_game, "wichtel")
    play(sitting, 16)
    whole = reviewed(aborted(sitting), redis_client)
    made: Any = review(sitting).json
    claims = [Lease.take(redis_client, made["id"], portion=Portion(3, 3)) for _ in range(3)]
    for claim in (claim for claim in reversed(claims) if claim is not None):
        work = Review(claim)
        claim.put([work.do(number, lambda *_: None) for number in range(claim.first, claim.end)], 5)
        count(redis_client, claim.job, work.aggregate)
    partly: Any = sitting.app.test_client().get(f"/v1/jobs/{made['id']}", headers=sitting.token(0)).json
    assert partly["partial_result"]["decisions"] == whole["result"]["decisions"][: partly["progress"]["done"]]
    assert partly["progress"]["done"] == sum(claim.end - claim.first for claim in claims if claim is not None)
    jobs.work(redis_client, queues.BULK)
    ended: Any = sitting.app.test_client().get(f"/v1/jobs/{made['id']}", headers=sitting.token(0)).json
    assert ended["result"] == whole["result"]
    other = reviewed(sitting, redis_client, seed="robins")["result"]
    assert other["decisions"] != whole["result"]["decisions"]


def test_only_a_session_that_is_over_is_reviewed(every_game: Flask, redis_client: Redis) -> None:
    sitting = begin_session(every_game, "hoher-rat")
    play(sitting, 4)
    refused = review(sitting)
    assert (refused.status_code, code_of(refused)) == (409, "session-running")
    assert redis_client.zcard(queues.OPEN_JOBS) == 0
    assert sitting.call(1, "POST", "/resign", json={"then": "forfeit"}).status_code == 200
    assert reviewed(sitting, redis_client)["result"]["decisions"]


def test_only_readers_of_the_history_may_request_a_review(every_game: Flask) -> None:
    closed, watched = (begin_session(every_game, "hoher-rat", spectators=who) for who in ("none", "live"))
    for sitting in (closed, watched):
        play(sitting, 3)
        aborted(sitting)
        for caller in (0, 1, "owner", None):
            history = sitting.look(caller, "/history").status_code
            assert review(sitting, caller).status_code == (202 if history == 200 else history)
    assert (review(closed, None).status_code, review(closed, "owner").status_code) == (401, 403)
    stranger = every_game.test_client().post(
        REVIEWS, json={"session": closed.made["id"]}, headers={"Authorization": "Bearer of-nobody"}
    )
    assert (stranger.status_code, code_of(stranger)) == (401, "unauthorized")
    nowhere = every_game.test_client().post(REVIEWS, json={"session": "0" * 32})
    assert (nowhere.status_code, code_of(nowhere)) == (404, "unknown-session")


def test_where_there_was_nothing_to_decide_there_is_nothing_to_review(every_game: Flask) -> None:
    idle = aborted(begin_session(every_game, "hoher-rat"))
    refused = review(idle)
    assert (refused.status_code, code_of(refused)) == (409, "nothing-to-review")
    waiting = aborted(begin_session(every_game, "hoher-rat", PERSON, {"kind": "open"}))
    refused = review(waiting)
    assert (refused.status_code, code_of(refused)) == (409, "not-dealt")


def test_bots_decisions_are_rated_unless_excluded(every_game: Flask) -> None:
    sitting = begin_session(every_game, "hoher-rat", PERSON, BOT)
    play(sitting, 12, by=Mover.SERVICE)
    aborted(sitting)
    everything, persons = review(sitting).json, review(sitting, bots=False).json
    assert 0 < persons["progress"]["total"] < everything["progress"]["total"]
    bots = aborted(play_as_service(begin_session(every_game, "hoher-rat", BOT, BOT), 4))
    assert code_of(review(bots, None, bots=False)) == "nothing-to-review"


def play_as_service(sitting: Sitting, moves: int) -> Sitting:
    play(sitting, moves, by=Mover.SERVICE)
    return sitting


def test_undone_moves_and_moves_by_the_clock_are_not_rated(every_game: Flask) -> None:
    sitting = sit(every_game, undo="consent")
    for seat, amount in ((0, 1), (1, 0)):
        sitting.move(seat, bid(amount))
    assert sitting.move(0, take(1)).status_code == 201
    assert ask(sitting, 0).status_code == 200
    assert consent(sitting, 1).status_code == 200
    play(sitting, 1, by=Mover.CLOCK)
    aborted(sitting)
    told: Any = sitting.look(0, "/history").json
    assert sum("code" in line for line in told["lines"]) == 4
    assert review(sitting).json["progress"]["total"] == 2


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"iterations": 99}, "/iterations"),
        ({"iterations": 20_001}, "/iterations"),
        ({"session": 1}, "/session"),
        ({"bots": "no"}, "/bots"),
        ({"level": "hard"}, "/level"),
    ],
)
def test_an_invalid_request_is_refused_with_a_place(client: FlaskClient, change: dict[str, Any], pointer: str) -> None:
    said: Any = client.post(REVIEWS, json={"session": "0" * 32, **change})
    assert (said.status_code, said.json["code"]) == (422, "invalid-body")
    assert [error["pointer"] for error in said.json["errors"]] == [pointer]


def test_the_operator_bounds_the_iterations(redis_url: str) -> None:
    client = application(redis_url=redis_url, search_iterations=200).test_client()
    said: Any = client.post(REVIEWS, json={"session": "0" * 32, "iterations": 201})
    assert [error["pointer"] for error in said.json["errors"]] == ["/iterations"]
    assert "200" in said.text


@pytest.mark.parametrize("language", ["en", "de", "it"])
def test_a_review_is_drawn_with_every_seat_and_its_faults(
    every_game: Flask, redis_client: Redis, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    parts = watched(monkeypatch)
    sitting = begin_session(every_game, "hoher-rat")
    play(sitting, 16)
    made: Any = review(aborted(sitting)).json
    mine = {**sitting.token(0), "Accept-Language": language}
    client, here = every_game.test_client(), f"/v1/jobs/{made['id']}"
    early = client.get(f"{here}/chart", headers=mine)
    assert (early.status_code, code_of(early)) == (409, "nothing-counted")
    jobs.work(redis_client, queues.BULK)
    drawn = client.get(f"{here}/chart?theme=dark", headers=mine)
    assert (drawn.status_code, drawn.mimetype) == (200, "image/svg+xml")
    root = ET.fromstring(drawn.text)  # noqa: S314 -- our own picture
    texts = " ".join(part.text or "" for part in root.iter("{http://www.w3.org/2000/svg}text"))
    rated = len(client.get(here, headers=mine).json["result"]["decisions"])  # type: ignore[index]
    words = {
        "en": (f"{rated} decisions rated", "Accuracy", "blunder", "line of the history"),
        "de": (f"{rated} Entscheidungen beurteilt", "Genauigkeit", "Patzer", "Zeile des Verlaufs"),
        "it": (f"{rated} decisioni valutate", "Precisione", "grave", "riga della cronologia"),
    }[language]
    for word in words:
        assert word in texts
    assert words[0] in root.attrib["aria-label"]
    check_layout(parts)
    check_within(parts)
    assert "#30363d" in painted(parts[0], "stroke"), "as a dark picture has them"
    assert client.get(f"{here}/chart?theme=dark", headers=mine).data == drawn.data
    for part in ("games", "results"):
        missing = client.get(f"{here}/{part}", headers=mine)
        assert (missing.status_code, code_of(missing)) == (404, "no-such-part")


def test_ended_jobs_say_the_same_at_all_times(every_game: Flask, redis_client: Redis, client: FlaskClient) -> None:
    sitting = begin_session(every_game, "hoher-rat")
    play(sitting, 4)
    made: Any = review(aborted(sitting)).json
    table: Any = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "seed": "s"}).json
    asked = {"game": "hoher-rat", "budget": {"iterations": 30}, "snapshot": table["snapshot"]}
    searched: Any = client.post("/v1/jobs/searches", json={**asked, "seat": table["actors"][0]}).json
    for queue in (queues.BULK, queues.SEARCHES):
        jobs.work(redis_client, queue)
    for job, headers in ((made, sitting.token(0)), (searched, {})):
        shown: Any = client.get(f"/v1/jobs/{job['id']}", headers=headers).json
        told = client.get(f"/v1/jobs/{job['id']}/events", headers={**headers, **LINES}).text.splitlines()
        assert [json.loads(line)["data"] for line in told] == [shown, shown]
