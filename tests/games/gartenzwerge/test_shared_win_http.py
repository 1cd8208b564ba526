"""All clients read a session with a shared win, by a golden dwarf that one bred and another can buy."""

from typing import Any, Final

import pytest

from tests.games.gartenzwerge.positions import GAME
from tests.service.kit import application

WANTED: Final = {
    "game": GAME.slug,
    "seats": [{"kind": "human", "name": name} for name in ("B", "A", "C")],
    "spectators": "live",
    "seed": "s0",
    "options": {"events": [], "breeding": {"orange": {"gold": 8, "green": 1}}},
}
MOVES: Final[list[tuple[int, dict[str, Any]]]] = [
    (1, {"kind": "seek_partner", "cap": "orange", "demand": "brown"}),
    (2, {"kind": "show_no_dwarf"}),
    (0, {"kind": "show_dwarf", "cap": "orange"}),
    (0, {"kind": "seal_ask", "amount": 1200}),
    (1, {"kind": "seal_maximum", "amount": 1200}),
    (2, {"kind": "send_to_garden", "cap": "orange"}),
    (0, {"kind": "offer_dwarf", "cap": "brown"}),
    (0, {"kind": "seal_minimum", "amount": 1500}),
    (1, {"kind": "seal_no_bid"}),
    (2, {"kind": "seal_bid", "amount": 1500}),
    (1, {"kind": "enter_competition", "cap": "brown", "competition": "orange"}),
    (2, {"kind": "sell_for_upkeep", "cap": "brown"}),
    (2, {"kind": "sell_for_upkeep", "cap": "brown"}),
]


@pytest.mark.rule("GZ-D42")
def test_a_session_with_a_shared_win_by_money_and_by_gold_is_read_by_everybody(redis_url: str) -> None:
    app = application({GAME.slug: GAME}, redis_url=redis_url)
    made: Any = app.test_client().post("/v1/sessions", json=WANTED).json
    session: str = made["links"]["session"]
    tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in made["seats"]]
    for seat, move in MOVES:
        tag = app.test_client().get(session, headers=tokens[seat]).headers["ETag"]
        body = {"move": move}
        answer = app.test_client().post(f"{session}/moves", json=body, headers=tokens[seat] | {"If-Match": tag})
        assert answer.status_code == 201, answer.json
    for asking in (*tokens, {}):
        answer = app.test_client().get(session, headers=asking)
        seen: Any = answer.json
        assert answer.status_code == 200, seen
        assert (seen["view"]["winners"], seen["view"]["ending"]) == ([0, 1], "gold")
        for path in ("/history", "/picture", "/replay"):
            assert app.test_client().get(session + path, headers=asking).status_code == 200, path
