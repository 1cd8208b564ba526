"""Seeds of which nobody can guess one; `games.core.seeds` makes dice out of them."""

from __future__ import annotations

import secrets


def fresh_seed() -> str:
    """Return a seed that nobody can guess."""
    return secrets.token_hex(16)
