"""People play over HTTP with clay, ink and words of their own; nobody sees other people's secrets."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from games.barbarossa import GAME
from games.barbarossa.table import codes
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERM_NUMBERS, TERMS
from service.http.context import AppContext
from tests.conformance.two_worlds import NOON
from tests.games.barbarossa import oracle
from tests.games.barbarossa.people import (
    INK,
    KEY,
    KNEADED,
    OPTIONS,
    TERMS_OF,
    asking,
    begin,
    do,
    modelled,
    modelling,
    read_events,
    refused,
)
from tests.service.kit import Sitting, application, changed, code_of
from workers.sessions import bot_turns
from workers.sessions.timers import run_due_timers
from workers.tasks import choose_move


@pytest.fixture(scope="module")
def hall(redis_server: str) -> Flask:
    return application({GAME.slug: GAME}, redis_url=redis_server)


@pytest.fixture
def app(hall: Flask, redis_client: redis.Redis) -> Flask:
    assert redis_client.dbsize() == 0
    return hall


@pytest.mark.rule("BR-14", "BR-17", "BR-18", "BR-D41")
def test_clay_and_ink_are_seen_by_their_maker_alone_until_all_have_handed_in(app: Flask) -> None:
    sitting = begin(app)
    for seat in (2, 0):
        others = [other for other in (0, 1, 2, None) if other != seat]
        before = {other: read_events(sitting, other) for other in others}
        (event,) = do(sitting, seat, **modelling(*TERMS_OF[seat]))
        assert event["terms"] == list(TERMS_OF[seat])
        assert [piece["format"] for piece in event["pieces"]] == ["clay/1", "strokes/1", "clay/1"]
        assert {other: read_events(sitting, other) for other in others} == before
        answer = sitting.move(seat, modelling(*TERMS_OF[seat]))
        assert (answer.status_code, code_of(answer)) == (409, "not-your-turn")
    *_, shown = do(sitting, 1, **modelling(*TERMS_OF[1]))
    assert shown["kind"] == "riddles_shown"
    assert shown["pieces"][0]["parts"][0]["p"] == [0, 0, 0.1]
    assert shown["pieces"][1] == INK
    for caller in (0, 1, 2, None):
        riddles: Any = sitting.standing(caller)["view"]["riddles"]
        assert [riddle["piece"] for riddle in riddles] == shown["pieces"]
        own = range(9)[3 * caller : 3 * caller + 3] if caller is not None else ()
        assert [riddle["riddle"] for riddle in riddles if riddle["term"]] == list(own)


@pytest.mark.parametrize(
    "riddles",
    [
        [{"term": "a1\n", "piece": INK}, {"term": "b1", "piece": INK}, {"term": "c1", "piece": INK}],
        [{"term": "z1", "piece": INK}] * 3,
        [{"term": "a1", "piece": {"format": "gltf"}}] * 3,
        [{"term": "a1", "piece": {**INK, "strokes": [[[0, 1024]]]}}] * 3,
        [{"term": "a1", "piece": {**INK, "strokes": [[[0, 0]] * 2001]}}] * 3,
        [{"term": "a1", "piece": {**KEY, "parts": KEY["parts"] * 25}}] * 3,
        [{"term": "a1", "piece": {"format": "kneaded", "explicitness": 7}}] * 3,
    ],
    ids=[
        "a line break",
        "no such column",
        "another format",
        "off the sheet",
        "too long a line",
        "too many lumps",
        "odd",
    ],
)
def test_a_wrong_type_of_sculpture_is_a_bad_body(app: Flask, riddles: list[Any]) -> None:
    sitting = begin(app)
    answer = sitting.move(0, {"kind": "model_riddles", "riddles": riddles})
    assert answer.status_code == 422, answer.text
    assert code_of(answer) in {"invalid-body", "invalid-move", "illegal-move"}


@pytest.mark.rule("BR-27", "BR-28", "BR-31", "BR-D32", "BR-D35", "BR-D36")
def test_questions_in_free_words_are_asked_answered_and_rejected_before_all(app: Flask) -> None:
    sitting = asking(app)
    assert sitting.look(0, "/legal-moves").json["mode"] == "schema"  # type: ignore[index]
    text = 'Would <b>Grandma</b> keep it in her "kitchen" & why?'
    (asked,) = do(sitting, 0, "ask_freely", riddle=3, text=text)
    assert (asked["text"], asked["question"]) == (text, None)
    for caller in (0, 1, 2, None):
        assert sitting.standing(caller)["actors"] == [1]
        picture = sitting.look(caller, "/picture").text
        assert "<b>" not in picture
    answer = sitting.move(2, {"kind": "answer_question", "answer": "yes"})
    assert code_of(answer) == "not-your-turn"
    (said,) = do(sitting, 1, "answer_question", answer="perhaps")
    assert said["answer"] == "perhaps"
    do(sitting, 0, "ask_freely", riddle=6, text="How many letters has it?")
    do(sitting, 2, "reject_question")
    view: Any = sitting.standing(None)["view"]
    assert (view["phase"], view["turn"], view["questions"]) == ("first_round", 0, 2)
    assert [(one["text"], one["said"]) for one in view["free_questions"]] == [
        (text, "perhaps"),
        ("How many letters has it?", "rejected"),
    ]
    wording = ATTRIBUTES[0].question["en"]
    (meant,) = do(sitting, 0, "ask_freely", riddle=4, text=wording)
    assert (meant["question"], meant["text"]) == (ATTRIBUTES[0].id, None)


@pytest.mark.rule("BR-29", "BR-D33")
def test_a_modeller_may_not_deny_what_the_list_is_sure_of_and_nobody_else_hears_that_he_tried(app: Flask) -> None:
    sitting = asking(app)
    term = TERMS_OF[1][0]
    question = next(one for one in oracle.QUESTIONS if oracle.true_answer(term, one) == "yes")
    do(sitting, 0, "ask_about", riddle=3, question=question)
    before = {caller: read_events(sitting, caller) for caller in (0, 2, None)}
    assert refused(sitting, 1, "answer_question", answer="no") == ("BR-D33", "/move/answer")
    assert {caller: read_events(sitting, caller) for caller in (0, 2, None)} == before
    listed: Any = sitting.look(1, "/legal-moves").json
    answers = [(entry["move"]["answer"], entry["move"]["insist"]) for entry in listed["moves"]]
    assert answers == [("no", True), ("yes", False), ("perhaps", False), ("unclear", False)]
    do(sitting, 1, "answer_question", answer="unclear")
    assert sitting.standing(0)["view"]["phase"] == "first_round"


@pytest.mark.rule("BR-36", "BR-37", "BR-D10", "BR-D13", "BR-D37", "BR-D38")
def test_a_guess_in_words_is_read_by_the_modeller_alone(app: Flask) -> None:
    sitting = asking(app)
    do(sitting, 0, "end_asking")
    assert refused(sitting, 0, "attempt_riddle", riddle=3, guess="qqqqq") == ("BR-D37", "/move/guess")
    assert refused(sitting, 0, "attempt_riddle", riddle=0, guess="a1") == ("BR-D8", "/move/riddle")
    wrong = TERMS_OF[2][1]
    name_of_it = next(one for one in TERMS if one.id == wrong).name("en")
    heard = do(sitting, 0, "attempt_riddle", riddle=3, guess=f"the {name_of_it.upper()}")
    assert (heard[0]["verdict"], heard[0]["term"]) == ("wrong", wrong)
    for caller, knows in ((0, True), (1, True), (2, False), (None, False)):
        notes = sitting.standing(caller)["view"]["riddles"][3]["notes"][0]
        assert (notes["wrong"], notes["wrong_terms"]) == (1, [wrong] if knows else None)
        whole = b"".join(body for path, *_, body in read_events(sitting, caller) if path == "/history")
        assert (b'"term": "%s"' % wrong.encode() in whole) == knows


@pytest.mark.rule("BR-14", "BR-16", "BR-50", "BR-D10", "BR-D11")
def test_equal_clay_looks_alike(app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    house: AppContext = app.extensions["context"]
    monkeypatch.setitem(app.extensions, "context", changed(house, sessions=replace(house.sessions, now=lambda: NOON)))
    for terms in (TERMS_OF[1], ("b9", "n3", "w2")):
        redis_client.flushall()
        sitting = modelled(app, terms)
        do(sitting, 1, "hold_back")
        do(sitting, 0, "spend_stones", stones=3)
        do(sitting, 0, "ask_freely", riddle=3, text="Is it lovely?")
        do(sitting, 1, "answer_question", answer="yes")
        do(sitting, 2, "curse_for_letter", riddle=3, place=-1)
        do(sitting, 2, "curse_to_attempt", riddle=4, guess="k1")
        found.append({caller: read_events(sitting, caller) for caller in (0, 1, None)})
    one, other = found
    for caller in (0, None):
        for here, there in zip(one[caller], other[caller], strict=True):
            assert here == there, (caller, here[0])
    assert one[1] != other[1]


@pytest.mark.rule("BR-57", "BR-D19")
def test_of_two_curses_at_the_same_moment_the_first_one_counts_and_the_second_is_told(app: Flask) -> None:
    sitting = modelled(app)
    seen = {seat: sitting.version(seat) for seat in (0, 2)}
    right = {"kind": "curse_to_attempt", "riddle": 3, "guess": TERMS_OF[1][0]}
    assert sitting.move(2, right, seen[2]).status_code == 201
    before = {seat: sitting.standing(seat) for seat in (0, 1, 2)}
    late = sitting.move(0, right, seen[0])
    assert (late.status_code, code_of(late)) == (412, "stale-version")
    assert {seat: sitting.standing(seat) for seat in (0, 1, 2)} == before
    assert sitting.move(0, right).status_code == 201
    wizards: Any = sitting.standing(None)["view"]["wizards"]
    assert [(wizard["hat"], wizard["curses"]) for wizard in wizards] == [(3, 2), (-4, 3), (5, 2)]


@pytest.mark.rule("BR-56", "BR-D15")
def test_a_refused_curse_names_its_rule(app: Flask) -> None:
    sitting = asking(app)
    do(sitting, 0, "end_asking")
    before = read_events(sitting, 2)
    for kind, rule in (("curse_to_attempt", "BR-56"), ("attempt_riddle", "BR-19")):
        answer = sitting.move(2, {"kind": kind, "riddle": 3, "guess": TERMS_OF[1][0]})
        assert (answer.status_code, code_of(answer)) == (409, "not-your-turn")
        assert [error["rule"] for error in answer.json["errors"]] == [rule]  # type: ignore[index]
    assert read_events(sitting, 2) == before


def solved(sitting: Sitting) -> Sitting:
    """Play on to the end: the first seat curses twice and knows."""
    for riddle, guess in ((3, TERMS_OF[1][0]), (6, written_name(TERMS_OF[2][0]))):
        do(sitting, 0, "curse_to_attempt", riddle=riddle, guess=guess)
    return sitting


def written_name(term: str) -> str:
    return next(one for one in TERMS if one.id == term).name("en")


@pytest.fixture
def over(app: Flask) -> Sitting:
    """Return a whole game among people that has ended on the stairs."""
    sitting = asking(app)
    do(sitting, 0, "ask_freely", riddle=3, text="Is it lovely?")
    do(sitting, 1, "answer_question", answer="yes")
    do(sitting, 2, "hold_back")
    return solved(sitting)


@pytest.mark.rule("BR-63", "BR-D10")
def test_after_the_end_everything_is_told_and_the_whole_game_replays_with_clay_and_words(over: Sitting) -> None:
    now = over.standing(None)
    assert (now["status"], now["outcome"]["rewards"]) == ("finished", [1.0, 0.0, 0.0])
    assert [riddle["term"] for riddle in now["view"]["riddles"]] == [
        term for seat in range(3) for term in TERMS_OF[seat]
    ]
    history: Any = over.look(None, "/history").json
    moves = [line["move"] for line in history["lines"] if "move" in line]
    assert moves[0]["riddles"][1]["piece"] == INK
    assert [move["text"] for move in moves if move["kind"] == "ask_freely"] == ["Is it lovely?"]
    record: Any = over.look(1, "/replay").json
    client = over.app.test_client()
    again: Any = client.post(f"/v1/games/{GAME.slug}/replays", json=record).json
    assert again["fits"]
    assert [line["move"] for line in again["moves"]] == moves
    replayed: Any = view_of(client, again["snapshot"], None)
    assert {**replayed, "ruleset": ""} == {**now["view"], "ruleset": ""}


def view_of(client: FlaskClient, snapshot: Any, seat: int | None) -> Any:
    return client.post(f"/v1/games/{GAME.slug}/views", json={"snapshot": snapshot, "seat": seat}).json


@pytest.mark.rule("BR-28")
def test_a_branch_has_the_clay_and_the_words_that_its_founder_knows(app: Flask) -> None:
    sitting = asking(app)
    do(sitting, 0, "ask_freely", riddle=3, text="Is it lovely?")
    do(sitting, 1, "answer_question", answer="yes")
    made = sitting.call(2, "POST", "/branches", json={"version": sitting.version(2) - 1, "seed": "again"})
    assert made.status_code == 201, made.text
    view: Any = sitting.standing(2)["view"]
    branch = Sitting(app, made.json["session"])  # type: ignore[index]
    there: Any = branch.standing(2)["view"]
    assert [one["piece"] for one in there["riddles"]] == [one["piece"] for one in view["riddles"]]
    assert [one["text"] for one in there["free_questions"]] == ["Is it lovely?"]
    assert there["free_questions"][0]["said"] == "waiting"


@pytest.mark.rule("BR-D34", "BR-D17")
def test_whoever_leaves_is_answered_for_by_the_list_and_a_bot_takes_his_turn(app: Flask) -> None:
    clock = {"move_ms": 60_000, "policy": "bot", "bot": {"level": "easy"}}
    sitting = modelled(app, clock=clock)
    do(sitting, 0, "spend_stones", stones=3)
    term = TERMS_OF[1][0]
    question = next(one for one in oracle.QUESTIONS if oracle.true_answer(term, one) == "yes")
    do(sitting, 0, "ask_about", riddle=3, question=question)
    wait(app, 61)
    heard: Any = sitting.look(1, "/history").json["lines"][-1]["events"]  # type: ignore[index]
    assert [told["event"]["kind"] for told in heard] == ["time_ran_out", "question_answered"]
    assert heard[1]["event"]["answer"] == "yes"
    do(sitting, 0, "ask_freely", riddle=3, text="Is it lovely?")
    wait(app, 61)
    assert sitting.standing(2)["view"]["free_questions"][0]["said"] == "unclear"
    hat = sitting.standing(0)["view"]["wizards"][0]
    wait(app, 200)
    now = sitting.standing(0)
    assert now["view"]["wizards"][0] == hat
    assert now["seats"][0]["bot"] == {"level": "easy"}
    assert now["view"]["turn"] == 0
    assert now["status"] == "running"
    services = app.extensions["context"].sessions
    later = replace(services, now=lambda: services.now() + 300_000, enqueue_bot_turn=lambda *_: None)
    before = sitting.version(1)
    bot_turns.play(later, str(sitting.made["id"]), choose_move, sleep=lambda _: None)
    assert sitting.version(1) > before


def wait(app: Flask, seconds: int) -> None:
    services = app.extensions["context"].sessions
    run_due_timers(
        replace(services, now=lambda: services.now() + 1000 * seconds, enqueue_bot_turn=lambda *_: None),
        lambda *_: None,
    )


def stateless() -> Iterator[tuple[int, dict[str, Any]]]:
    for seat in range(3):
        yield seat, modelling(*TERMS_OF[seat])
    yield 0, {"kind": "spend_stones", "stones": 3}
    yield 0, {"kind": "ask_freely", "riddle": 3, "text": "Is it lovely?"}
    yield 1, {"kind": "answer_question", "answer": "no"}
    yield 0, {"kind": "attempt_riddle", "riddle": 3, "guess": "f6"}


@pytest.mark.rule("BR-32")
def test_clay_and_free_words_go_through_snapshots_too() -> None:
    client = application({GAME.slug: GAME}).test_client()
    here = f"/v1/games/{GAME.slug}"
    for number in range(20):
        body = {"seat_count": 3, "options": OPTIONS, "seed": f"clay {number}"}
        now: Any = client.post(f"{here}/snapshots", json=body).json
        if now["snapshot"]["table"]["starter"] == 0:
            break
    listed: Any = client.post(f"{here}/legal-moves", json={"snapshot": now["snapshot"], "seat": 0}).json
    assert listed["mode"] == "schema"
    formats = {sketch["piece"]["format"] for entry in listed["moves"] for sketch in entry["move"]["riddles"]}
    assert formats == {"kneaded", "clay/1"}
    for seat, move in stateless():
        request = {"snapshot": now["snapshot"], "seat": seat, "move": move}
        checked = client.post(f"{here}/moves?validate_only=true", json=request)
        assert checked.status_code == 200, checked.text
        now = client.post(f"{here}/moves", json=request).json
    view = view_of(client, now["snapshot"], None)
    assert view["riddles"][3]["solvers"] == [0]
    assert view["riddles"][1]["piece"] == INK
    assert view["free_questions"][0]["said"] == "no"


@pytest.mark.rule("BR-D42", "BR-D50")
def test_a_figure_can_be_looked_at_before_it_is_handed_in() -> None:
    client = application({GAME.slug: GAME}).test_client()

    def looked(pieces: Any, term: str = "a1") -> Any:
        riddles = [{"term": term, "piece": piece} for piece in pieces]
        body = {"draft": {"kind": "model_riddles", "riddles": riddles}}
        return client.post(f"/v1/games/{GAME.slug}/pictures", json=body)

    drawn = looked([KEY, INK, KNEADED])
    assert (drawn.status_code, drawn.mimetype) == (200, "image/svg+xml")
    assert drawn.text.count("<svg") == 1
    assert looked([KEY, INK, KNEADED]).text == drawn.text, "a look decides nothing"
    assert looked([KEY]).status_code == 200, "one figure alone is a draft too"
    assert "<b>" not in looked([KEY], "<b>yeti</b>").text
    brick = {"format": "clay/1", "parts": [{"s": "block", "p": [0, 0, 0.4], "z": [0.8, 0.8, 0.8]}]}
    refusal: Any = looked([INK, brick]).json
    assert refusal["code"] == "illegal-move"
    assert [(error["rule"], error["pointer"]) for error in refusal["errors"]] == [
        ("BR-15", "/draft/riddles/1/piece/parts")
    ]
    rolled: Any = client.post(f"/v1/games/{GAME.slug}/pictures", json={"draft": {"kind": "roll_die"}}).json
    assert rolled["code"] == "invalid-move"


@pytest.mark.rule("BR-52", "BR-57")
def test_a_curse_can_be_left_to_be_spoken_as_soon_as_it_may(app: Flask) -> None:
    sitting = asking(app)
    do(sitting, 0, "end_asking")
    code = kind_code(4, TERMS_OF[1][1])
    bad = sitting.call(2, "PUT", "/standing-answers", json={"answers": ["curse:1"]})
    assert bad.status_code == 422
    left = sitting.call(2, "PUT", "/standing-answers", json={"answers": [f"curse:{code}"]})
    assert left.status_code == 200, left.text
    before = read_events(sitting, 0)
    wait(app, 20)
    assert read_events(sitting, 0) == before, "nobody curses in a second round, and nobody learns who would"
    do(sitting, 0, "end_asking")
    wait(app, 20)
    wizards: Any = sitting.standing(None)["view"]["wizards"]
    assert [wizard["curses"] for wizard in wizards] == [3, 3, 2]
    assert sitting.standing(None)["view"]["riddles"][4]["solvers"] == [2]


def kind_code(riddle: int, term: str) -> int:
    return int(codes.code(codes.CURSE_ATTEMPT, riddle, TERM_NUMBERS[term]))


@pytest.mark.rule("BR-D42")
def test_no_table_is_too_full_of_ink_to_be_sent_back() -> None:
    client = application({GAME.slug: GAME}).test_client()
    here = f"/v1/games/{GAME.slug}"
    line = [[1000 + place % 24, 1023 - place % 24] for place in range(100)]
    full = {"format": "strokes/1", "strokes": [line] * 20}
    now: Any = client.post(f"{here}/snapshots", json={"seat_count": 3, "seed": "ink"}).json

    def sent(part: str, **body: Any) -> Any:
        spelled = json.dumps(body, indent=0)  # a line for each number
        answer = client.post(f"{here}/{part}", data=spelled, content_type="application/json")
        assert answer.status_code == 200, answer.text
        return answer

    for seat in range(3):
        move = modelling(*TERMS_OF[seat], pieces=(full, full, full))
        now = sent("moves", snapshot=now["snapshot"], seat=seat, move=move).json
    assert sent("legal-moves", snapshot=now["snapshot"], seat=now["actors"][0]).json["moves"]
    assert sent("pictures", view=sent("views", snapshot=now["snapshot"], seat=None).json).data
