"""Gzip with padding.

The length of a compressed picture reveals something about the picture. The padding makes most of these lengths equal.
"""

from __future__ import annotations

import zlib
from typing import Final

LEVEL: Final = 6
MIN_PADDED_BYTES: Final = 7 * 1024
"""The smallest size to which compressed pictures are padded. Only some pictures of Barbarossa are larger."""

MAX_PADDING_STEP: Final = 56 * 1024
"""The maximum difference between a padded size and the next padded size, in bytes.

The extra field of the gzip header can hold a padding of this length.
"""

_HEADER: Final = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff"
"""A gzip header that announces an extra field and contains no time (RFC 1952, 2.3)."""

_PADDING_ID: Final = b"PD"


def padded_size(length: int, smallest: int = MIN_PADDED_BYTES) -> int:
    """Return the size in bytes to which a compressed text of `length` bytes is padded.

    It is a multiple of `smallest`.
    """
    size = smallest
    while size < length:
        size += min(size, MAX_PADDING_STEP)
    return size


def padded_gzip(text: bytes, smallest: int = MIN_PADDED_BYTES) -> bytes:
    """Compress a text. The padding is in the extra field of the gzip header, which every decoder skips."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(text) + packer.flush()
    body += zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFF_FFFF).to_bytes(4, "little")
    own = len(_HEADER) + 2 + len(_PADDING_ID) + 2
    padding = padded_size(own + len(body), smallest) - own - len(body)
    extra = _PADDING_ID + padding.to_bytes(2, "little") + bytes(padding)
    return _HEADER + len(extra).to_bytes(2, "little") + extra + body
