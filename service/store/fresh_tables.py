"""The latest state of each fresh table: a table whose sealed snapshot is accepted only if it is the latest one.

The store has one short key per table, without the table's content. The id of a state is derived from the previous state
and the move. So a repeated move leads to the same id, and no response must be stored (docs/decisions/031).
"""

from __future__ import annotations

from redis import Redis

from service.store import keys
from service.store.scripts import script


class FreshTables:
    """The id of each table's latest state. A table is deleted `life_ms` after its last move."""

    def __init__(self, client: Redis, life_ms: int) -> None:
        """Take a client of the session store, and send no command yet."""
        self._client, self._life_ms = client, life_ms
        self._advance = client.register_script(script("advance"))

    def begin(self, table_id: str, state_id: str) -> None:
        self._client.set(keys.fresh_table(table_id), state_id, px=self._life_ms)

    def advance(self, table_id: str, state_id: str, following: str) -> bool:
        """Advance a table from a state to the following state. Return whether the table has the following state now.

        Return False if a different move was made at the state, or if the store does not have the table.
        """
        args: list[str | int] = [state_id, following, self._life_ms]
        return bool(self._advance(keys=[keys.fresh_table(table_id)], args=args))
