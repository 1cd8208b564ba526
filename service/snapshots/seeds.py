"""Random seeds; `games.core.seeds` makes dice of them."""

from __future__ import annotations

import secrets


def fresh_seed() -> str:
    """Return an unpredictable seed."""
    return secrets.token_hex(16)
