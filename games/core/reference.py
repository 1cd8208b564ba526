"""Public reference sheets of a game: lines under headings."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class SheetLine(msgspec.Struct, frozen=True):
    """A line of a reference sheet, in the reader's language."""

    id: Annotated[str, Meta(description="Identifier in moves and views. It is the same in every language.")]
    heading: Annotated[str, Meta(description="Heading of the line.")]
    text: str
    also: Annotated[list[str], Meta(description="Other words with the same meaning.")]
    phases: Annotated[list[str], Meta(description="Phases in which the line applies.")] = []


class Sheet(msgspec.Struct, frozen=True):
    """A reference sheet, in the reader's language."""

    key: Annotated[str, Meta(description="Stable identifier. It is the same in every language.")]
    title: str
    lines: list[SheetLine]
