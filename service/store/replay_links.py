"""Replay ids of published sessions. The session stores its replay id. A separate key maps the id to the session."""

from __future__ import annotations

from typing import cast

from redis import Redis

from service.store import keys
from service.store.scripts import script


class ReplayLinks:
    """The replay ids of sessions. Each session has at most one replay id."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._publish = client.register_script(script("replay"))

    def publish(self, session_id: str, replay: str) -> str | None:
        """Publish a session with the replay id `replay`. Return the session's replay id.

        If the session already has a replay id, keep and return that id. Return None if the session does not exist.
        """
        # The replay id lives as long as the session.
        life = self._client.pttl(keys.session(session_id))
        if life <= 0:
            return None
        self._client.set(keys.replay(replay), session_id, px=life)
        found = cast("bytes | None", self._publish(keys=[keys.session(session_id)], args=[replay]))
        if found is None or found.decode() != replay:
            self._client.delete(keys.replay(replay))
        if found is None:
            return None
        self._client.set(keys.replay(found.decode()), session_id, px=life)
        return found.decode()

    def find(self, session_id: str) -> tuple[str, int] | None:
        """Return a session's replay id, and the id's remaining lifetime in milliseconds.

        Return None if the session has no replay id.
        """
        found = cast("bytes | None", self._client.hget(keys.session(session_id), "replay"))
        life = 0 if found is None else self._client.pttl(keys.replay(found.decode()))
        return None if found is None or life <= 0 else (found.decode(), life)

    def withdraw(self, session_id: str) -> None:
        """Withdraw the replay id of a session, if it has one."""
        found = cast("bytes | None", self._client.hget(keys.session(session_id), "replay"))
        if found:
            self._client.hdel(keys.session(session_id), "replay")
            self._client.delete(keys.replay(found.decode()))

    def session_of(self, replay: str) -> str | None:
        """Return the id of the session whose replay id is `replay`. Return None if there is no such session."""
        found = cast("bytes | None", self._client.get(keys.replay(replay)))
        if found is None:
            return None
        session_id = found.decode()
        kept = cast("bytes | None", self._client.hget(keys.session(session_id), "replay"))
        return session_id if kept == replay.encode() else None
