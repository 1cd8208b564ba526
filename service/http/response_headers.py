"""What every answer says to caches and browsers unless it says otherwise."""

from __future__ import annotations

from typing import Final

DEFAULTS: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""No cache keeps it, and no browser takes it for another type."""
