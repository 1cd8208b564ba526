"""Every picture can be read: on a phone, in both themes, in all languages, and by screen readers."""

from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from games.core.registry import registered
from games.core.style import THEMES
from games.core.svg import document, element, text
from games.core.texts import LANGUAGES
from tests.e2e.browser import needs_browser
from tests.pictures.browser import faults
from tests.pictures.stages import NAMES, STAGES, Shown, draw_stages, stages

SVG: Final = "{http://www.w3.org/2000/svg}"

BROKEN: Final = {
    "small": text("Tiny", 20, 60, "", font_size=19),
    "outside": text("Far away", 690, 60, "", font_size=20),
    'over "': text("One", 20, 60, "", font_size=20) + text("Other", 40, 62, "", font_size=20),
    "over the border": element("rect", x=30, y=30, width=200, height=60, fill="none", stroke="#000", class_="x")
    + text("Crossing", 200, 60, "", font_size=20),
    "covered": text("Below", 20, 60, "", font_size=20) + element("circle", cx=45, cy=55, r=40, fill="#fff"),
    "contrast": text("Pale", 20, 60, "", font_size=20, fill="#888"),
    "cut off": text("Incompl…", 20, 60, "", font_size=20),
    "figure": element("defs", element("circle", r=20, id="dot"))
    + element("rect", x=30, y=30, width=200, height=60, fill="none", stroke="#000", class_="x")
    + element("use", href="#dot", x=40, y=60),
}
"""Pictures that have one fault each."""


@pytest.mark.thorough
@needs_browser
def test_no_text_is_small_pale_cut_covered_outside_or_over_a_border_or_another_text(tmp_path: Path) -> None:
    pictures = list(draw_stages())
    wanted = sum(len(game.seat_numbers) for game in registered().values()) * len(STAGES)
    assert len(pictures) == wanted * len(LANGUAGES) * len(THEMES)
    ground = element("rect", width=720, height=200, fill="#fff")
    broken = [
        Shown(pictures[0].stage, "en", fault, document(720, 200, ground, drawn)) for fault, drawn in BROKEN.items()
    ]
    found = faults(tmp_path, [*pictures, *broken])
    for picture in broken:
        assert any(fault.startswith(picture.theme) for fault in found.pop(picture.name, [])), picture.theme
    assert found == {}


def test_a_picture_has_a_description_in_its_viewers_language() -> None:
    for stage in stages():
        said = {}
        for language in LANGUAGES:
            root = ET.fromstring(stage.drawn(language, "light"))  # noqa: S314 -- our own text
            title, described = (root.findtext(f"{SVG}{tag}") or "" for tag in ("title", "desc"))
            names = NAMES[language] or stage.game.seat_names(stage.seats, language)
            assert root.get("lang") == language
            given = None if NAMES[language] is None else [name[:40] for name in names[: stage.seats]]
            assert stage.game.headline(stage.view, language, given) in title
            assert all(name[:40] in described for name in names[: stage.seats]), (stage.game.slug, stage.name)
            assert "{" not in described
            said[language] = described
        assert len(set(said.values())) == len(LANGUAGES)
