"""Stores the latest states of fresh tables. A fresh table accepts moves only at its latest sealed snapshot.

Redis has only one short key per table, without the table's content. The id of a state is derived from the previous
state and the move. A repeated move leads to the same id, so the service does not need to store responses
(docs/decisions/031).
"""

from __future__ import annotations

from redis import Redis

from service.store import keys
from service.store.scripts import script


class FreshTables:
    """The ids of the latest states of tables that accept moves only at their latest snapshot.

    A table is deleted `life_ms` after its last move.
    """

    def __init__(self, client: Redis, life_ms: int) -> None:
        self._client, self._life_ms = client, life_ms
        self._advance = client.register_script(script("advance"))

    def begin(self, table_id: str, state_id: str) -> None:
        self._client.set(keys.fresh_table(table_id), state_id, px=self._life_ms)

    def advance(self, table_id: str, state_id: str, following: str) -> bool:
        """Move a table from one state to the next. Return whether `following` is now its latest state.

        Return False if another move was made at this state, or if the table is unknown.
        """
        args: list[str | int] = [state_id, following, self._life_ms]
        return bool(self._advance(keys=[keys.fresh_table(table_id)], args=args))
