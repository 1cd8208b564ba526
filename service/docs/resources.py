"""Files and pages of the site, ready to send. Each has a body, a media type and an ETag, and may have a gzip body."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from typing import Any, Final

from service.http.compression import MIN_BYTES
from service.pictures.padding import LEVEL

HTML: Final = "text/html; charset=utf-8"
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".ipynb": "application/x-ipynb+json",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".py": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
"""Media types by file suffix."""

VERSION_LETTERS: Final = 12


@dataclass(frozen=True, slots=True)
class Resource:
    """A body with its media type and ETag. `pressed` is the body as gzip. It is None for PNGs and short bodies."""

    body: bytes
    pressed: bytes | None
    content_type: str
    tag: str

    @property
    def version(self) -> str:
        """A text that changes with the body. A URL that contains it can be cached forever."""
        return self.tag[:VERSION_LETTERS]

    @classmethod
    def of(cls, body: bytes, content_type: str) -> Resource:
        """Create a resource and compress its body. Short bodies and PNGs would not shrink, and are not compressed."""
        pays = len(body) >= MIN_BYTES and content_type != TYPES[".png"]
        pressed = gzip.compress(body, LEVEL, mtime=0) if pays else None
        return cls(body, pressed, content_type, hashlib.sha256(body).hexdigest()[:32])


def content(body: bytes, name: str) -> Resource:
    """Create a resource. The suffix of `name` determines its media type."""
    return Resource.of(body, TYPES[f".{name.rpartition('.')[2]}"])


def file_content(path: Any) -> Resource:
    """Create a resource from a file."""
    return content(path.read_bytes(), path.name)
