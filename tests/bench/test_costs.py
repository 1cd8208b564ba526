"""The bench of costs: every request in a process of its own, and the tables in their place."""

from __future__ import annotations

import pytest

from bench.cost_cases import Case, post
from bench.costs import CostUnknown, measure
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
