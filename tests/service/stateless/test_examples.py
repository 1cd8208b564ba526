"""Recorded examples are served with their media type, and run nothing in a browser."""

import json

import pytest
from flask.testing import FlaskClient

from service.contract.examples import read_example, recorded_examples


@pytest.mark.parametrize("name", [("listGames", "games"), ("getHealth", "healthy"), ("drawPicture", "from-a-view")])
def test_a_recorded_example_is_served_as_it_was_recorded(client: FlaskClient, name: tuple[str, str]) -> None:
    recorded = read_example(recorded_examples()[name])["response"]
    found = client.get("/openapi/examples/{}/{}".format(*name))
    assert (found.status_code, found.headers["Content-Type"]) == (200, recorded["content_type"])
    text = found.get_data(as_text=True)
    assert (text if isinstance(recorded["body"], str) else json.loads(text)) == recorded["body"]
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in found.headers["Content-Security-Policy"]
    assert "default-src 'none'" in found.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["listGames/none", "none/games", "describeGame/unchanged"])
def test_an_example_that_was_not_recorded_or_has_no_body_is_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(f"/openapi/examples/{path}").status_code == 404
