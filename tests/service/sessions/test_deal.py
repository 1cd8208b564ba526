"""With open seats nothing is dealt before the last is claimed, and each claimer adds to the chance."""

import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask

from games.core.registry import registered
from service.sessions import mending
from service.sessions.reading import load
from service.sessions.states import current_state
from service.store import keys
from tests.evolution.archive import planted
from tests.service.kit import (
    BOT,
    OPEN,
    PERSON,
    SPECTATOR,
    Sitting,
    application,
    bid,
    code_of,
    lowest,
    sceptic,
    sit,
    verdict,
)
from tests.service.streams.hearing import NDJSON, chunks, listen, numbered, read_stream
from tests.toy import GAME
from workers.sessions import bot_turns


@pytest.fixture
def waiting(app: Flask) -> Sitting:
    return sit(app, PERSON, OPEN, OPEN, seed=None)


def test_nothing_of_a_deal_exists_before_the_last_claim(waiting: Sitting, redis_client: redis.Redis) -> None:
    search = {"session": waiting.made["id"], "game": "pebbles", "budget": {"iterations": 10}}
    for _ in range(2):
        assert redis_client.hget(keys.session(waiting.made["id"]), "record") == b""
        for caller in (0, SPECTATOR):
            now = waiting.standing(caller)
            assert (now["status"], now["actors"], "view" in now) == ("waiting", [], False)
            with closing(listen(waiting, caller, Accept=NDJSON)) as stream:
                state = json.loads(next(chunks(stream)))
            assert state["data"] == {name: part for name, part in now.items() if name != "links"}
            refused = [
                waiting.look(caller, "/picture"),
                waiting.call(caller, "POST", "/branches", json={}),
                waiting.call(caller, "POST", "/branches", json={"version": 1, "kind": "snapshot"}),
            ]
            assert [(answer.status_code, code_of(answer)) for answer in refused] == [(409, "not-dealt")] * 3
            found: Any = waiting.look(caller, "/presence").json
            found.pop("watchers", None)  # the stream that has just been closed may still be counted
            assert found == {"asked": [], "answered": [], "connected": []}
        assert code_of(waiting.look(0, "/legal-moves")) == "not-dealt"
        assert "legal_moves" not in (waiting.look(0, "?expand=legal_moves").json or {"legal_moves": 0})
        job = waiting.app.test_client().post("/v1/jobs/searches", json=search, headers=waiting.token(0))
        assert (job.status_code, code_of(job)) == (409, "not-dealt")
        assert code_of(waiting.move(0, bid(1))) == "session-waiting"
        if waiting.standing(0)["version"] == 1:
            assert waiting.claim(2).status_code == 201
    assert waiting.claim(1).status_code == 201
    assert "view" in waiting.standing(0)
    assert waiting.look(0, "/legal-moves").status_code == 200


def test_every_claimer_adds_to_the_chance_which_the_proof_shows(waiting: Sitting, checkout: Path, app: Flask) -> None:
    commitment = waiting.made["fairness"]["commitment"]
    assert waiting.claim(2, client_seed="häh?").json["client_seed"] == "häh?"  # type: ignore[index]
    drawn = waiting.claim(1).json["client_seed"]  # type: ignore[index]
    assert len(drawn) == 32
    added = [
        {"seat": seat, "hash": hashlib.sha256(text.encode()).hexdigest()} for seat, text in ((1, drawn), (2, "häh?"))
    ]
    assert waiting.standing(SPECTATOR)["fairness"] == {"commitment": commitment, "client_seeds": added}
    waiting.play_out()
    proof = waiting.proof()
    assert (proof["commitment"], proof["client_seeds"]) == (commitment, added)
    assert (verdict(app, proof)["fair"], sceptic(checkout, proof, commitment)[0]) == (True, 0)
    mixed = ",".join(f"{one['seat']}:{one['hash']}" for one in added).encode()
    key = hmac.new(bytes.fromhex(proof["keys"]["set_up"]), mixed, hashlib.sha256).digest()
    first = proof["set_up"][0]
    word = int.from_bytes(hmac.new(key, b"0:0", hashlib.sha256).digest()[:4], "big")
    assert first["place"] == word % first["of"]


@pytest.fixture
def proof(redis_url: str) -> dict[str, Any]:
    """Return the proof of a session of Wichtel, with enough draws that no other key gives the same."""
    sitting = sit(application(registered(), redis_url), PERSON, OPEN, OPEN, game="wichtel", seed=None)
    for seat in (1, 2):
        sitting.claim(seat, client_seed="same")
    sitting.call("owner", "DELETE")
    return sitting.proof()


def test_a_proof_with_other_client_seeds_does_not_hold(proof: dict[str, Any], checkout: Path, redis_url: str) -> None:
    app = application(registered(), redis_url)
    first, second = proof["client_seeds"]
    others: tuple[list[Any], ...] = ([{**first, "hash": "0" * 64}, second], [{**first, "seat": 0}, second], [first], [])
    for client_seeds, fair in ((proof["client_seeds"], True), *((other, False) for other in others)):
        changed = {**proof, "client_seeds": client_seeds}
        assert verdict(app, changed)["fair"] is fair
        assert sceptic(checkout, changed, proof["commitment"])[0] == (0 if fair else 1)
    del proof["client_seeds"]
    assert verdict(app, proof)["fair"] is False
    wrong = app.test_client().post("/v1/fairness:verify", json={**proof, "client_seeds": [{"seat": 6, "hash": "x"}]})
    assert (wrong.status_code, code_of(wrong)) == (422, "invalid-body")


def test_a_client_seed_is_refused_where_it_would_change_nothing(app: Flask, redis_client: redis.Redis) -> None:
    practice = sit(app, PERSON, OPEN, seed="noon")
    old = archived(app, redis_client)
    for sitting, seat in ((practice, 1), (old, 1)):
        refused = sitting.claim(seat, client_seed="mine")
        assert (refused.status_code, code_of(refused)) == (422, "invalid-body")
        assert [error["pointer"] for error in refused.json["errors"]] == ["/client_seed"]  # type: ignore[index]
        told = sitting.claim(seat)
        assert (told.status_code, "client_seed" in told.json) == (201, False)  # type: ignore[operator]
        assert sitting.standing(seat)["status"] == "running"
    wrong = sit(app, PERSON, OPEN, seed=None)
    for seed in ("", 7, "x" * 129):
        assert code_of(wrong.claim(1, client_seed=seed)) == "invalid-body"
    assert (
        code_of(wrong.call(None, "POST", "/seats/1/claim", json={"code": "no", "client_seed": "a"})) == "wrong-invite"
    )


def test_practice_deals_what_its_seed_says_also_late(app: Flask) -> None:
    hands = []
    for _ in range(2):
        sitting = sit(app, PERSON, OPEN, seed="noon")
        assert sitting.claim(1).status_code == 201
        hands.append(sitting.standing(0)["view"])
    at_once = sit(app, PERSON, PERSON, seed="noon").standing(0)["view"]
    assert hands == [at_once, at_once]


def test_of_two_who_claim_the_last_seats_at_once_one_has_the_table_dealt(app: Flask) -> None:
    for _ in range(5):
        sitting = sit(app, PERSON, OPEN, OPEN, seed=None)
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(sitting.claim, (1, 2)))
        assert sorted(str(answer.json["status"]) for answer in answers) == ["running", "waiting"]  # type: ignore[index]
        assert [len(sitting.standing(0)["fairness"]["client_seeds"])] == [2]
        sitting.call("owner", "DELETE")
        assert verdict(app, sitting.proof())["fair"] is True


def test_bots_move_once_the_last_seat_is_claimed(app: Flask) -> None:
    sitting = sit(app, BOT, OPEN, BOT, seed=None)
    services, name = app.extensions["context"].sessions, sitting.made["id"]
    bot_turns.play(services, name, lowest)
    assert load(services, name).revision == 1
    assert services.store.client.zscore(keys.due_of(name), name) is None
    sitting.made["seats"][0]["token"] = ""
    assert sitting.claim(1).status_code == 201
    bot_turns.play(services, name, lowest)
    assert load(services, name).revision == 4


def test_a_session_that_ends_before_it_is_dealt_shows_its_keys_and_no_table(waiting: Sitting) -> None:
    waiting.claim(1)
    assert waiting.call("owner", "DELETE").status_code == 204
    proof = waiting.proof()
    text = f"{waiting.made['id']}:{proof['keys']['set_up']}:{proof['keys']['moves']}"
    assert hashlib.sha256(text.encode()).hexdigest() == waiting.made["fairness"]["commitment"]
    assert (len(proof["client_seeds"]), "set_up" in proof, "moves" in proof) == (1, False, False)
    now, whole = waiting.standing(1), waiting.look(1, "/history").json
    assert (now["status"], "view" in now, "outcome" in now) == ("aborted", False, False)
    assert [len(line["events"]) for line in whole["lines"]] == [1, 1, 1]  # type: ignore[index]
    assert whole["draws"] == []  # type: ignore[index]
    for part in ("/replay", "/picture", "/legal-moves"):
        assert code_of(waiting.look(1, part)) == "not-dealt"
    messages = numbered(read_stream(waiting, SPECTATOR, "?after=0", Accept=NDJSON))
    assert [message["id"] for message in messages] == [1, 2, 3]


def test_history_replay_and_repair_find_the_deal_in_the_log(waiting: Sitting, app: Flask) -> None:
    services, name = app.extensions["context"].sessions, waiting.made["id"]
    assert mending.examine(services, name).breach is None
    assert mending.repair(services, name).record == b""
    for seat in (1, 2):
        waiting.claim(seat)
    session = load(services, name)
    assert mending.repair(services, name).record == session.record
    assert mending.replayed(services, session).session.opened == session.opened
    waiting.play_out()
    replay: Any = waiting.look(0, "/replay").json
    answer: Any = app.test_client().post("/v1/games/pebbles/replays", json=replay).json
    whole: Any = waiting.look(0, "/history").json
    assert (answer["fits"], whole["draws"]) == (True, replay["draws"])
    assert len(replay["draws"]) > 0
    table = current_state(GAME, load(services, name)).table
    assert GAME.write(table) == GAME.write(mending.replayed(services, load(services, name)).table)


def archived(app: Flask, client: redis.Redis) -> Sitting:
    """Return the session that an earlier service has dealt while a seat was open."""
    made = planted(client, "pebbles-waiting")
    made["seats"][1]["invite"] = "9jpryl3jCwk5g0SpEB-aKA"
    made["links"]["session"] = f"/v1/sessions/{made['id']}"
    return Sitting(app, made)


def test_a_session_that_was_dealt_early_by_an_earlier_service_goes_on(app: Flask, redis_client: redis.Redis) -> None:
    old = archived(app, redis_client)
    before = old.standing(0)
    assert (before["status"], "view" in before) == ("waiting", True)
    assert old.look(0, "/legal-moves").json["moves"] == []  # type: ignore[index]
    assert old.claim(1).json["status"] == "running"  # type: ignore[index]
    assert old.standing(0)["view"]["card"] == before["view"]["card"]
    old.play_out()
    proof = old.proof()
    assert ("client_seeds" in proof, verdict(app, proof)["fair"]) == (False, True)
