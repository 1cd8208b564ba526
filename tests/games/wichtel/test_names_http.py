"""A refusal calls a player as the session does, and as the game does where no session is."""

from typing import Any, Final

import pytest

from tests.games.wichtel.positions import GAME
from tests.service.kit import application

PLAYERS: Final = ("Anna", "Elena", "Max")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("de", "Max wirbt niemanden an."), ("en", "Max is not recruiting."), ("it", "Max non arruola nessuno.")],
)
def test_a_refusal_in_a_session_names_the_player(redis_url: str, language: str, sentence: str) -> None:
    client = application({GAME.slug: GAME}, redis_url=redis_url).test_client()
    seats = [{"kind": "human", "name": name} for name in PLAYERS]
    made: Any = client.post("/v1/sessions", json={"game": GAME.slug, "seats": seats, "seed": "names"}).json
    session: str = made["links"]["session"]

    def play(seat: int, move: dict[str, Any]) -> Any:
        token = {"Authorization": f"Bearer {made['seats'][seat]['token']}", "Accept-Language": language}
        tag = client.get(session, headers=token).headers["ETag"]
        return client.post(f"{session}/moves", json={"move": move}, headers=token | {"If-Match": tag})

    assert play(0, {"kind": "march_gnomes"}).status_code == 201
    assert play(0, {"kind": "recruit_gnome", "place": 1}).status_code == 201
    refused = play(1, {"kind": "lay_bribe", "card": "two_coins", "recruiter": 2})
    assert (refused.status_code, refused.json["errors"][0]["detail"]) == (422, sentence)


def test_a_refusal_at_a_snapshot_names_the_seat_as_the_game_does(redis_url: str) -> None:
    client = application({GAME.slug: GAME}, redis_url=redis_url).test_client()
    game = f"/v1/games/{GAME.slug}"
    held: Any = client.post(f"{game}/snapshots", json={"seat_count": 3, "seed": "names"}).json
    for move in ({"kind": "march_gnomes"}, {"kind": "recruit_gnome", "place": 1}):
        held = client.post(f"{game}/moves", json={"snapshot": held["snapshot"], "seat": 0, "move": move}).json
    bribe = {"kind": "lay_bribe", "card": "two_coins", "recruiter": 2}
    refused: Any = client.post(f"{game}/moves", json={"snapshot": held["snapshot"], "seat": 1, "move": bribe}).json
    assert refused["errors"][0]["detail"] == f"{GAME.seat_names(3, 'en')[2]} is not recruiting."
