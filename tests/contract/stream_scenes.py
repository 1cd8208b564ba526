"""The scenes of spectators: streams, presence and pictures."""

from typing import Any, Final

import msgspec

from tests.contract.recorder import Recorder

SESSIONS: Final = "/v1/sessions"


def server_sent(chunk: bytes) -> dict[str, Any] | None:
    fields: dict[str, Any] = dict(row.split(": ", 1) for row in chunk.decode().splitlines() if ": " in row)
    if "retry" in fields:
        fields["retry"] = int(fields["retry"])
    return fields if "data" in fields else None


def streams(recorder: Recorder) -> None:
    """Watch a session by presence, picture and both kinds of stream, until its owner ends it."""
    people = [{"kind": "human", "name": "Aine"}, {"kind": "human", "name": "Tom"}]
    client = recorder.app.test_client()
    made: Any = client.post(SESSIONS, json={"game": "hoher-rat", "seats": people, "seed": "stonehenge"}).json
    here, owner = made["links"]["session"], {"Authorization": f"Bearer {made['owner_token']}"}
    bearers = [f"Bearer {seat['token']}" for seat in made["seats"]]
    tag = recorder.get("one-is-asked", f"{here}/presence", Authorization=bearers[0]).headers["ETag"]
    recorder.get("unchanged", f"{here}/presence", Authorization=bearers[0], If_None_Match=tag)
    shown: Any = client.get(here, headers={"Authorization": bearers[0]}).json
    mover = shown["actors"][0]
    recorder.get("by-ticket", f"{shown['picture_url']}&theme=dark")
    recorder.get("forged-ticket", f"{here}/picture?ticket=forged", Accept_Language="it")
    recorder.get("of-another-purpose", shown["stream_url"].replace("/events", "/picture"), Accept_Language="de")
    recorder.get("of-the-first-version", f"{here}/picture?version=1", Authorization=bearers[0])
    recorder.get("of-a-version-to-come", f"{here}/picture?version=99", Authorization=bearers[0])
    move: Any = client.get(f"{here}/legal-moves", headers={"Authorization": bearers[mover]}).json["moves"][0]["move"]  # type: ignore[index]
    named = {"Authorization": bearers[mover], "If-Match": '"1"'}
    client.post(f"{here}/moves", json={"move": move}, headers=named)

    def read(chunk: bytes) -> dict[str, Any] | None:
        message = server_sent(chunk)
        if message and message["event"] == "presence":
            client.delete(here, headers=owner)
        return message

    other = bearers[1 - mover]
    recorder.listen(f"{here}/events?after=0", read, Authorization=other)
    recorder.get("after-what-never-was", f"{here}/events", Authorization=other, Last_Event_ID="99")
    recorder.listen(f"{here}/events?after=0", msgspec.json.decode, Authorization=other, Accept="application/x-ndjson")
