"""The bench of costs: every request in a process of its own, and the tables in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.cost_cases import Case, Place, long_game, post, tangle
from bench.costs import BEGIN, END, Cost, CostUnknown, dearest, measure, publish
from games.barbarossa.clay.check import fault, share
from games.core.registry import registered
from tests.service.table_talk import PEBBLES, application

LIMITS = Case("getLimits", "", "/v1/limits", b"", method="GET", headers={})


def test_a_request_is_measured_in_a_process_of_its_own() -> None:
    app = application()
    cost = measure(app, post("createSnapshot", "pebbles", f"{PEBBLES}/snapshots", {"seat_count": 2}))
    assert (cost.status, cost.refused, cost.sent) == (201, False, len('{"seat_count":2}'))
    assert cost.answered > 100
    assert 0 < cost.seconds < 60
    assert cost.memory >= 0


def test_a_case_that_is_not_answered_as_it_says_is_no_measurement() -> None:
    with pytest.raises(CostUnknown):
        measure(application(), LIMITS._replace(refused=True))
    with pytest.raises(CostUnknown):
        measure(application(), LIMITS._replace(path="/nowhere"))


def test_of_refused_requests_the_dearest_of_each_operation_is_told_with_its_memory() -> None:
    sent = [b"[" + b"[1]," * count + b"1]" for count in (1, 30_000, 2)]
    cases = [Case("createSnapshot", str(len(body)), f"{PEBBLES}/snapshots", body, refused=True) for body in sent]
    served = post("viewLimits", "", f"{PEBBLES}/snapshots", {"seat_count": 2})._replace(refused=True)
    (found,) = dearest(application(), [*cases, served])
    assert found.what == str(len(sent[1]))
    assert found.memory > 1


def test_a_recorded_game_fits_and_its_proof_holds() -> None:
    place = Place(application(registered()))
    game = place.games["wichtel"]
    _, record, proof = long_game(game, 40)
    assert len(record["moves"]) == len(proof["moves"]) == 40
    assert place.post("/v1/games/wichtel/replays", record)["fits"]
    assert place.post("/v1/fairness:verify", proof)["fair"]


def test_a_tangled_figure_is_legal() -> None:
    assert all(fault(tangle(number), share(3)) is None for number in range(9))


def test_the_tables_stand_in_their_place_and_nothing_else_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}old\n{END}after\n")
    dear = Cost(
        operation="draw", what="much", refused=False, sent=1, status=200, seconds=1.5, memory=2.0, answered=3_000
    )
    cheap = Cost(
        operation="look", what="little", refused=True, sent=1, status=422, seconds=0.5, memory=2.0, answered=3_000
    )
    for _ in range(2):
        publish([cheap, dear], page)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}")
    assert text.endswith(f"{END}after\n")
    assert "old" not in text
    assert text.index("`draw`: much") < text.index("Worst refused") < text.index("`look`: little")
