"""The latest states of tables whose snapshots are sealed and fresh: one short key for each, and nothing of the table.

The id of a state follows from the state before it and the move that was made there, so a repeated move is known by
what it leads to, and no answer needs to be kept. Why: docs/decisions/031.
"""

from __future__ import annotations

from redis import Redis

from service.store import keys
from service.store.scripts import script


class FreshTables:
    """Which state of each table takes a move; a table is forgotten `life_ms` after its last move."""

    def __init__(self, client: Redis, life_ms: int) -> None:
        """Take a client of the store that has the sessions, which is asked for nothing yet."""
        self._client, self._life_ms = client, life_ms
        self._advance = client.register_script(script("advance"))

    def begin(self, table_id: str, state_id: str) -> None:
        """Write the first state of a new table."""
        self._client.set(keys.fresh_table(table_id), state_id, px=self._life_ms)

    def advance(self, table_id: str, state_id: str, following: str) -> bool:
        """Go on from a state to the one after it, and return whether the table is there now.

        It is not where the state was left by another move, or where the store does not know the table.
        """
        args: list[str | int] = [state_id, following, self._life_ms]
        return bool(self._advance(keys=[keys.fresh_table(table_id)], args=args))
