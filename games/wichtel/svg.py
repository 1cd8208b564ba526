"""The picture of a village."""

from __future__ import annotations

from games.core.texts import Texts
from games.wichtel.headline import headline
from games.wichtel.view import VillageView


def picture(view: VillageView, language: str, theme: str, texts: Texts) -> str:
    """Draw what a view holds and nothing else; `theme` is light or dark."""
    return f'<svg xmlns="http://www.w3.org/2000/svg"><title>{headline(view, language, texts)}</title></svg>'
