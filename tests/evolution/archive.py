"""Sessions as earlier versions of the service have written them, kept in `stored/` word for word.

`pebbles-1` was written by ruleset 1 of Pebbles. Each file has the tokens of the seats, the fields of the session's
hash and the rows of its log.
"""

import json
from pathlib import Path
from typing import Any

import redis

from service.store import keys


def planted(client: redis.Redis, name: str) -> dict[str, Any]:
    """Put a stored session into Redis as it was written, and return it in the form of a creation's answer."""
    stored = json.loads((Path(__file__).parent / "stored" / f"{name}.json").read_text("utf-8"))
    session = stored["id"]
    client.hset(keys.session(session), mapping=stored["hash"])
    for number, line in stored["log"]:
        client.xadd(keys.log(session), {"line": line}, number)
    return {
        "id": session,
        "owner_token": stored["owner_token"],
        "seats": [{"seat": seat, "token": token} for seat, token in enumerate(stored["tokens"])],
        "links": {"session": f"/v1/sessions/{session}"},
    }
