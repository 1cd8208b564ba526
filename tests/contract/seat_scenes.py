"""The scenes of seats and clocks that are recorded as examples of the contract."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from service.context import AppContext
from tests.contract.recorder import Recorder
from workers.sessions import timers

SESSIONS = "/v1/sessions"
MOVE_MS = 1_000


def seats(recorder: Recorder) -> None:
    """Claim seats, let time run out, come back, leave answers, and give up."""
    named = {"kind": "human", "name": "Aine"}
    bot = {"bot": {"level": "random"}}
    clock = {"move_ms": MOVE_MS, "policy": "bot", **bot}
    body = {"game": "hoher-rat", "seats": [named, {"kind": "open"}], "spectators": "live", "clock": clock}
    made: Any = recorder.post("with-an-open-seat-and-a-clock", SESSIONS, body).json
    here, own = made["links"]["session"], f"Bearer {made['seats'][0]['token']}"
    move = {"move": {"kind": "end_turn"}}
    recorder.get("waiting", here, Authorization=own)
    owner = f"Bearer {made['owner_token']}"
    assigned = {"kind": "human", "name": "Orla"}
    given: Any = recorder.post("to-another-person", f"{here}/seats/0/assign", assigned, Authorization=owner).json
    own = f"Bearer {given['token']}"
    recorder.post("before-all-are-there", f"{here}/moves", move, Authorization=own, If_Match='"1"')
    recorder.post("too-early", f"{here}/resign", None, Authorization=own, Accept_Language="it")
    claim = f"{here}/seats/1/claim"
    recorder.post("wrong-code", claim, {"code": "a guess"}, Accept_Language="de")
    invited = {"code": made["seats"][1]["invite"], "name": "Tom"}
    claimed: Any = recorder.post("taken", claim, invited, Idempotency_Key=str(UUID(int=1, version=4))).json
    recorder.post("somebody-was-faster", claim, invited)
    tokens = [own, f"Bearer {claimed['token']}"]
    mover = recorder.get("with-deadlines", here, Authorization=own).json["actors"][0]  # type: ignore[index]
    recorder.get("none", f"{here}/standing-answers", Authorization=own)
    answers = f"{here}/standing-answers"
    recorder.call("none", "PUT", answers, {"answers": []}, {"Authorization": own})
    recorder.call("unknown", "PUT", answers, {"answers": ["pass"]}, {"Authorization": own, "Accept-Language": "de"})
    time.sleep(MOVE_MS / 1000)
    house = recorder.app.extensions["context"]
    assert isinstance(house, AppContext)
    timers.run_due_timers(house.sessions, lambda *_: None)
    recorder.get("a-bot-plays", here, Accept_Language="de")
    recorder.post("after-a-while", f"{here}/seats/{mover}/reclaim", None, Authorization=tokens[mover])
    recorder.post("anothers-seat", f"{here}/seats/{mover}/reclaim", None, Authorization=tokens[1 - mover])
    recorder.post("with-a-move-made", f"{here}/seats/1/assign", {"kind": "open"}, Authorization=owner)
    lost = recorder.post("lost-phone", f"{here}/seats/1/token", None, Authorization=owner, Idempotency_Key="lost-phone")
    recorder.post("by-a-seat", f"{here}/seats/1/token", None, Authorization=own)
    tokens[1] = f"Bearer {lost.json['token']}"  # type: ignore[index]
    recorder.get("a-seat-was-away", f"{here}/history", Authorization=own, Accept_Language="it")
    leaving = {"then": "bot", "bot": {"level": "random"}}
    recorder.post("to-a-bot", f"{here}/resign", leaving, Authorization=own, Idempotency_Key="goodbye")
    recorder.post("back-again", f"{here}/seats/0/reclaim", None, Authorization=own)
    surrender = {"then": "forfeit"}
    recorder.post("given-up", f"{here}/resign", surrender, Authorization=own, Idempotency_Key="enough")
    recorder.get("forfeited", here)
