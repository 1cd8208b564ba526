"""A user of Redis with the rights in the runbook is enough for the service and its workers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from rq.command import send_stop_job_command
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.serializers import JSONSerializer

from service.jobs import queues
from service.store.clients import commands, queue
from service.store.feed import NEWS
from service.telemetry.tracing import Tracing
from tests.service.kit import application
from tests.workers import jobs
from workers.main import worker_at

PASSWORD = "as-in-the-runbook"  # noqa: S105 -- of a server that is gone after the test


@pytest.fixture
def rights(checkout: Path) -> list[str]:
    """Return the user's rights in the runbook, after its name."""
    (line,) = re.findall(
        r"^ACL SETUSER dorfplatz (.+)$", (checkout / "docs" / "operations.md").read_text(), re.MULTILINE
    )
    return [part.replace("PASSWORD", PASSWORD) for part in line.split()]


@pytest.fixture
def user_url(redis_url: str, redis_client: redis.Redis, rights: list[str]) -> Iterator[str]:
    """Yield the address of the store for the user of the runbook."""
    redis_client.acl_log_reset()
    redis_client.execute_command("ACL", "SETUSER", "dorfplatz", *rights)
    parts = urlsplit(redis_url)
    yield parts._replace(netloc=f"dorfplatz:{PASSWORD}@{parts.hostname}:{parts.port}").geturl()
    redis_client.execute_command("ACL", "DELUSER", "dorfplatz")


def test_the_user_of_the_runbook_may_all_that_is_done(user_url: str, redis_client: redis.Redis) -> None:
    app = application(None, user_url).test_client()
    assert app.get("/readyz").status_code == 200
    with commands(user_url) as client, queue(user_url) as connection:
        listener = client.pubsub()
        listener.subscribe(NEWS)
        assert listener.get_message(timeout=5) is not None
        seats = [{"kind": "human"}, {"kind": "human"}]
        made = app.post("/v1/sessions", json={"game": "pebbles", "seats": seats})
        assert made.status_code == 201, made.text
        body: Any = made.json
        owner = {"Authorization": f"Bearer {body['owner_token']}"}
        assert app.delete(f"/v1/sessions/{body['id']}", headers=owner).status_code == 204
        assert listener.get_message(timeout=5) is not None, "what is written is told"
        listener.close()
        worker = worker_at(queues.BULK, connection, Tracing())
        worker.register_birth()  # type: ignore[no-untyped-call]
        worker.subscribe()  # type: ignore[no-untyped-call]
        worker.unsubscribe()  # type: ignore[no-untyped-call]
        worker.run_maintenance_tasks()
        with pytest.raises((NoSuchJobError, InvalidJobOperation)):
            send_stop_job_command(connection, "none", serializer=JSONSerializer)
        job = jobs.tally(connection, "random", "random", games=2)
        jobs.work(connection, queues.BULK)
        assert jobs.look(connection, job).state == "succeeded"
    assert [entry["reason"] for entry in redis_client.acl_log() if entry["username"] == "dorfplatz"] == []


def test_without_its_channel_nobody_is_told(user_url: str, redis_client: redis.Redis) -> None:
    redis_client.execute_command("ACL", "SETUSER", "dorfplatz", "resetchannels")
    with commands(user_url) as client, pytest.raises(redis.exceptions.NoPermissionError):
        client.publish(NEWS, "")
