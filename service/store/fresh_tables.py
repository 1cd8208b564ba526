"""Stores the id of each fresh table's latest state. A fresh table accepts moves only at its latest state.

The state itself is in a sealed snapshot, which the client stores. A state's id is derived from the previous
state's id and the move between them. If a client repeats its last move, the derived id is already stored. So the
service recognises the repeated move without a stored response (docs/decisions/031).
"""

from __future__ import annotations

from redis import Redis

from service.store import keys
from service.store.scripts import script


class FreshTables:
    """Stores the id of each fresh table's latest state. The id is deleted `life_ms` after the table's last move."""

    def __init__(self, client: Redis, life_ms: int) -> None:
        self._client, self._life_ms = client, life_ms
        self._advance = client.register_script(script("advance"))

    def begin(self, table_id: str, state_id: str) -> None:
        self._client.set(keys.fresh_table(table_id), state_id, px=self._life_ms)

    def advance(self, table_id: str, state_id: str, following: str) -> bool:
        """Store `following` as a table's latest state if the table's latest state is `state_id`.

        Return whether the table's latest state is now `following`. An earlier call may have stored `following`.
        """
        args: list[str | int] = [state_id, following, self._life_ms]
        return bool(self._advance(keys=[keys.fresh_table(table_id)], args=args))
