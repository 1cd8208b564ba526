"""Order of waiting tasks at the workers, and the maximum number of a caller's open jobs."""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer
from werkzeug.test import TestResponse

from service.auth.api_keys import KeyStore
from service.jobs import queues, recovery
from service.jobs.errors import TooManyJobs
from service.jobs.leases import Lease
from service.jobs.records import fields_of
from service.jobs.recovery import give_back, sweep
from service.jobs.store import Job, JobStore
from service.jobs.submit import cancel
from tests.service.kit import application
from tests.toy import GAME as PEBBLES
from tests.workers import jobs
from tests.workers.processes import until

SEARCHES = "/v1/jobs/searches"


def waiting(client: Redis, queue: str = queues.SEARCHES) -> list[str]:
    return [
        task.rpartition("-")[0] for task in Queue(queue, connection=client, serializer=JSONSerializer).get_job_ids()
    ]


def take(client: Redis, queue: str = queues.SEARCHES) -> str:
    """Take a task as a worker does, and return the id of its job."""
    task = client.lpop(f"rq:queue:{queue}")
    assert isinstance(task, bytes)
    return task.decode().rpartition("-")[0]


def ask(client: Redis, callers: str, iterations: int = 4_000) -> list[tuple[str, str]]:
    """Create a search of 100 ms for each letter, which is its caller, and return the ids of the jobs with theirs."""
    return [(jobs.search(client, iterations=iterations, caller=caller).id, caller) for caller in callers]


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ("aaaaaa", "aaaaaa"),
        ("aaaaaab", "abaaaaa"),
        ("aaaabbbb", "abababab"),
        ("aaabbc", "abcaba"),
        ("cabcab", "cabcab"),
    ],
    ids=["one alone", "one who comes late", "two", "three", "in turns already"],
)
def test_callers_take_turns_however_much_one_has_asked_for(redis_client: Redis, asked: str, taken: str) -> None:
    caller_of = dict(ask(redis_client, asked))
    assert "".join(caller_of[take(redis_client)] for _ in asked) == taken


def test_nobody_is_overtaken_for_ever_by_those_who_come_after(redis_client: Redis) -> None:
    caller_of = dict(ask(redis_client, "aa"))
    taken = []
    for late in "bcdefg":
        caller_of |= ask(redis_client, late)
        taken.append(caller_of[take(redis_client)])
    assert "".join(taken) == "abcdae"


def test_a_turn_counts_by_how_long_it_lasts(redis_client: Redis) -> None:
    caller_of = dict(ask(redis_client, "aaa", iterations=40_000))
    caller_of |= ask(redis_client, "bbbbb", iterations=8_000)
    assert "".join(caller_of[take(redis_client)] for _ in caller_of) == "bbbbabaa"


def test_work_done_without_waiting_callers_does_not_count(redis_client: Redis, redis_url: str) -> None:
    queue = f"rq:queue:{queues.SEARCHES}"
    with Redis.from_url(redis_url) as idle, ThreadPoolExecutor(1) as pool:
        for _ in range(3):
            taken = pool.submit(idle.blpop, [queue])  # as a worker with nothing to do
            until(lambda: redis_client.info("clients")["blocked_clients"])
            ((job, _),) = ask(redis_client, "a", iterations=40_000)
            assert taken.result() == (queue.encode(), f"{job}-0".encode())
    caller_of = dict(ask(redis_client, "bba"))
    assert "".join(caller_of[take(redis_client)] for _ in caller_of) == "bab"


def test_cancelling_a_waiting_job_returns_the_turn(redis_client: Redis) -> None:
    for job, _ in ask(redis_client, "aaaaa")[1:]:
        found = JobStore(redis_client).load(job)
        assert found is not None
        cancel(redis_client, found)
    caller_of = dict(ask(redis_client, "bbba"))
    assert "".join(caller_of[job] for job in waiting(redis_client) if job in caller_of) == "bbab"


def test_the_portions_of_long_jobs_take_turns_by_caller_and_not_by_job(redis_client: Redis) -> None:
    def simulation(caller: str) -> str:
        order = jobs.simulation_order("random", "random", games=50)
        return jobs.submit_order(redis_client, order, caller).id

    caller_of = {simulation("a"): "a" for _ in range(3)} | {simulation("b"): "b"}
    taken = []
    for _ in range(8):
        job = take(redis_client, queues.BULK)
        taken.append(caller_of[job])
        (number,) = fields_of(redis_client, job, "called")
        assert Lease.take(redis_client, job, f"{job}-{number}") is not None  # queues the next task
    assert "".join(taken) == "abababab"


def test_a_task_of_an_earlier_release_is_not_overtaken(redis_client: Redis) -> None:
    queue = Queue(queues.SEARCHES, connection=redis_client, serializer=JSONSerializer)
    queue.enqueue_call(queues.SEARCH, args=("old",), timeout=60, job_id="old-0")
    ask(redis_client, "ab")
    assert waiting(redis_client)[0] == "old"


def test_bots_wait_for_no_search(redis_client: Redis) -> None:
    ask(redis_client, "a" * 8)
    ask(redis_client, "a" * 8, iterations=400_000)
    queues.enqueue(redis_client, queues.BOT_TURN, "bots-session-1-0", ["session"], 60)
    assert waiting(redis_client, queues.PLAY) == ["bots-session-1"]
    assert (len(waiting(redis_client)), len(waiting(redis_client, queues.BULK))) == (8, 8)


def test_a_short_search_waits_for_no_long_one(redis_client: Redis) -> None:
    long = [jobs.search(redis_client, milliseconds=8_000).id for _ in range(6)]
    short = jobs.search(redis_client, milliseconds=10)
    assert waiting(redis_client) == [short.id]
    assert waiting(redis_client, queues.BULK) == long


@pytest.mark.parametrize(("milliseconds", "queue"), [(1_000, queues.SEARCHES), (1_001, queues.BULK)])
def test_a_task_of_a_lost_worker_returns_to_its_queue(redis_client: Redis, milliseconds: int, queue: str) -> None:
    job = jobs.search(redis_client, milliseconds=milliseconds)
    assert Lease.take(redis_client, take(redis_client, queue), f"{job.id}-0") is not None
    give_back(redis_client, job.id, f"{job.id}-0")  # as its worker does when the work-horse died
    assert waiting(redis_client, queue) == [job.id]
    redis_client.delete(f"rq:queue:{queue}")
    redis_client.hset(queues.record_key(job.id), "missing", "1")
    sweep(redis_client)
    assert waiting(redis_client, queue) == [job.id]


def test_a_task_is_lost_that_was_in_no_queue_for_seconds(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_800_000_000.0]
    monkeypatch.setattr(recovery, "time", SimpleNamespace(time=lambda: now[0]))
    job = jobs.search(redis_client, milliseconds=10)
    take(redis_client)  # by a worker that dies before it has begun
    seen = []
    for seconds in (0.0, recovery.MISSING_SECONDS, 0.5):
        now[0] += seconds
        sweep(redis_client)
        seen.append(waiting(redis_client))
    assert seen == [[], [], [job.id]]


def test_turns_of_tasks_lost_from_a_queue_are_taken_again(redis_client: Redis) -> None:
    caller_of = dict(ask(redis_client, "aab"))
    redis_client.delete(f"rq:queue:{queues.SEARCHES}", *redis_client.keys("rq:job:*"))
    for _ in range(2):
        sweep(redis_client)
        for job in caller_of:
            redis_client.hset(queues.record_key(job), "missing", "1")
    assert sorted(waiting(redis_client)) == sorted(caller_of)
    assert "".join(caller_of[take(redis_client)] for _ in caller_of) in {"aba", "baa"}


def pebbles(client: FlaskClient, iterations: int = 50) -> dict[str, Any]:
    made: Any = client.post("/v1/games/pebbles/snapshots", json={"seat_count": 2, "seed": "s"}).json
    return {"game": "pebbles", "snapshot": made["snapshot"], "seat": 1, "budget": {"iterations": iterations}}


def served(redis_url: str, **limits: int) -> FlaskClient:
    return application({PEBBLES.slug: PEBBLES}, redis_url, **limits).test_client()


def code(answer: TestResponse) -> tuple[int, str | None]:
    body: Any = answer.json
    return answer.status_code, body.get("code")


def test_an_address_has_so_many_open_jobs_whatever_bearers_it_makes_up(redis_url: str, redis_client: Redis) -> None:
    client = served(redis_url, open_jobs_per_caller=2)
    body = pebbles(client)
    answers = [client.post(SEARCHES, json=body, headers={"Authorization": f"Bearer {n}"}) for n in range(3)]
    assert [answer.status_code for answer in answers] == [202, 202, 429]
    assert code(answers[2]) == (429, "too-many-jobs")
    assert int(answers[2].headers["Retry-After"]) > 0
    assert redis_client.zcard(queues.OPEN_JOBS) == 2
    elsewhere = client.post(SEARCHES, json=body, environ_base={"REMOTE_ADDR": "192.0.2.9"})
    assert elsewhere.status_code == 202, "others have jobs of their own"
    assert client.delete(answers[0].headers["Location"], headers={"Authorization": "Bearer 0"}).status_code == 200
    assert client.post(SEARCHES, json=body).status_code == 202, "a job that ended counts no more"


def test_a_key_has_open_jobs_of_its_own_wherever_it_is_sent_from(redis_url: str, redis_client: Redis) -> None:
    client = served(redis_url, open_jobs_per_caller=1, open_jobs_per_key=2)
    body, mine = pebbles(client), {"Api-Key": KeyStore(redis_client).add("tests", ["jobs"])[1]}
    assert [client.post(SEARCHES, json=body).status_code for _ in range(2)] == [202, 429]
    sent = [
        client.post(SEARCHES, json=body, headers=mine, environ_base={"REMOTE_ADDR": f"192.0.2.{n}"}) for n in range(3)
    ]
    assert [answer.status_code for answer in sent] == [202, 202, 429]


def test_a_repeated_request_gets_its_job_when_no_more_are_allowed(redis_url: str) -> None:
    client = served(redis_url, open_jobs_per_caller=1)
    body, again = pebbles(client), {"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}
    first, second = (client.post(SEARCHES, json=body, headers=again) for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.headers["Location"] == second.headers["Location"]


def test_no_bound_is_kept_where_an_operator_wants_none(redis_url: str) -> None:
    client = served(redis_url, open_jobs_per_caller=0)
    body = pebbles(client)
    assert [client.post(SEARCHES, json=body).status_code for _ in range(12)] == [202] * 12


def test_a_job_refused_for_its_cost_is_not_open(redis_url: str, redis_client: Redis) -> None:
    client = served(redis_url, open_playouts_per_hour=100, open_jobs_per_caller=1)
    assert code(client.post(SEARCHES, json=pebbles(client, 101))) == (422, "quota-too-small")
    assert redis_client.zcard(queues.OPEN_JOBS) == redis_client.hlen(queues.OPEN_JOB_CALLERS) == 0
    assert client.post(SEARCHES, json=pebbles(client)).status_code == 202


def test_a_job_that_was_admitted_and_never_written_counts_until_the_workers_look(redis_client: Redis) -> None:
    store, now = JobStore(redis_client), time.time_ns() // 1_000_000
    died, next_one = (
        Job(
            id=name,
            function=queues.SEARCH,
            game="pebbles",
            state="queued",
            owner="",
            made=now,
            expires=now,
            items=1,
            total=1,
            cost=1,
        )
        for name in ("died", "next")
    )
    assert store.admit(died, "a", 10, 1)
    with pytest.raises(TooManyJobs):
        store.admit(next_one, "a", 10, 1)
    sweep(redis_client)
    assert store.admit(next_one, "a", 10, 1)


def test_neither_a_record_nor_a_list_of_jobs_names_an_address(redis_url: str, redis_client: Redis) -> None:
    client = served(redis_url)
    assert client.post(SEARCHES, json=pebbles(client), environ_base={"REMOTE_ADDR": "192.0.2.77"}).status_code == 202
    for key in redis_client.keys("j:*"):
        assert b"192.0.2.77" not in (redis_client.dump(key) or b"")
