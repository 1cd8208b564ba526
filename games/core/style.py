"""What the pictures of all games share: palettes of both themes, and shapes that are used again."""

from __future__ import annotations

from typing import Final, TypeVar

from games.core.svg import element, title

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
