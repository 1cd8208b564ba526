"""What lies beside a game for all to read, as its rules do: sheets of lines under headings."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class SheetLine(msgspec.Struct, frozen=True):
    """A line of a sheet, in the reader's language."""

    id: Annotated[str, Meta(description="What moves and views call it; the same in every language.")]
    heading: Annotated[str, Meta(description="Under which heading it stands.")]
    text: str
    also: Annotated[list[str], Meta(description="Other words that mean the same.")]
    phases: Annotated[list[str], Meta(description="Phases in which it matters.")] = []


class Sheet(msgspec.Struct, frozen=True):
    """A sheet, in the reader's language."""

    key: Annotated[str, Meta(description="Stays the same in every language.")]
    title: str
    lines: list[SheetLine]
