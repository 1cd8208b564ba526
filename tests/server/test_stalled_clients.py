"""Clients that stop reading: the server cuts them off in time and takes back everything that they held."""

import asyncio
from typing import Final

import pytest
from flask import Flask

from service.http.context import AppContext
from tests.launch.kit import PATIENCE_SECONDS, within
from tests.server.lines import Client, application
from tests.service.kit import application as application_of
from tests.service.kit import sit

STALL_SECONDS: Final = 0.05
PLACES: Final = 4


@pytest.fixture
def app(redis_url: str) -> Flask:
    return application_of(redis_url=redis_url, streams=PLACES)


def stall(app: Flask, path: str, *, at_once: bool = False) -> Client:
    """Request a path, and read only the headers of the response, or nothing at all."""

    async def call() -> Client:
        client = Client("GET", path)
        client.stalls, client.stalls_at_once = True, at_once
        async with asyncio.timeout(PATIENCE_SECONDS):
            await application(app, STALL_SECONDS)(client.scope, client.receive, client.send)
        return client

    return asyncio.run(call())


@pytest.mark.parametrize("path", ["/healthz", "/openapi.json", "{session}", "{session}/events"])
def test_a_client_that_reads_only_the_headers_is_cut_off(app: Flask, path: str) -> None:
    client = stall(app, path.format(session=sit(app).here))
    assert (client.status, client.body, client.is_whole) == (200, b"", False)


@pytest.mark.parametrize("at_once", [False, True])
def test_the_wait_slot_of_a_stalled_stream_is_free_again(app: Flask, *, at_once: bool) -> None:
    context: AppContext = app.extensions["context"]
    here = sit(app).here
    for _ in range(PLACES + 1):
        assert stall(app, f"{here}/events", at_once=at_once).status == (0 if at_once else 200)
        assert within(PATIENCE_SECONDS, lambda: context.broadcasts.heard(here.rpartition("/")[2]) is None)
    assert within(PATIENCE_SECONDS, lambda: stall(app, f"{here}/events").status == 200)
