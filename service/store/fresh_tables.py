"""The latest states of tables with sealed, fresh snapshots: one short key per table, without its content.

The id of a state follows from its predecessor and the move made there. So a repeated move is recognised by its
successor, and no response must be stored (docs/decisions/031).
"""

from __future__ import annotations

from redis import Redis

from service.store import keys
from service.store.scripts import script


class FreshTables:
    """The state of each table that accepts a move; a table is deleted `life_ms` after its last move."""

    def __init__(self, client: Redis, life_ms: int) -> None:
        """Take a client of the session store, which is not used yet."""
        self._client, self._life_ms = client, life_ms
        self._advance = client.register_script(script("advance"))

    def begin(self, table_id: str, state_id: str) -> None:
        self._client.set(keys.fresh_table(table_id), state_id, px=self._life_ms)

    def advance(self, table_id: str, state_id: str, following: str) -> bool:
        """Advance from a state to its successor, and return whether the table is at the successor now.

        Return False if another move left the state, or if the store does not have the table.
        """
        args: list[str | int] = [state_id, following, self._life_ms]
        return bool(self._advance(keys=[keys.fresh_table(table_id)], args=args))
