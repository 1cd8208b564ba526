"""A deprecated operation says so in every answer and in the document, from one line of a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.http.deprecation import NOTICE, RETIRED, Retirement
from service.settings import Settings
from tests.service.table_talk import NOWHERE, PEBBLES
from tests.toy import GAME

SINCE = datetime(2026, 12, 1, tzinfo=UTC)
GOING = (
    Retirement(operation="createSnapshot", deprecated=SINCE, sunset=SINCE + NOTICE, successor="/v1/sessions"),
    Retirement(operation="listRules", deprecated=SINCE),
)


def built(retired: tuple[Retirement, ...]) -> Flask:
    return create_app(Settings(redis_url=NOWHERE, log_level="critical"), {GAME.slug: GAME}, retired)


@pytest.fixture(scope="module")
def app() -> Flask:
    return built(GOING)


@pytest.mark.parametrize("body", [{"seat_count": 2}, {"seat_count": 9}], ids=["granted", "refused"])
def test_every_answer_of_it_tells_since_when_and_until_when_and_what_replaces_it(
    app: Flask, body: dict[str, Any]
) -> None:
    answer = app.test_client().post(f"{PEBBLES}/snapshots", json=body)
    assert answer.headers["Deprecation"] == "@1796083200"
    assert answer.headers["Sunset"] == "Sun, 30 May 2027 00:00:00 GMT"
    links = answer.headers["Link"].split(", ")
    assert [link.partition("; ")[0] for link in links] == ["</docs>", "</docs>", "</v1/sessions>"]
    assert ['rel="deprecation"' in links[0], 'rel="sunset"' in links[1], 'rel="successor-version"' in links[2]] == [
        True
    ] * 3
    assert {"Deprecation", "Sunset", "Link"} <= set(answer.headers["Access-Control-Expose-Headers"].split(", "))


def test_without_an_end_there_is_no_sunset_and_others_say_nothing(app: Flask) -> None:
    rules = app.test_client().get(f"{PEBBLES}/rules")
    assert (rules.headers["Deprecation"], "Sunset" in rules.headers) == ("@1796083200", False)
    for path in ("/v1/games", "/v1/limits", "/nowhere"):
        assert not {"Deprecation", "Sunset", "Link"} & set(app.test_client().get(path).headers.keys())


def test_the_document_marks_it_and_describes_its_headers(app: Flask) -> None:
    spec: Any = app.test_client().get("/openapi.json").json
    paths, shared = spec["paths"], spec["components"]["responses"]
    operations = {each["operationId"]: each for item in paths.values() for each in item.values()}
    assert {name for name, each in operations.items() if each.get("deprecated")} == {"createSnapshot", "listRules"}
    for response in operations["createSnapshot"]["responses"].values():
        told = shared[response["$ref"].rpartition("/")[2]] if "$ref" in response else response
        assert {"Deprecation", "Sunset", "Link"} <= told["headers"].keys()
    assert "Sunset" not in operations["listRules"]["responses"]["200"]["headers"]


def test_nothing_ends_without_notice() -> None:
    with pytest.raises(ValueError, match="180 days"):
        Retirement(operation="listRules", deprecated=SINCE, sunset=SINCE + NOTICE - timedelta(days=1))


def test_only_what_there_is_can_go() -> None:
    with pytest.raises(KeyError, match="sing"):
        built((Retirement(operation="sing", deprecated=SINCE),))


def test_the_table_in_force_names_operations_that_are_there() -> None:
    assert built(RETIRED).extensions["openapi"].spec
