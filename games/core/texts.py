"""A game's sentences in German, English and Italian, kept as templates in `texts/<language>.json`."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

import msgspec

LANGUAGES: Final = ("en", "de", "it")
"""The first is what a reader gets who asks for none of them."""


class Texts:
    """Templates by section and key; strings among the parameters are translated by the section `words`."""

    def __init__(self, package: str) -> None:
        """Read the texts that lie beside a game's package."""
        folder = files(package) / "texts"
        self.sections: dict[str, dict[str, Any]] = {
            language: json.loads((folder / f"{language}.json").read_text("utf-8")) for language in LANGUAGES
        }

    def say(self, language: str, section: str, key: str, **params: object) -> str:
        """Fill one template; raise KeyError for a sentence that nobody has written."""
        template: str = self.sections[language][section][key]
        return template.format(**{name: self.word(language, value) for name, value in params.items()})

    def tell(self, language: str, section: str, told: msgspec.Struct) -> str:
        """Fill the template of a tagged struct from its fields."""
        return self.say(language, section, str(told.__struct_config__.tag), **msgspec.structs.asdict(told))

    def word(self, language: str, value: object) -> object:
        """Return a value as it reads in a sentence."""
        words: dict[str, str] = self.sections[language]["words"]
        if isinstance(value, list | tuple):
            return ", ".join(str(self.word(language, item)) for item in value)
        if value is None:
            return words["none"]
        return words.get(value, value) if isinstance(value, str) else words.get(str(value), value)
