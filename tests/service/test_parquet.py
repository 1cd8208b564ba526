"""The games of a job as a Parquet file."""

import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.jobs import queues
from service.wire import game_table
from service.wire.game_table import PARQUET, GroupColumns, parquet_file
from tests.workers import jobs

SEATS = [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}]
BODY = {"game": "hoher-rat", "seats": SEATS, "seed": "owls", "games": 7, "options": {"turn_cap": 20}}
NDJSON = "application/x-ndjson"


def played(client: FlaskClient, redis_client: Redis, **more: Any) -> str:
    made: Any = client.post("/v1/jobs/simulations", json={**BODY, **more}).json
    jobs.work(redis_client, queues.BULK)
    return f"/v1/jobs/{made['id']}/games"


def read(answer: TestResponse) -> list[dict[str, Any]]:
    assert (answer.status_code, answer.mimetype) == (200, PARQUET), answer.text
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(answer.data)).to_pylist()
    return rows


def lines(client: FlaskClient, path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in client.get(path, headers={"Accept": NDJSON}).text.splitlines()]


def given(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def test_a_parquet_file_has_the_rows_of_the_list(client: FlaskClient, redis_client: Redis) -> None:
    path = played(client, redis_client)
    rows = read(client.get(path, headers={"Accept": PARQUET}))
    assert [given(row) for row in rows] == lines(client, path)
    later = read(client.get(f"{path}?first=5", headers={"Accept": PARQUET}))
    assert later == rows[5:]
    assert set(rows[0]) == {"game", "deal", "bots", "rewards", "plies", "points", "forfeit"}


def test_groups_are_columns(client: FlaskClient, redis_client: Redis) -> None:
    wanted = {"outcome": [{"field": "winners"}, {"field": "view.turns", "bucket": 5}], "opening": 2}
    path = played(client, redis_client, group_by=wanted)
    rows = read(client.get(path, headers={"Accept": PARQUET}))
    for row, line in zip(rows, lines(client, path), strict=True):
        assert row["opening"] == line["group"]["opening"]
        assert {name: row[f"group.{name}"] for name in line["group"]["key"]} == line["group"]["key"]
    assert {"group.winners", "group.view.turns"} <= set(rows[0])


def test_a_job_that_has_not_begun_has_a_file_without_rows(client: FlaskClient) -> None:
    made: Any = client.post("/v1/jobs/simulations", json=BODY).json
    assert read(client.get(f"/v1/jobs/{made['id']}/games", headers={"Accept": PARQUET})) == []


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", NDJSON),
        ("*/*", NDJSON),
        ("text/html", NDJSON),
        (f"{NDJSON}, {PARQUET}", NDJSON),
        (f"{NDJSON};q=0.5, {PARQUET}", PARQUET),
        ("application/vnd.apache.parquet;q=0.1", PARQUET),
    ],
)
def test_the_caller_chooses_the_format(client: FlaskClient, redis_client: Redis, accept: str, kind: str) -> None:
    answer = client.get(played(client, redis_client, games=1), headers={"Accept": accept})
    assert (answer.status_code, answer.mimetype) == (200, kind)
    assert "Accept" in answer.headers["Vary"]


def test_without_its_library_the_format_is_refused_unless_another_will_do(
    client: FlaskClient, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(client, redis_client, games=1)
    monkeypatch.setattr(game_table, "find_spec", lambda _: None)
    refused = client.get(path, headers={"Accept": PARQUET})
    assert (refused.status_code, refused.json["code"]) == (406, "format-unavailable")  # type: ignore[index]
    assert NDJSON in refused.json["detail"]  # type: ignore[index]
    assert client.get(path, headers={"Accept": f"{PARQUET}, {NDJSON};q=0.1"}).mimetype == NDJSON


def test_a_long_file_comes_in_row_groups_whose_lines_are_read_when_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(game_table, "ROW_GROUP", 10)
    taken = list[int]()

    def source() -> Any:
        for number in range(25):
            taken.append(number)
            yield json.dumps({"game": number, "deal": 0, "bots": [0, 1], "rewards": [1.0, 0.0], "plies": 3}).encode()

    chunks = parquet_file(source(), GroupColumns())
    found = [next(chunks)]
    assert len(taken) == 10
    found += chunks
    file = pq.ParquetFile(io.BytesIO(b"".join(found)))
    assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [10, 10, 5]
    assert file.read()["game"].to_pylist() == [*range(25)]
