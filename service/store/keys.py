"""Names of the Redis keys of sessions. docs/architecture-sessions.md describes their values.

Each session belongs to a bucket. All keys of a bucket share one hash tag, so that a script can write them together.
"""

from __future__ import annotations

from typing import Final

BUCKETS: Final = "0123456789abcdef"
"""Names of the buckets of sessions. A session's bucket is the first digit of its id."""

SESSIONS: Final = "{s:[0-9a-f]}:*"
"""Pattern that matches all keys of sessions."""

SCHEDULER: Final = "s:clock"
"""Key of the lease of the process that executes automatic actions."""

TIME: Final = "s:time"
"""Key of the service's time (`service.store.clock`)."""


def session(session_id: str) -> str:
    return f"{{s:{session_id[0]}}}:{session_id}"


def session_of(key: str) -> str | None:
    """Return the id of the session whose main data is stored under the Redis key `key`.

    Return None if `key` is a different kind of Redis key.
    """
    session_id = key.rpartition(":")[2]
    is_id = session_id and set(session_id) <= set(
        BUCKETS
    )  # otherwise the due set of bucket d would count as a session named "due"
    return session_id if is_id and key == session(session_id) else None


def log(session_id: str) -> str:
    """Return the key of a session's log. The log is a stream with one entry for each revision."""
    return f"{session(session_id)}:log"


def bots(session_id: str) -> str:
    return f"{session(session_id)}:bots"


def decisions(session_id: str) -> str:
    return f"{session(session_id)}:minds"


def here(session_id: str) -> str:
    """Return the key of a session's current connections, sorted by their expiry times."""
    return f"{session(session_id)}:here"


def phrases(session_id: str) -> str:
    """Return the key of the stream with a session's last phrases."""
    return f"{session(session_id)}:phrases"


def branches(session_id: str) -> str:
    """Return the key of the set with the ids of a session's branches.

    A branch is a practice session. Its first table is a random table that matches a view of the original session. A
    branch may contain copies of the texts that players wrote in moves of the original session.
    """
    return f"{session(session_id)}:branches"


def due(bucket: str) -> str:
    """Return the Redis key of a sorted set of sessions, ordered by due time.

    Sessions are divided into buckets. The set contains the sessions of `bucket` that have a pending automatic action.
    The due time of a session is the time of its next automatic action.
    """
    return f"{{s:{bucket}}}:due"


def index_keys(key_id: str) -> list[str]:
    """Return the Redis keys of all indexes that list the sessions of one API key.

    Sessions are divided into buckets. Each bucket has its own index. `key_id` is the id of the API key.
    """
    return [index_key(bucket, key_id) for bucket in BUCKETS]


def index_key(session_id: str, key_id: str) -> str:
    """Return the Redis key of an index that lists sessions of one API key.

    `key_id` is the id of the API key. Sessions are divided into buckets. The index lists only sessions from the bucket
    of the session `session_id`.
    """
    return f"{{s:{session_id[0]}}}:of:{key_id}"


def listed() -> list[str]:
    """Return the Redis keys of all indexes that list public sessions.

    Sessions are divided into buckets. Each bucket has its own index.
    """
    return [listed_with(bucket) for bucket in BUCKETS]


def listed_with(session_id: str) -> str:
    """Return the key of the index that contains the session while it is publicly listed and has open seats."""
    return f"{{s:{session_id[0]}}}:listed"


def never(bucket: str) -> str:
    """Return a key that never exists.

    With this key, `service.store.writes` checks whether Redis accepts writes. The check changes nothing.
    """
    return f"{{s:{bucket}}}:never"


def due_of(session_id: str) -> str:
    return due(session_id[0])


def operation(slot: str) -> str:
    return f"o:{{{slot}}}"


def fresh_table(table_id: str) -> str:
    """Return the key that maps a fresh table to the id of its latest state.

    A fresh table accepts moves only at its latest state.
    """
    return f"f:{{{table_id}}}"


def replay(replay_id: str) -> str:
    """Return the key that maps the replay id of a published session to the session."""
    return f"r:{{{replay_id}}}"


def device_code(code: str) -> str:
    """Return the key that maps a device code to its seat. `code` is the hash of the device code."""
    return f"c:{{{code}}}"
