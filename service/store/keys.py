"""The names of keys; docs/architecture-sessions.md says what they hold.

All keys of a session, and the due set that names it, share the hash tag of its bucket, so that one script may write
them together, on a Redis Cluster too.
"""

from __future__ import annotations

from typing import Final

BUCKETS: Final = "0123456789abcdef"
"""Sessions lie in buckets by the first digit of their ids."""

SESSIONS: Final = "{s:[0-9a-f]}:*"
"""The pattern of all keys of sessions."""

SCHEDULER: Final = "s:clock"
"""The key of the lease of the scheduler that runs what is due."""

TIME: Final = "s:time"
"""The key of what the service's time follows from (`service.store.clock`)."""


def session(session_id: str) -> str:
    """Return the key of a session's hash."""
    return f"{{s:{session_id[0]}}}:{session_id}"


def session_of(key: str) -> str | None:
    """Return the session whose hash a key is, or None for any other key."""
    session_id = key.rpartition(":")[2]
    is_id = session_id and set(session_id) <= set(BUCKETS)  # that of bucket d has a due set, which begins like it
    return session_id if is_id and key == session(session_id) else None


def log(session_id: str) -> str:
    """Return the key of a session's log, a stream with one line for each revision."""
    return f"{session(session_id)}:log"


def bots(session_id: str) -> str:
    """Return the key of the lease to play the bots of a session."""
    return f"{session(session_id)}:bots"


def decisions(session_id: str) -> str:
    """Return the key of the decisions of a session's bots."""
    return f"{session(session_id)}:minds"


def here(session_id: str) -> str:
    """Return the key of the connections to a session, each with the time until which it counts."""
    return f"{session(session_id)}:here"


def due(bucket: str) -> str:
    """Return the key of a bucket's due set: its sessions by the time at which something is to happen at them."""
    return f"{{s:{bucket}}}:due"


def founded(key_id: str) -> list[str]:
    """Return the keys of the indexes of the sessions that an API key has founded, one in each bucket."""
    return [founded_with(bucket, key_id) for bucket in BUCKETS]


def founded_with(session_id: str, key_id: str) -> str:
    """Return the key of the index that has a session of an API key."""
    return f"{{s:{session_id[0]}}}:of:{key_id}"


def listed() -> list[str]:
    """Return the keys of the indexes of the sessions whose open seats anybody may take, one in each bucket."""
    return [listed_with(bucket) for bucket in BUCKETS]


def listed_with(session_id: str) -> str:
    """Return the key of the index that has a session while its open seats are listed."""
    return f"{{s:{session_id[0]}}}:listed"


def never(bucket: str) -> str:
    """Return the key of a bucket that is never written, which `service.store.writes` asks a store to replace."""
    return f"{{s:{bucket}}}:never"


def due_of(session_id: str) -> str:
    """Return the key of the due set that names a session."""
    return due(session_id[0])


def operation(slot: str) -> str:
    """Return the key of an operation that a client named by an Idempotency-Key."""
    return f"o:{{{slot}}}"


def fresh_table(table_id: str) -> str:
    """Return the key of the latest state of a table whose snapshots are sealed and fresh."""
    return f"f:{{{table_id}}}"
