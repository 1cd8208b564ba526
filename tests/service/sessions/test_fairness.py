"""A session commits to its chance before the first move, proves it after the end, and gives nothing else away."""

import copy
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from games.core.dice import FastDice
from games.core.game import Draw
from games.core.registry import registered
from games.core.seeds import derived
from service.sessions.chance import advice_seed, branch_dice, claim_token, session_key, stray_dice
from service.sessions.reading import load
from service.snapshots.fairness import ChanceKeys, record_draws, record_proven_draws, set_up
from tests.service.kit import VERIFY, Sitting, code_of, sceptic, sit, verdict


@pytest.fixture
def over(app: Flask) -> Sitting:
    sitting = sit(app, seed=None)
    sitting.play_out()
    return sitting


def test_the_commitment_is_told_from_the_start_and_stays(app: Flask) -> None:
    sitting = sit(app, seed=None)
    told = sitting.made["fairness"]
    assert told.keys() == {"commitment"}
    for caller in (0, 1, None):
        assert sitting.standing(caller)["fairness"] == told
        proof = sitting.look(caller, "/fairness").json
        assert proof == {
            "session": sitting.made["id"],
            "game": "pebbles",
            "ruleset": "pebbles/1",
            "seat_count": 2,
            "options": sitting.made["options"],
            "commitment": told["commitment"],
        }
    sitting.play_out()
    assert sitting.standing(0)["fairness"]["commitment"] == told["commitment"]


def test_the_keys_are_in_no_answer_before_the_end(app: Flask) -> None:
    sitting = sit(app, seed=None)
    session = load(app.extensions["context"].sessions, sitting.made["id"])
    keys = ChanceKeys.of(session.charter.key)
    seat = sitting.standing(0)["actors"][0]
    sitting.move(seat, sitting.moves(seat)[0]["move"])
    parts = ("", "?expand=legal_moves", "/history", "/presence", "/fairness", "/events", "/replay", "/standing-answers")
    said = b"".join(
        b"".join(chunk for chunk, _ in zip(sitting.look(0, part).iter_encoded(), range(2), strict=False))
        for part in parts
    )
    assert keys.commitment(session.id).encode() in said
    for secret in (keys.set_up, keys.moves, session.charter.key, session.charter.salt):
        assert secret.encode() not in said


@pytest.mark.parametrize("end", ["played", "resigned", "aborted"])
def test_every_end_reveals_keys_that_prove_all_draws(app: Flask, checkout: Path, end: str) -> None:
    sitting = sit(app, seed=None)
    match end:
        case "played":
            sitting.play_out()
        case "resigned":
            assert sitting.call(1, "POST", "/resign", json={"then": "forfeit"}).status_code == 200
        case _:
            assert sitting.call("owner", "DELETE").status_code == 204
    proof = sitting.proof()
    keys = proof["keys"]
    text = f"{sitting.made['id']}:{keys['set_up']}:{keys['moves']}"
    assert hashlib.sha256(text.encode()).hexdigest() == sitting.made["fairness"]["commitment"]
    assert sitting.standing(None)["fairness"] == {"commitment": proof["commitment"], "keys": keys}
    found = verdict(app, proof)
    assert (found["fair"], found["faults"]) == (True, [])
    assert (found["moves"], found["draws"] >= 2) == (len(proof["moves"]), True)
    code, said = sceptic(checkout, proof, sitting.made["fairness"]["commitment"])
    assert code == 0, said
    assert said.startswith(f"fair: {found['draws']} draws of {found['moves']} moves follow")


Change = Callable[[dict[str, Any]], Any]
CHANGES: dict[str, tuple[Change, str]] = {
    "another commitment": (lambda p: p.update(commitment="0" * 64), "/commitment"),
    "another session": (lambda p: p.update(session="0" * 32), "/commitment"),
    "another key of the set-up": (lambda p: p["keys"].update(set_up="0" * 64), "/commitment"),
    "another key of the moves": (lambda p: p["keys"].update(moves="0" * 64), "/commitment"),
    "keys exchanged": (lambda p: p["keys"].update(set_up=p["keys"]["moves"], moves=p["keys"]["set_up"]), "/commitment"),
    "another place": (lambda p: p["set_up"][0].update(place=(p["set_up"][0]["place"] + 1) % 6), "/set_up/0"),
    "another card": (lambda p: p["set_up"][0].update(value=p["set_up"][0]["value"] % 6 + 1), "/set_up/0"),
    "other cards": (lambda p: p["set_up"][1]["among"].reverse(), "/set_up/1"),
    "fewer cards": (lambda p: p["set_up"][0].update(of=5), "/set_up/0"),
    "a draw left out": (lambda p: p["set_up"].pop(), "/set_up/1"),
    "a draw too many": (lambda p: p["set_up"].append(p["set_up"][0]), "/set_up/2"),
    "a draw that no rule asks for": (lambda p: p["moves"][0]["draws"].append(p["set_up"][0]), "/moves/0/draws/0"),
    "a move left out": (lambda p: p["moves"].pop(0), "/moves/0/ply"),
    "a move at another ply": (lambda p: p["moves"][1].update(ply=0), "/moves/1/ply"),
    "a move that was illegal": (
        lambda p: p["moves"][0].update(move={"kind": "take_pebbles", "amount": 1}),
        "/moves/0/move",
    ),
    "moves after the end": (lambda p: p["moves"].append({**p["moves"][-1], "ply": len(p["moves"])}), "/moves/"),
}


WITHOUT_RULES = ("another session", "another key of the moves", "keys exchanged", "another place", "another card")
"""Faults that can be found without the rules."""


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_is_changed_in_a_proof_is_found(over: Sitting, checkout: Path, name: str) -> None:
    change, pointer = CHANGES[name]
    proof = copy.deepcopy(over.proof())
    change(proof)
    found = verdict(over.app, proof, "de")
    assert (found["fair"], len(found["faults"])) == (False, 1)
    assert found["faults"][0]["pointer"].startswith(pointer)
    assert found["faults"][0].keys() >= {"in", "pointer", "detail"}
    if name in WITHOUT_RULES:
        code, said = sceptic(checkout, proof, over.made["fairness"]["commitment"])
        assert (code, said[:7]) == (1, "UNFAIR:")


def test_a_draw_left_out_is_told_from_one_too_many(over: Sitting) -> None:
    proof = over.proof()
    drawn, details = proof["set_up"], []
    for claimed in (drawn[:-1], [*drawn, drawn[0]]):
        details += [fault["detail"] for fault in verdict(over.app, {**proof, "set_up": claimed})["faults"]]
    assert details == ["The keys draw more here than the proof contains.", "There is no draw here."]


def test_a_proof_is_of_the_commitment_that_was_noted(over: Sitting, checkout: Path) -> None:
    code, said = sceptic(checkout, over.proof(), "0" * 64)
    assert (code, said) == (1, "UNFAIR: these are not the keys that were committed to\n")


def test_a_proof_of_another_ruleset_or_game_is_refused(over: Sitting) -> None:
    client, proof = over.app.test_client(), over.proof()
    other = client.post(VERIFY, json={**proof, "ruleset": "pebbles/0"})
    assert (other.status_code, code_of(other)) == (422, "unknown-ruleset")
    wrongs: tuple[dict[str, Any], ...] = (
        *({"game": "chess"}, {"seat_count": 5}, {"options": {"heap": 1}}),
        *({"keys": {}}, {"set_up": [{}]}, {"x": 1}),
        {"moves": [{**proof["moves"][0], "move": {"kind": "jump"}}]},
        {"moves": [{**proof["moves"][0], "seat": 4}]},
    )
    for wrong in wrongs:
        answer = client.post(VERIFY, json={**proof, **wrong})
        assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
    greedy = {**proof["moves"][0], "move": {"kind": "take_pebbles", "amount": 7}}
    answer = client.post(VERIFY, json={**proof, "moves": [greedy]})
    assert (answer.status_code, code_of(answer)) == (422, "invalid-move")


def test_practice_and_branches_commit_to_nothing(app: Flask) -> None:
    practice = sit(app)
    assert "fairness" not in practice.made
    assert "fairness" not in practice.standing(0)
    branch: Any = sit(app, seed=None).call(0, "POST", "/branches", json={}).json
    for here in (practice.here, branch["session"]["links"]["session"]):
        token = (
            practice.token(0)
            if here == practice.here
            else {"Authorization": f"Bearer {branch['session']['seats'][0]['token']}"}
        )
        answer = app.test_client().get(f"{here}/fairness", headers=token)
        assert (answer.status_code, code_of(answer)) == (404, "nothing-committed")


def test_revealed_keys_lead_to_no_other_key() -> None:
    key = session_key(bytes(range(32)), "a session").hex()
    keys = ChanceKeys.of(key)
    others = {
        key,
        session_key(bytes(range(32)), "another session").hex(),
        advice_seed(key, 0, 1),
        stray_dice(key, 0, 1).key.hex(),
        branch_dice(key).key.hex(),
        claim_token(key, 0, "operation", "code"),
    }
    revealed = (keys.set_up, keys.moves)
    labels = ("session/set-up", "session/moves", "session/branch", "session/advice/0/1", "session/stray/0/1")
    found = {derived(bytes.fromhex(secret), label).hex() for secret in revealed for label in labels}
    assert not others & ({*revealed} | found)
    assert len({*revealed, *others}) == 8


@pytest.mark.parametrize("slug", registered())
def test_recorded_draws_are_those_of_the_keys_or_else_those_that_were_made(slug: str) -> None:
    game = registered()[slug]
    deal = set_up(game, game.seat_numbers[0], game.options_type())
    table, drawn = record_draws(game, deal, FastDice(1))
    assert drawn
    outcomes = [Draw(what=draw.what, value=draw.value) for draw in drawn]
    same, proven = record_proven_draws(game, deal, FastDice(1), outcomes)
    assert (game.write(same), proven) == (game.write(table), drawn), "with the place of each card among equal ones"
    other, made = record_proven_draws(game, deal, FastDice(2), outcomes)
    assert game.write(other) == game.write(table)
    assert [(draw.what, draw.value) for draw in made] == [(draw.what, draw.value) for draw in drawn]


def test_automatic_moves_are_drawn_per_seat_and_version() -> None:
    key = session_key(bytes(32), "a session").hex()
    assert len({stray_dice(key, seat, version).key for seat in range(2) for version in (1, 2)}) == 4


def test_every_session_has_keys_of_its_own(app: Flask) -> None:
    commitments = {sit(app, seed=None).made["fairness"]["commitment"] for _ in range(5)}
    assert len(commitments) == 5
