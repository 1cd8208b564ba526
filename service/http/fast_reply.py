"""An answer that was made before Flask, as the server sends it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple, Self

from service.waiting import Wait

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""What may stand in no header."""

_MARK: Final = "%s"


class FastReply(NamedTuple):
    """Status, headers in their order, body, and the headers once more, as they go over the line."""

    status: HTTPStatus
    headers: list[tuple[str, str]]
    body: bytes = b""
    lines: bytes = b""

    @property
    def status_line(self) -> str:
        """The status as WSGI has it."""
        return f"{self.status.value} {self.status.phrase.upper()}"


Answer = FastReply | Wait | None
"""What a request gets before Flask: a reply; a wait, after which it is asked again; None where Flask has to answer."""


class SharedHeaders(NamedTuple):
    """The headers that many answers share, with gaps for what is an answer's own; as pairs, and as they are sent."""

    pairs: Sequence[tuple[str, str]]
    gaps: Sequence[str]
    template: str

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> Self:
        """Return headers, with a gap where there is no text; raise ValueError for what cannot be sent."""
        whole = "".join(text for pair in pairs for text in pair)
        if _CONTROL.search(whole):
            raise ValueError("a header holds what may stand in none")
        lines = [
            f"{name.lower()}: {text}".replace("%", "%%") if text else f"{name.lower()}: {_MARK}" for name, text in pairs
        ]
        return cls(pairs, [name for name, text in pairs if not text], "".join(f"{line}\r\n" for line in lines))

    def reply(
        self, status: HTTPStatus, own: Mapping[str, str], more: Mapping[str, str], body: bytes = b""
    ) -> FastReply:
        """Return an answer with texts in the gaps, and more headers; raise ValueError for what cannot be sent."""
        if _CONTROL.search("".join(own.values())) or _CONTROL.search("".join(more.values())):
            raise ValueError("a header holds what may stand in none")
        lines = self.template % tuple([own[name] for name in self.gaps])
        lines += "".join([f"{name.lower()}: {text}\r\n" for name, text in more.items()])
        headers = [(name, text or own[name]) for name, text in self.pairs]
        headers += more.items()
        return FastReply(status, headers, body, lines.encode("latin-1"))
