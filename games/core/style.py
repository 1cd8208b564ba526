"""Common parts of the pictures of all games: palettes of both themes, and reusable shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from games.core.svg import PHONE, breadth, document, element, escape, fitted, text, title
from games.core.texts import Texts

T = TypeVar("T")

THEMES: Final = ("light", "dark")


def themes(**pairs: tuple[T, T]) -> dict[str, dict[str, T]]:
    """Return the palette of each theme; a colour's name stands with its light and its dark value."""
    return {theme: {name: pair[index] for name, pair in pairs.items()} for index, theme in enumerate(THEMES)}


def filled(rules: dict[str, str], palette: dict[str, str]) -> dict[str, str]:
    """Return rules of a style sheet with a palette's colours for their names in braces."""
    return {selector: rule.format_map(palette) for selector, rule in rules.items()}


def use(game: str, shape: str, x: float, y: float, class_: str = "", scale: float = 1.0, said: str = "") -> str:
    """Return a shape of a game at a point; `said` is the title that a reader or a pointer meets there."""
    grown = f" scale({scale:g})" if scale != 1 else ""
    attributes = {"class_": class_} if class_ else {}
    titles = [title(said)] if said else []
    return element("use", *titles, href=f"#{game}-{shape}", transform=f"translate({x:g} {y:g}){grown}", **attributes)


@dataclass(frozen=True, slots=True)
class Page:
    """Common parts of all pictures of a game; its classes and those of its style sheet begin with `game`."""

    game: str
    width: int
    margin: int
    name: tuple[int, int]
    turn: tuple[int, int]
    """Distances of the game's name and the turn from the top, and their sizes."""

    style_sheet: Callable[[str], str]
    shapes: Callable[[], str] = str

    def drawn(
        self, texts: Texts, language: str, theme: str, height: int, *parts: str, said: str, described: str, turn: str
    ) -> str:
        """Return a picture: the ground with the game's name and the turn, and the parts that a game draws on it.

        `said` is the headline, `described` describes the picture to people who use a screen reader.
        """
        name: str = texts.sections[language]["names"]["title"]
        room = self.width - 2 * self.margin - 12 - breadth(turn, self.turn[1])
        right, end = self.width - self.margin, f"{self.game}-soft {self.game}-end"
        return document(
            self.width,
            height,
            title(f"{name} – {said}"),  # noqa: RUF001 -- a dash between two sentences
            element("desc", escape(described)),
            element("style", self.style_sheet(theme)),
            self.shapes(),
            element("rect", width=self.width, height=height, rx=24, class_=f"{self.game}-ground"),
            fitted(name, self.margin, self.name[0], room, self.name[1], f"{self.game}-name", self.width / PHONE),
            text(turn, right, self.turn[0], end, font_size=self.turn[1]),
            *parts,
            lang=language,
            class_=f"{self.game}-{theme}",
        )
