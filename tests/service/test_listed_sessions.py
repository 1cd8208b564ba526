"""Lists of sessions: every combination of filters, on pages of every size, for owners and for strangers."""

from __future__ import annotations

from itertools import product
from typing import Any, Final
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient
from redis import Redis

from service.auth.api_keys import PLAY_SCOPE, KeyStore
from tests.service.kit import PEOPLE, SESSIONS

GAMES: Final = ("pebbles", "wichtel")
LANGUAGES: Final = (None, "de", "it")
OPEN: Final = {"kind": "open"}

Listed = tuple[str, str, str | None, str]
"""A session: its id, game, language and status."""


@pytest.fixture
def founded(client: FlaskClient, redis_client: Redis) -> tuple[dict[str, str], list[Listed]]:
    """Return an API key and its sessions: one of each game, language and status."""
    key = {"Api-Key": KeyStore(redis_client).add("owner", [PLAY_SCOPE])[1]}
    made: list[Listed] = []
    for game, language, status in product(GAMES, LANGUAGES, ("waiting", "running")):
        seats = [PEOPLE[0], OPEN if status == "waiting" else PEOPLE[1], *PEOPLE[:1]]
        body = {"game": game, "seats": seats, "listed": status == "waiting"}
        answer: Any = client.post(SESSIONS, json=body | ({"language": language} if language else {}), headers=key).json
        made.append((answer["id"], game, language, status))
    return key, made


def read(client: FlaskClient, query: dict[str, Any], headers: dict[str, str]) -> list[list[str]]:
    """Return the ids of each page of a list."""
    pages, following = list[list[str]](), f"{SESSIONS}?{urlencode(query)}"
    while following:
        page: Any = client.get(following, headers=headers).json
        pages.append([each["id"] for each in page["sessions"]])
        following = page.get("next", "")
    return pages


@pytest.mark.parametrize("is_open", [False, True])
def test_every_combination_of_filters_lists_the_fitting_sessions(
    client: FlaskClient, founded: tuple[dict[str, str], list[Listed]], *, is_open: bool
) -> None:
    key, made = founded
    for wanted in product((None, *GAMES), LANGUAGES, (None, "waiting", "running", "finished")):
        query = {name: each for name, each in zip(("game", "language", "status"), wanted, strict=True) if each}
        fitting = [
            name
            for name, *found in made
            if all(each in {None, has} for each, has in zip(wanted, found, strict=True))
            and (not is_open or found[-1] == "waiting")
        ]
        listed = read(client, query | ({"open": "true"} if is_open else {}), {} if is_open else key)
        assert sorted(each for page in listed for each in page) == sorted(fitting), query


@pytest.mark.parametrize("limit", [1, 2, 5, 6, 7])
def test_every_page_but_the_last_is_full(
    client: FlaskClient, founded: tuple[dict[str, str], list[Listed]], limit: int
) -> None:
    key, made = founded
    waiting = [name for name, *_, status in made if status == "waiting"]
    for query, headers in (({"status": "waiting"}, key), ({"open": "true"}, {})):
        pages = read(client, {**query, "limit": limit}, headers)
        assert sorted(each for page in pages for each in page) == sorted(waiting)
        assert {len(page) for page in pages[:-1]} <= {limit}
        assert len(pages) <= len(waiting) // limit + 1
