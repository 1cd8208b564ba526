"""The checker of jobs' histories: it takes what can be, and refuses each thing that a service must not do."""

from typing import Any, Final

import pytest

from tests.faults.job_histories import check_jobs
from tests.faults.kit import Answer, Exchange
from tests.faults.linearizability import NotLinearizable

ENDS: Final = {"succeeded": {"games": 4}, "canceled": None}


def job_body(state: str, done: int, job: str = "a", kind: str = "simulation", result: Any = None) -> dict[str, Any]:
    progress = {"done": done, "total": 4}
    return {"id": job, "kind": kind, "state": state, "progress": progress, "result": result or ENDS.get(state)}


def start(began: float, ended: float, key: str, job: str = "a") -> Exchange:
    answer = Answer(202, {}, job_body("queued", 0, job))
    return Exchange("POST", "/v1/jobs/simulations", {}, {"Idempotency-Key": key}, began, ended, answer)


def look(began: float, ended: float, state: str, done: int, method: str = "GET", **more: Any) -> Exchange:
    return Exchange(method, "/v1/jobs/a", None, {}, began, ended, Answer(200, {}, job_body(state, done, **more)))


GONE: Final = Exchange("GET", "/v1/jobs/a", None, {}, 2, 3, Answer(404, {}, {"code": "unknown-job"}))


BROKEN: Final[dict[str, list[list[Exchange]]]] = {
    "progress that falls": [[look(0, 1, "running", 2), look(2, 3, "running", 1)]],
    "progress that falls for another": [[look(0, 1, "running", 2)], [look(2, 3, "running", 1)]],
    "a job that waits again": [[look(0, 1, "running", 0), look(2, 3, "queued", 0)]],
    "a job that goes on after its end": [[look(0, 1, "canceled", 2), look(2, 3, "running", 2)]],
    "a job that is called off and goes on": [[look(0, 1, "running", 1, "DELETE")]],
    "a job that is called off and succeeds": [[look(0, 1, "canceled", 1, "DELETE"), look(2, 3, "succeeded", 4)]],
    "items that are counted after the end": [[look(0, 1, "canceled", 1), look(2, 3, "canceled", 2)]],
    "two results": [[look(0, 1, "succeeded", 4), look(2, 3, "succeeded", 4, result={"games": 5})]],
    "a job for each sending of a request": [[start(0, 1, "k"), start(2, 3, "k", "b")]],
    "one job for two requests": [[start(0, 1, "k"), start(2, 3, "l")]],
    "a job that is lost": [[start(0, 1, "k"), GONE]],
}


@pytest.mark.parametrize("clients", BROKEN.values(), ids=BROKEN.keys())
def test_responses_that_fit_no_order_are_refused(clients: list[list[Exchange]]) -> None:
    with pytest.raises(NotLinearizable):
        check_jobs(clients)
