"""A round of the village that nobody ends, and the memory of it."""

import json
from functools import cache
from typing import Any

import pytest
from redis import Redis

from games.core.dice import FastDice
from games.core.game import Move
from games.core.table import SPECTATOR, Table
from games.wichtel.moves import CallGnome, MarchGnomes, PassDie, ReturnGnome, SwapGnome
from games.wichtel.options import VillageOptions
from games.wichtel.table.trail import MAX_CROSSINGS, length_of
from service.jobs import queues
from service.snapshots.sealing import packed_size
from tests.games.wichtel.positions import GAME, legal, record_of, view_of, village
from tests.service.kit import application

MAX_TRAIL = 34
"""Maximum length of a rewritten trail: two crossings for each face-down gnome."""


@cache
def around() -> tuple[Table, Table]:
    """Return a village before and after the turn in which the trail is rewritten; all call and swap, nobody ends it."""
    dice = FastDice(4)
    table = GAME.new(3, GAME.options_type(), dice)
    for turn in range(MAX_CROSSINGS):
        before = table.clone()
        change: type[Move] = CallGnome if turn % 2 else SwapGnome
        for kind in (MarchGnomes, change, ReturnGnome, PassDie):
            seat = GAME.actors(table)[0]
            moves = [move for move in legal(table, seat) if isinstance(move, kind)]
            if moves:
                table.apply(seat, GAME.encode(table, seat, moves[turn % len(moves)]), dice, None)
        if length_of(village(table).trail) < length_of(village(before).trail):
            return before, table
    raise AssertionError("the trail has grown without end")


@pytest.mark.rule("HW-D26")
def test_a_round_lasts_as_long_as_nobody_ends_it() -> None:
    assert VillageOptions().turn_cap == 0
    before, after = around()
    assert MAX_CROSSINGS - 5 < length_of(village(before).trail) < MAX_CROSSINGS
    assert length_of(village(after).trail) <= MAX_TRAIL
    seen = view_of(after, 0)
    assert (seen.round, seen.phase) == (1, "before")
    assert seen.turns == view_of(before, 0).turns + 1 >= 400


@pytest.mark.rule("HW-D26", "HW-D23")
def test_face_down_gnomes_stay_known_to_their_giver_alone() -> None:
    before, after = around()
    assert sum(len(seat.laid) for seat in record_of(after).seats) > 3
    assert any(len(seat.laid) > 1 for seat in record_of(after).seats)
    for viewer in (0, 1, 2, SPECTATOR):
        old, new = view_of(before, viewer), view_of(after, viewer)
        places = range(len(new.caravan))
        moved = {place for place in places if record_of(before).caravan[place] != record_of(after).caravan[place]}
        for place in set(places) - moved:
            if new.caravan[place].open == old.caravan[place].open:
                assert new.caravan[place].gnome == old.caravan[place].gnome
        assert all(crossing.gnome is None or crossing.seat == viewer for crossing in new.trail)


@pytest.mark.rule("HW-D26", "HW-D31")
def test_a_table_with_a_rewritten_trail_is_whole() -> None:
    _, after = around()
    record = record_of(after)
    assert GAME.write(GAME.read(record)) == record
    assert packed_size(record) < GAME.record_bytes
    for viewer in (0, 1, 2, SPECTATOR):
        view = GAME.view(after, viewer)
        assert GAME.view(GAME.from_view(view, FastDice(1)), viewer) == view


@pytest.mark.rule("HW-D26")
@pytest.mark.parametrize(
    ("options", "cap"), [({}, 200), ({"turn_cap": 0}, 0), ({"turn_cap": 50}, 50), ({"goal": 20}, 200)], ids=str
)
def test_simulations_are_capped_by_default(redis_client: Redis, redis_url: str, options: Any, cap: int) -> None:
    client = application({GAME.slug: GAME}, redis_url=redis_url).test_client()
    body = {"game": GAME.slug, "seats": [{"bot": {"level": "random"}}] * 3, "games": 2, "options": options}
    answer: Any = client.post("/v1/jobs/simulations", json=body)
    assert answer.status_code == 202, answer.json
    told: Any = json.loads(redis_client.hget(queues.record_key(answer.json["id"]), "payload") or b"")
    assert told["options"]["turn_cap"] == cap


@pytest.mark.parametrize("options", [5, [], "none"])
def test_options_of_a_simulation_that_are_no_object_are_refused(redis_url: str, options: Any) -> None:
    client = application({GAME.slug: GAME}, redis_url=redis_url).test_client()
    body = {"game": GAME.slug, "seats": [{"bot": {"level": "random"}}] * 3, "games": 2, "options": options}
    assert client.post("/v1/jobs/simulations", json=body).status_code == 422
