"""Pictures as PNG: the choice by `Accept`, their width, and their maximum cost."""

import struct
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from games.core.svg import document, element, text
from service.pictures import rasterize
from service.pictures.glyphs import drawn_in
from service.pictures.png import MAX_PIXELS, drawn_text, png
from service.work_clock import TooMuchWork
from tests.service.kit import PEBBLES, snapshot
from tests.service.stateless.test_sealed import create_sealed

PNG = {"Accept": "image/png"}
IMAGE = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
"""A browser's `Accept` for an `<img>`."""


def size(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def test_a_client_that_rather_accepts_png_gets_it_of_an_open_and_of_a_sealed_table(pebbles: FlaskClient) -> None:
    sealed, keys = create_sealed(pebbles)
    key = {"Seat-Key": keys[1]}
    for body, headers in (
        ({"snapshot": snapshot(pebbles), "seat": 1}, {}),
        ({"snapshot": sealed, "seat": 1}, key),
    ):
        answer = pebbles.post(f"{PEBBLES}/pictures?width=120", json=body, headers=PNG | headers)
        assert answer.content_type == "image/png"
        assert size(answer.data) == (120, 120)
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        again = pebbles.post(f"{PEBBLES}/pictures?width=120", json=body, headers=PNG | headers)
        assert again.data == answer.data
        assert "Accept" in [name.strip() for name in answer.headers["Vary"].split(",")]


@pytest.mark.parametrize(
    "accept", ["*/*", IMAGE, "image/svg+xml", "image/*", "application/json", "image/png;q=0.5,*/*"]
)
def test_whoever_does_not_rather_accept_png_gets_svg(pebbles: FlaskClient, accept: str) -> None:
    body = {"snapshot": snapshot(pebbles), "seat": None}
    plain = pebbles.post(f"{PEBBLES}/pictures", json=body, headers={"Accept": accept})
    assert plain.content_type == "image/svg+xml; charset=utf-8"
    wide = pebbles.post(f"{PEBBLES}/pictures?width=360", json=body, headers={"Accept": accept})
    assert wide.text == plain.text.replace("<svg ", '<svg width="360" ', 1)


@pytest.mark.parametrize("width", ["63", "1201", "wide", "360.5", ""])
def test_no_other_widths_are_drawn(pebbles: FlaskClient, width: str) -> None:
    answer = pebbles.post(f"{PEBBLES}/pictures?width={width}", json={"snapshot": snapshot(pebbles), "seat": 0})
    assert answer.status_code == 422


def test_a_picture_has_so_many_pixels_at_most_and_keeps_its_proportions() -> None:
    for high, wanted in ((100, 1_200), (4_000, 1_200), (4_000, None)):
        width, height = size(png(document(1_000, high), wanted))
        assert width * height <= MAX_PIXELS
        assert width == (wanted or 1_000) or width * height > 0.99 * MAX_PIXELS
        assert height == pytest.approx(width * high / 1_000, abs=1)


def test_texts_are_written_in_fonts_that_come_along() -> None:
    empty, *written = (
        png(document(200, 40, text("Gnome", 10, 30, "a", font_family=family) if family else ""), 200)
        for family in ("", "system-ui,sans-serif", "Georgia,serif")
    )
    assert len({empty, *written}) == 3


def test_a_drawing_that_takes_too_long_is_too_much_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGXCPU)\n")
    monkeypatch.setattr(rasterize, "__file__", str(endless))
    with pytest.raises(TooMuchWork):
        png(document(10, 10), None)


def test_a_drawing_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="drawing ended with 1"):
        png(document(10, 10, element("g", "<")), None)
    with pytest.raises(ValueError, match="view box"):
        png("<svg/>", None)


@pytest.mark.parametrize(
    "names",
    [
        ("\u4e2d", "\u6587"),
        ("\ud55c\uae00", "\ud55c"),
        ("\U0001fae8", "\U0001fae9"),
        ("\u0e44\u0e17\u0e22" * 5, "\u0e44\u0e17\u0e22" * 6),
    ],
)
def test_different_names_give_different_pictures_whatever_their_script(names: tuple[str, str]) -> None:
    pictures = [png(document(200, 20, text(drawn_text(name), 0, 15, "x", font_size=12)), None) for name in names]
    assert pictures[0] != pictures[1]
    beside = [png(document(200, 20, text(name, 0, 15, "x", font_size=12)), None) for name in names]
    assert beside == pictures, "texts of the picture are drawn so, too"


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        ("Zo\u00eb \u0418\u0432\u0430\u043d \u05e2\u05d1", "Zo\u00eb \u0418\u0432\u0430\u043d \u05e2\u05d1"),
        ("a\u4e2db", "a[4E2D]b"),
        ("\u4e2d\u6587", "[4E2D 6587]"),
        ("\u4e2d\u6587\u5b57", "[#a07146f7]"),
    ],
)
def test_a_character_without_a_glyph_is_drawn_as_its_code_point(words: str, drawn: str) -> None:
    assert drawn_text(words) == drawn
    escaped = f'<svg title="\u4e2d"><title>&lt;{words}&amp;</title></svg>'
    assert drawn_in(escaped, drawn_text) == f'<svg title="\u4e2d"><title>&lt;{drawn}&amp;</title></svg>'
