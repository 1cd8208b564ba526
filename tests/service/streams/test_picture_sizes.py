"""Pictures travel compressed, and the size of a compressed picture reveals no more than its text."""

import gzip
import itertools
import random
import zlib
from typing import Final

import pytest
from flask import Flask

from games.core.registry import registered
from service.pictures.padding import MAX_PADDING_STEP, MIN_PADDED_BYTES, padded_gzip, padded_size
from tests.pictures.stages import NAMES, play_tables
from tests.service.kit import PEOPLE, Sitting, sit

GZIP: Final = {"Accept-Encoding": "gzip"}
ONE_SIZE: Final = ("hoher-rat", "wichtel", "gartenzwerge")
"""Games whose pictures all have one size when compressed; figures of clay differ too much for that."""

SECRET_WORDS: Final = 400
"""Characters of a hand in the attack below: enough that plain gzip gives it away."""


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app, *PEOPLE, game="hoher-rat", spectators="none")


@pytest.mark.parametrize("length", [0, 1, 6_000, 7_000, 20_000, 70_000, 300_000])
def test_a_padded_text_is_read_back_and_has_a_size_of_the_ladder(length: int) -> None:
    text = random.Random(length).randbytes(length)
    packed = padded_gzip(text)
    assert gzip.decompress(packed) == text
    assert zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(packed) == text
    assert len(packed) == padded_size(len(packed))


def test_the_ladder_has_few_sizes_and_no_gap_that_a_header_cannot_fill() -> None:
    sizes = sorted({padded_size(length) for length in range(0, 400_000, 100)})
    assert sizes[0] == MIN_PADDED_BYTES
    assert len(sizes) < 12
    assert all(high - low <= MAX_PADDING_STEP for low, high in itertools.pairwise(sizes))


@pytest.mark.parametrize("slug", ONE_SIZE)
def test_every_picture_of_a_game_has_one_size(slug: str) -> None:
    game = registered()[slug]
    sizes = set()
    for seats in (game.seat_numbers[0], game.seat_numbers[-1]):
        tables = play_tables(game, seats)
        for table in tables[:: max(1, len(tables) // 5)]:
            for language, names in NAMES.items():
                given = None if names is None else [name[:40] for name in names[:seats]]
                drawn = game.picture(game.view(table, 0), language, "light", 0, given)
                sizes.add(len(padded_gzip(drawn.encode())))
    assert sizes == {MIN_PADDED_BYTES}


def test_a_name_that_guesses_a_hand_does_not_change_the_size() -> None:
    chance = random.Random(3)
    hand = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz ", k=SECRET_WORDS))
    right, wrong = hand[:40], "".join(chance.sample(hand, 40))
    texts = [f"<svg><text>{hand}</text><text>{name}</text></svg>".encode() * 3 for name in (right, wrong)]
    assert len(gzip.compress(texts[0])) != len(gzip.compress(texts[1])), "the attack works without padding"
    assert len({len(padded_gzip(text)) for text in texts}) == 1


def test_a_sessions_picture_is_compressed_and_has_one_size_for_every_seat(sitting: Sitting) -> None:
    sizes = set()
    for seat in (0, 1):
        for theme in ("light", "dark"):
            plain = sitting.look(seat, f"/picture?theme={theme}")
            packed = sitting.look(seat, f"/picture?theme={theme}", Accept_Encoding="gzip")
            assert "Content-Encoding" not in plain.headers
            assert packed.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(packed.data) == plain.data
            assert "Accept-Encoding" in plain.headers["Vary"]
            assert packed.headers["ETag"] == f"W/{plain.headers['ETag']}"
            again = sitting.look(seat, f"/picture?theme={theme}", If_None_Match=packed.headers["ETag"])
            assert again.status_code == 304
            sizes.add(len(packed.data))
            assert len(packed.data) * 3 < len(plain.data)
    assert sizes == {MIN_PADDED_BYTES}


def test_pictures_of_views_are_compressed_and_pixels_are_not(sitting: Sitting) -> None:
    client, body = sitting.app.test_client(), {"view": sitting.standing(0)["view"]}
    path = "/v1/games/hoher-rat/pictures"
    plain, packed = client.post(path, json=body), client.post(path, json=body, headers=GZIP)
    assert gzip.decompress(packed.data) == plain.data
    pixels = client.post(path, json=body, headers=GZIP | {"Accept": "image/png"})
    assert (pixels.mimetype, "Content-Encoding" in pixels.headers) == ("image/png", False)


def test_a_view_is_drawn_with_the_names_of_the_players(sitting: Sitting) -> None:
    client, body = sitting.app.test_client(), {"view": sitting.standing(0)["view"]}
    path = "/v1/games/hoher-rat/pictures"
    bare = client.post(path, json=body)
    named = client.post(path, json=body | {"names": ["Ann <&>", None]})
    assert "Ann &lt;&amp;&gt;" in named.text
    assert "Ann" not in bare.text
    usual = registered()["hoher-rat"].seat_names(2, "en")
    assert usual[1] in named.text
    for names, pointer in ([["Ann"], "/names"], [["Ann", "Ben", "Cid"], "/names"], [["Ann", "\u200b"], "/names/1"]):
        refused = client.post(path, json=body | {"names": names})
        assert refused.status_code == 422
        assert refused.get_json()["errors"][0]["pointer"] == pointer
