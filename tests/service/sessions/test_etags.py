"""ETags name one audience: a seat's ETag never answers another seat's request, nor stands for its version."""

from itertools import permutations
from typing import Any, Final

import pytest
from flask import Flask

from tests.service.kit import PEOPLE, SPECTATOR, Sitting, bid, code_of, sit

CALLERS: Final = (0, 1, SPECTATOR)
ENDED: Final = "replay"
"""The part that exists only after the end."""


def tagged_parts(app: Flask) -> list[str]:
    """Return the paths below a session of the parts that have an ETag in the contract."""
    here, found = "/v1/sessions/{id}", list[str]()
    for path, operations in app.test_client().get("/openapi.json").json["paths"].items():  # type: ignore[index]
        response: Any = operations.get("get", {}).get("responses", {}).get("200", {})
        if path.startswith(here) and "ETag" in response.get("headers", {}):
            found.append(path.removeprefix(here))
    return found


def tags_of(sitting: Sitting, path: str) -> dict[int | None, str]:
    """Return the ETag that each caller gets who may read a part."""
    looks = {caller: sitting.look(caller, path) for caller in CALLERS}
    return {caller: look.headers["ETag"] for caller, look in looks.items() if look.status_code == 200}


@pytest.mark.parametrize("over", [False, True], ids=["running", "over"])
def test_no_two_audiences_share_an_etag_of_any_part(every_game: Flask, *, over: bool) -> None:
    parts = tagged_parts(every_game)
    assert {"", "/legal-moves", "/history", "/picture", "/presence", "/fairness", f"/{ENDED}"} <= set(parts)
    sitting = sit(every_game, seed=None)
    if over:
        sitting.call("owner", "DELETE")
    for path in (*parts, "?expand=legal_moves", "/picture?theme=dark&width=600"):
        tags = tags_of(sitting, path)
        assert len(tags) >= (path != f"/{ENDED}" or over), path
        assert len(set(tags.values())) == len(tags), path
        for caller, tag in tags.items():
            assert sitting.look(caller, path, If_None_Match=tag).status_code == 304, path
        for caller, other in permutations(tags, 2):
            assert sitting.look(caller, path, If_None_Match=tags[other]).status_code == 200, path


@pytest.mark.parametrize("other", [1, SPECTATOR])
def test_the_etag_of_another_audience_is_no_precondition_for_a_move(app: Flask, other: int | None) -> None:
    sitting = sit(app)
    tags = tags_of(sitting, "")
    refused = sitting.move(0, bid(1), tags[other])
    assert (refused.status_code, code_of(refused), refused.headers["ETag"]) == (412, "stale-version", tags[0])
    assert refused.json["version"] == 1  # type: ignore[index]
    checked = sitting.call(0, "POST", "/moves/check", json={"move": bid(1)}, headers={"If-Match": tags[other]})
    assert checked.status_code == 412
    assert sitting.move(0, bid(1), f"{tags[other]}, {tags[0]}").status_code == 201


def test_responses_to_a_seat_have_the_etag_of_its_state(app: Flask) -> None:
    sitting = sit(app, *PEOPLE, {"kind": "open"})
    code = sitting.made["seats"][2]["invite"]
    claimed = sitting.call(None, "POST", "/seats/2/claim", json={"code": code})
    token = {"Authorization": f"Bearer {claimed.json['token']}"}  # type: ignore[index]
    look = sitting.call(None, "GET", headers=token)
    assert claimed.headers["ETag"] == look.headers["ETag"]
    assert len({claimed.headers["ETag"], *tags_of(sitting, "").values()}) == 1 + len(CALLERS)
