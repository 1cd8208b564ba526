"""The replays of any game's session and of its branches make the same game."""

from typing import Any

import pytest
import redis
from flask import Flask

from games.core.table import SPECTATOR
from service.app import create_app
from service.http.context import AppContext
from service.sessions.play import abort, make_move
from service.sessions.reading import load, table_of
from service.settings import Settings
from service.store.sessions import Session
from tests.conformance.cases import CASES, Case
from tests.conformance.two_worlds import chosen, frozen, play_story

MOVES = 6

TABLES = [
    case for case in CASES if case.preset == next(iter(case.game.presets)) and case.seats == case.game.seat_numbers[0]
]
"""The smallest table of every game."""


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return create_app(Settings(redis_url=redis_server, log_level="critical"))


def replayed(app: Flask, case: Case, path: str, token: str) -> Any:
    client, bearer = app.test_client(), {"Authorization": f"Bearer {token}"}
    record = client.get(f"{path}/replay", headers=bearer)
    assert record.status_code == 200, record.text
    replay: Any = client.post(f"/v1/games/{case.game.slug}/replays", json=record.json).json
    assert replay["fits"] is True, replay["misfit"]
    return replay


@pytest.mark.parametrize("case", TABLES, ids=str)
def test_a_session_and_its_branch_replay_to_the_table_they_came_to(
    app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    assert redis_client.dbsize() == 0
    client = app.test_client()
    with frozen(app, monkeypatch) as house:
        story = next(filter(None, (play_story(app, house, case, hidden=False, luck=luck) for luck in range(20))))
        here, bearer = f"/v1/sessions/{story.session.id}", {"Authorization": f"Bearer {story.tokens[0]}"}
        middle = {"version": max(1, story.session.versions[0] // 2), "seats": [{"kind": "human"}] * case.seats}
        branch: Any = client.post(f"{here}/branches", json=middle, headers=bearer).json["session"]  # type: ignore[index]
        play_on(house, case, branch["id"])
        for name, token in ((branch["id"], branch["seats"][0]["token"]), (story.session.id, story.tokens[0])):
            session = abort(house.sessions, load(house.sessions, name))
            assert_same(app, case, session, replayed(app, case, f"/v1/sessions/{name}", token))


def play_on(house: AppContext, case: Case, name: str) -> None:
    for number in range(MOVES):
        session = load(house.sessions, name)
        table = table_of(case.game, session)
        for seat in case.game.actors(table)[:1]:
            code = case.game.legal(table, seat)[-1]
            make_move(house.sessions, session, seat, session.versions[seat], f"{number}", chosen(code))


def assert_same(app: Flask, case: Case, session: Session, replay: Any) -> None:
    """Hold the end of a replay against the table of its session, as every viewer sees it."""
    # The founding is no move, nor is an abort; a short game may have ended by itself before.
    assert len(replay["moves"]) == session.revision - 1 - (session.status == "aborted")
    for viewer in (*range(case.seats), SPECTATOR):
        body = {"snapshot": replay["snapshot"], "seat": None if viewer == SPECTATOR else viewer}
        shown = app.test_client().post(f"/v1/games/{case.game.slug}/views", json=body).data
        assert shown.decode() == app.json.dumps(case.game.view(table_of(case.game, session), viewer))
