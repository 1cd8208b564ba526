"""Creates random seeds. `games.core.seeds` converts them to dice."""

from __future__ import annotations

import secrets


def fresh_seed() -> str:
    """Return an unpredictable seed."""
    return secrets.token_hex(16)
