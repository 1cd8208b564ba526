"""Sessions as earlier versions of the service have written them, kept in `stored/` word for word.

`pebbles-1` was written by ruleset 1 of Pebbles, `barbarossa-1` by ruleset 1 of Barbarossa (commit 3fa7f74), and
`hoher-rat-without-salt` by the service as it was before charters had a salt (commit f3abc49). Each has the tokens of
its seats, the fields of its hash, and the rows of its log.
"""

from __future__ import annotations

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
