"""People at a session of Barbarossa over HTTP: their riddles, actions, and knowledge."""

import json
import re
from typing import Any, Final

from flask import Flask

from games.barbarossa import GAME
from tests.service.kit import Sitting, code_of, sit

KEY: Final[dict[str, Any]] = {
    "format": "clay/1",
    "parts": [
        {"s": "capsule", "p": [0, 0, 0.1], "r": [0, 90, 0], "z": [0.12, 0.12, 0.8]},
        {"s": "torus", "p": [0.3, 0, 0.1], "r": [0, 0, 0], "z": [0.25, 0.25, 0.08]},
    ],
}
INK: Final[dict[str, Any]] = {"format": "strokes/1", "strokes": [[[100, 100], [900, 100], [500, 800]], [[10, 1000]]]}
KNEADED: Final = {"format": "kneaded", "explicitness": 50}
OPTIONS: Final = {"questions": "mixed", "answers": "human_checked", "language": "en", "goal": 10}
TERMS_OF: Final = {0: ("a1", "b1", "c1"), 1: ("f6", "g2", "h3"), 2: ("m4", "p5", "u7")}
PEOPLE: Final = [{"kind": "human", "name": name} for name in ("Ada", "Bob", "Cid")]


def begin(app: Flask, **body: Any) -> Sitting:
    """Create a session of three people; the first one begins."""
    for number in range(20):
        wanted = {"game": GAME.slug, "options": OPTIONS, "seed": f"clay {number}", **body}
        sitting = sit(app, *PEOPLE, **wanted)
        if sitting.standing(0)["view"]["starter"] == 0:
            return sitting
    raise AssertionError("one of three begins more often than that")


def modelling(*terms: str, pieces: tuple[Any, ...] = (KEY, INK, KNEADED)) -> dict[str, Any]:
    sketches = [{"term": term, "piece": piece} for term, piece in zip(terms, pieces, strict=True)]
    return {"kind": "model_riddles", "riddles": sketches}


def do(sitting: Sitting, seat: int, kind: str, **fields: Any) -> list[Any]:
    answer = sitting.move(seat, {"kind": kind, **fields})
    assert answer.status_code == 201, answer.text
    assert answer.json is not None
    return [told["event"] for told in answer.json["events"]]


def refused(sitting: Sitting, seat: int, kind: str, **fields: Any) -> tuple[str, str]:
    answer = sitting.move(seat, {"kind": kind, **fields})
    assert (answer.status_code, code_of(answer)) == (422, "illegal-move"), answer.text
    assert answer.json is not None
    (error,) = answer.json["errors"]
    return error["rule"], error["pointer"]


def modelled(app: Flask, terms: tuple[str, ...] = TERMS_OF[1], **body: Any) -> Sitting:
    """Return a session at which all have modelled, the second person these terms with pieces that are not kneaded."""
    sitting = begin(app, **body)
    do(sitting, 1, **modelling(*terms, pieces=(KEY, INK, INK)))
    for seat in (2, 0):
        do(sitting, seat, **modelling(*TERMS_OF[seat]))
    return sitting


def asking(app: Flask) -> Sitting:
    """Return a session whose first seat is in its first round."""
    sitting = modelled(app)
    do(sitting, 0, "spend_stones", stones=3)
    return sitting


def read_events(sitting: Sitting, caller: int | None) -> list[Any]:
    """Return everything that a caller can find out: status, tag and body of every response, without ids and times.

    The mark of a tag is left out, because each session makes it with its own secret. Presence is left out, because an
    answer is announced to everyone (docs/decisions/026).
    """
    paths = ("", "?expand=legal_moves", "/legal-moves", "/history", "/picture")
    found = []
    for path in paths if caller is not None else [path for path in paths if path != "/legal-moves"]:
        answer = sitting.look(caller, path)
        body = re.sub(rb'"expires_at": "[^"]+"', b"", without_tickets(answer.data)).replace(
            sitting.here.encode(), b"here"
        )
        tag = answer.headers["ETag"].partition("~")[0] if "ETag" in answer.headers else None
        found.append((path, answer.status_code, tag, body.replace(name(sitting), b"id")))
    return found


def name(sitting: Sitting) -> bytes:
    return str(sitting.made["id"]).encode()


def without_tickets(body: bytes) -> bytes:
    if not body.startswith(b"{"):
        return body
    found = json.loads(body)
    for line in found.get("lines", []):
        del line["at"]
    return json.dumps({part: value for part, value in found.items() if not part.endswith("_url")}).encode()
