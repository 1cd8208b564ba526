"""Names of keys. docs/architecture-sessions.md describes their values.

Each session belongs to a bucket. The keys of a session and the due set of its bucket share the hash tag of the bucket.
So one script may write them together, even on a Redis Cluster.
"""

from __future__ import annotations

from typing import Final

BUCKETS: Final = "0123456789abcdef"
"""The buckets of sessions, by the first digit of their ids."""

SESSIONS: Final = "{s:[0-9a-f]}:*"
"""The pattern of all session keys."""

SCHEDULER: Final = "s:clock"
"""The lease key of the scheduler of automatic actions."""

TIME: Final = "s:time"
"""The key of the service's time (`service.store.clock`)."""


def session(session_id: str) -> str:
    return f"{{s:{session_id[0]}}}:{session_id}"


def session_of(key: str) -> str | None:
    """Return the session id in the key of a session's hash; None for any other key."""
    session_id = key.rpartition(":")[2]
    is_id = session_id and set(session_id) <= set(
        BUCKETS
    )  # otherwise the due set of bucket d would count as a session named "due"
    return session_id if is_id and key == session(session_id) else None


def log(session_id: str) -> str:
    """Return the key of a session's log, a stream with one entry per revision."""
    return f"{session(session_id)}:log"


def bots(session_id: str) -> str:
    return f"{session(session_id)}:bots"


def decisions(session_id: str) -> str:
    return f"{session(session_id)}:minds"


def here(session_id: str) -> str:
    """Return the key of the connections to a session. Each connection has its expiry time."""
    return f"{session(session_id)}:here"


def branches(session_id: str) -> str:
    """Return the key of the ids of a session's branches. An erasure finds the copies of texts by these ids."""
    return f"{session(session_id)}:branches"


def due(bucket: str) -> str:
    """Return the key of a bucket's due set: its sessions by the time of their next automatic action."""
    return f"{{s:{bucket}}}:due"


def index_keys(key_id: str) -> list[str]:
    """Return the keys of an API key's session indexes, one per bucket."""
    return [index_key(bucket, key_id) for bucket in BUCKETS]


def index_key(session_id: str, key_id: str) -> str:
    """Return the key of the index that lists a session for its API key."""
    return f"{{s:{session_id[0]}}}:of:{key_id}"


def listed() -> list[str]:
    """Return the keys of the indexes of listed sessions, one per bucket."""
    return [listed_with(bucket) for bucket in BUCKETS]


def listed_with(session_id: str) -> str:
    """Return the key of the public index that lists a session while it has open seats."""
    return f"{{s:{session_id[0]}}}:listed"


def never(bucket: str) -> str:
    """Return a key in a bucket that is never written; `service.store.writes` uses it to check for write access."""
    return f"{{s:{bucket}}}:never"


def due_of(session_id: str) -> str:
    return due(session_id[0])


def operation(slot: str) -> str:
    return f"o:{{{slot}}}"


def fresh_table(table_id: str) -> str:
    """Return the key of a fresh table's latest state (`service.store.fresh_tables`)."""
    return f"f:{{{table_id}}}"


def replay(replay_id: str) -> str:
    """Return the key of the session that a replay id shows."""
    return f"r:{{{replay_id}}}"


def device_code(code: str) -> str:
    """Return the key under which a device code is stored with its seat. `code` is the hash of the device code."""
    return f"c:{{{code}}}"
