"""Request targets over a bare socket: absolute-form is accepted, and paths that are not canonical are rejected."""

import json
from http.client import HTTPResponse
from typing import Final

import pytest

from tests.faults.test_crowd import dialled
from tests.service.streams.server import Seats, Server

ODD_PATHS: Final = (
    *("//v1/games", "/v1//games", "///", "/v1/games//", "//{here}", "{here}//moves"),
    *(
        "/v1/./games",
        "/v1/x/../games",
        "/../v1/games",
        "/v1/games/..",
        "/v1/games/.",
        "/%2e%2E/v1/games",
        "/v1/.%2e/v1",
    ),
    *(
        "/v1%2Fgames",
        "/v1%2fgames",
        "/v1/games%2F",
        "/v1/sessions%2F{id}",
        "/docs/..%2fapp.py",
        "/docs/%2e%2e%2fapp.py",
    ),
    *("/v1\\games", "/v1%5Cgames", "/v1/games/%", "/v1/games/%g1", "/v1/games/%4", "/v1/games/%ff"),
    *("http://x//v1/games", "http://x/v1%2Fgames"),
)
PLAIN_PATHS: Final = (
    "/v1/games",
    "/v1/%67ames",
    "/v1/games?x=//..%2F",
    "/v1/games/a.b",
    "/v1/games/...",
    "/v1/games/%C3%A4",
)


@pytest.fixture(scope="module")
def seats(server: Server) -> Seats:
    return server.sit()


def got(server: Server, target: str, *fields: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Return the response to a request whose target is sent as it stands."""
    with dialled(server) as connection:
        head = "\r\n".join([f"{method} {target} HTTP/1.1", "Host: x", "Connection: close", *fields])
        connection.sendall(f"{head}\r\n\r\n".encode())
        with HTTPResponse(connection, method=method) as response:
            response.begin()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


@pytest.mark.parametrize("path", ODD_PATHS)
def test_a_path_that_is_not_canonical_is_a_problem(server: Server, seats: Seats, path: str) -> None:
    target = path.format(here=seats.path, id=seats.path.rpartition("/")[2])
    status, headers, body = got(server, target)
    assert (status, headers["content-type"]) == (400, "application/problem+json")
    assert json.loads(body)["code"] == "invalid-path"


@pytest.mark.parametrize("path", PLAIN_PATHS)
def test_any_other_path_leads_to_its_operation(server: Server, path: str) -> None:
    status, _, body = got(server, path)
    assert status in {200, 404, 422}
    assert b"invalid-path" not in body


@pytest.mark.parametrize("origin", ["http://x", "HTTP://dorfplatz.example:8000", "https://[::1]:80"])
def test_a_target_in_absolute_form_is_answered_as_its_path(server: Server, seats: Seats, origin: str) -> None:
    assert got(server, f"{origin}/v1/games?language=de")[0] == got(server, "/v1/games?language=de")[0]
    assert got(server, f"{origin}/v1/games")[2] == got(server, "/v1/games")[2]
    token = f"Authorization: Bearer {seats.tokens[0]}"
    look = got(server, f"{origin}{seats.path}", token)
    assert (look[0], json.loads(look[2])["you"]) == (200, {"seat": 0})
    tag = f"If-None-Match: {look[1]['etag']}"
    assert got(server, f"{origin}{seats.path}", token, tag)[0] == 304
    assert got(server, f"{origin}{seats.path}?wait=1", token, tag)[0] == 304
    moved = got(server, f"{origin}{seats.path}/moves", token, "Content-Length: 0", method="POST")
    assert moved[0] == got(server, f"{seats.path}/moves", token, "Content-Length: 0", method="POST")[0]
