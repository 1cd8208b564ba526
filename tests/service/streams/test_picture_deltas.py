"""A client that has a picture gets the next one as a difference, which is the same picture and reveals no more."""

from __future__ import annotations

import base64
import gzip
import itertools
import random
import zlib
from typing import Any, Final

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from games.core.registry import registered
from service.pictures.deltas import MIN_DELTA_BYTES, gdiff, packed_delta
from service.pictures.padding import MIN_PADDED_BYTES
from service.pictures.recent_pictures import RecentPictures
from tests.pictures.stages import play_tables
from tests.service.kit import PEOPLE, SPECTATOR, Sitting, code_of, sit

DELTA: Final = {"A_IM": "gdiff", "Accept_Encoding": "gzip"}
SIZES_OF_COPIES: Final = {249: ((0, 2), (2, 1)), 250: ((0, 2), (2, 2)), 254: ((0, 4), (4, 4))}
"""Offset and size of the place and of the length of a copy, by its command."""

MAX_GAME_BYTES: Final = 800_000
HEADER_BYTES: Final = 700
"""More than the headers of a picture's response have."""


def patched(base: bytes, delta: bytes) -> bytes:
    """Apply a difference in GDIFF, by its note of the W3C and apart from the service."""
    assert delta.startswith(b"\xd1\xff\xd1\xff\x04")
    at, out = 5, b""
    while (code := delta[at]) != 0:
        at += 1
        if code in SIZES_OF_COPIES:
            place, length = (number(delta, at + skip, size) for skip, size in SIZES_OF_COPIES[code])
            assert place + length <= len(base)
            out += base[place : place + length]
            at += sum(size for _, size in SIZES_OF_COPIES[code])
        else:
            size = {247: 2, 248: 4}.get(code, 0)
            length = number(delta, at, size) if size else code
            assert code <= 248
            out += delta[at + size : at + size + length]
            at += size + length
    assert at == len(delta) - 1
    return out


def number(text: bytes, at: int, size: int) -> int:
    return int.from_bytes(text[at : at + size], "big")


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app, *PEOPLE, game="hoher-rat", spectators="live")


def forget(sitting: Sitting) -> None:
    """Forget all pictures, as another process has none."""
    kept: RecentPictures = sitting.app.extensions["context"].recent_pictures
    kept._texts.clear()


def decide(sitting: Sitting) -> int:
    """Make a move and return its seat."""
    seat = sitting.look(0).json["actors"][0]  # type: ignore[index]
    assert sitting.move(seat, sitting.moves(seat)[-1]["move"]).status_code == 201
    return int(seat)


def whole(sitting: Sitting, caller: int | None, tag: str, base: bytes, query: str = "") -> tuple[TestResponse, bytes]:
    """Request a picture as a difference from another, and return the response with the whole picture."""
    answer = sitting.look(caller, f"/picture{query}", If_None_Match=tag, **DELTA)
    assert answer.status_code == 226, answer.status
    text = patched(base, gzip.decompress(answer.data))
    adler = base64.b64encode(zlib.adler32(text).to_bytes(4, "big")).decode()
    assert answer.headers["Repr-Digest"] == f"adler=:{adler}:"
    assert (answer.headers["IM"], answer.headers["Content-Encoding"]) == ("gdiff", "gzip")
    assert answer.headers["Delta-Base"] == tag.removeprefix("W/")
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert {"A-IM", "Accept"} <= {part.strip() for part in answer.headers["Vary"].split(",")}
    return answer, text


@pytest.mark.parametrize("caller", [0, 1, SPECTATOR])
@pytest.mark.parametrize("forgets", [False, True])
def test_each_picture_of_a_game_comes_as_a_difference_from_the_last(
    sitting: Sitting, caller: int | None, *, forgets: bool
) -> None:
    first = sitting.look(caller, "/picture")
    tag, base = first.headers["ETag"], first.data
    for _ in range(6):
        decide(sitting)
        if forgets:
            forget(sitting)
        plain = sitting.look(caller, "/picture")
        if plain.headers["ETag"] == tag:
            continue  # a sealed answer of another seat
        answer, text = whole(sitting, caller, tag, base)
        assert text == plain.data
        assert answer.headers["ETag"] == plain.headers["ETag"]
        assert len(answer.data) == MIN_DELTA_BYTES
        tag, base = answer.headers["ETag"], text


def test_a_client_that_wants_no_difference_gets_the_whole_picture(sitting: Sitting) -> None:
    first = sitting.look(0, "/picture")
    decide(sitting)
    tag = first.headers["ETag"]
    plain = sitting.look(0, "/picture").data
    for headers in (
        {"Accept_Encoding": "gzip"},
        {"A_IM": "gdiff"},
        {"A_IM": "vcdiff, gzip", "Accept_Encoding": "gzip"},
        {"A_IM": "gdiff;q=0", "Accept_Encoding": "gzip"},
        {"A_IM": "gdiff", "Accept_Encoding": "gzip;q=0"},
    ):
        answer = sitting.look(0, "/picture", If_None_Match=tag, **headers)
        assert answer.status_code == 200, headers
        packed = answer.headers.get("Content-Encoding") == "gzip"
        assert (gzip.decompress(answer.data) if packed else answer.data) == plain
    unchanged = sitting.look(
        0, "/picture", If_None_Match=f"{tag}, {sitting.look(0, '/picture').headers['ETag']}", **DELTA
    )
    assert unchanged.status_code == 304
    png = sitting.look(0, "/picture", If_None_Match=tag, Accept="image/png", **DELTA)
    assert (png.status_code, png.mimetype) == (200, "image/png")


def test_a_tag_that_is_not_the_callers_is_no_base(sitting: Sitting) -> None:
    tags = {caller: sitting.look(caller, "/picture").headers["ETag"] for caller in (0, 1, SPECTATOR)}
    decide(sitting)
    decide(sitting)
    own = tags[0]
    foreign = [
        tags[1],
        tags[SPECTATOR],
        own[:-2] + ("0" if own[-2] != "0" else "1") + '"',
        own.replace("1.en", "2.en"),
        own.replace("1.en", "1.de"),
        own.replace("picture-light", "picture-dark"),
        own.replace("picture-light", "view"),
        own.replace('"1.', '"99.'),
        own.replace('"1.', '"0.'),
        '"1"',
        "*,",
    ]
    for forgets in (False, True):
        for tag in foreign:
            if forgets:
                forget(sitting)
            answer = sitting.look(0, "/picture", If_None_Match=tag, **DELTA)
            assert (answer.status_code, "Delta-Base" in answer.headers) == (200, False), tag


def test_an_earlier_position_is_drawn_as_it_was(sitting: Sitting) -> None:
    seen = []
    for _ in range(4):
        answer = sitting.look(0, "/picture")
        seen.append((sitting.version(0), answer.headers["ETag"], answer.data))
        decide(sitting)
    forget(sitting)
    now = sitting.look(0, "/picture")
    for version, tag, text in seen:
        again = sitting.look(0, f"/picture?version={version}")
        assert (again.status_code, again.headers["ETag"], again.data) == (200, tag, text)
        assert sitting.look(0, f"/picture?version={version}", If_None_Match=tag).status_code == 304
    version, tag, text = seen[0]
    answer, back = whole(sitting, 0, now.headers["ETag"], now.data, f"?version={version}")
    assert (back, answer.headers["ETag"]) == (text, tag), "a difference goes back in time, too"
    for wrong in (sitting.version(0) + 1, 0, "x"):
        refused = sitting.look(0, f"/picture?version={wrong}")
        assert (refused.status_code, code_of(refused)) == (422, "invalid-query")


def test_an_earlier_position_by_ticket_is_the_viewers(sitting: Sitting) -> None:
    ticketed = {caller: sitting.look(caller).json["picture_url"] for caller in (0, 1)}  # type: ignore[index]
    first = {caller: sitting.look(caller, "/picture").data for caller in (0, 1)}
    decide(sitting)
    for caller, url in ticketed.items():
        answer = sitting.app.test_client().get(f"{url}&version=1")
        assert answer.data == first[caller]


@pytest.mark.parametrize("slug", sorted(registered()))
def test_differences_of_all_games_are_exact_and_small(slug: str) -> None:
    game = registered()[slug]
    tables = play_tables(game, game.seat_numbers[0])
    texts = [game.picture(game.view(table, 0), "de", "dark", 0, None).encode() for table in tables[:40]]
    for base, text in itertools.pairwise(texts):
        assert patched(base, gdiff(base, text)) == text
        packed = packed_delta(base, text)
        assert packed is None or patched(base, gzip.decompress(packed)) == text
    odd = random.Random(slug)
    for _ in range(10):
        base, text = odd.choice(texts), odd.choice(texts)
        cut = text[: odd.randrange(len(text))]
        assert patched(base, gdiff(base, cut)) == cut
        assert patched(cut, gdiff(cut, base)) == base
    assert patched(b"", gdiff(b"", texts[0])) == texts[0]
    assert patched(texts[0], gdiff(texts[0], b"")) == b""


@pytest.mark.parametrize("slug", ["hoher-rat", "gartenzwerge"])
def test_a_whole_game_takes_less_than_800_kilobytes(slug: str) -> None:
    game = registered()[slug]
    texts = list[bytes]()
    for table in play_tables(game, game.seat_numbers[0]):
        text = game.picture(game.view(table, 0), "de", "light", 0, None).encode()
        if not texts or texts[-1] != text:
            texts.append(text)
    assert len(texts) > 80
    sizes = [len(packed_delta(base, text) or b"") for base, text in itertools.pairwise(texts)]
    assert sum(size != MIN_DELTA_BYTES for size in sizes) * 50 < len(sizes), "the size reveals nothing of most moves"
    assert MIN_PADDED_BYTES + sum(sizes) + HEADER_BYTES * len(texts) < MAX_GAME_BYTES


def test_few_pictures_are_kept() -> None:
    kept = RecentPictures(10)
    for name in "abc":
        kept.keep("s", name, b"1234")
    assert [kept.get("s", name) for name in "abc"] == [None, b"1234", b"1234"]
    kept.keep("s", "b", b"12345678")
    assert [kept.get("s", name) for name in "bc"] == [b"12345678", None]
    kept.keep("s", "d", bytes(11))
    assert kept.get("s", "d") is None


def test_pages_of_other_origins_can_read_the_headers_of_a_difference(sitting: Sitting) -> None:
    answer: Any = sitting.look(0, "/picture", Origin="https://example.org")
    exposed = {part.strip() for part in answer.headers["Access-Control-Expose-Headers"].split(",")}
    assert {"IM", "Delta-Base", "Repr-Digest"} <= exposed
