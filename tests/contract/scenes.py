"""The scenes that are recorded as examples of the contract, played with Der Hohe Rat."""

import tempfile
from pathlib import Path
from typing import Any

from flask import Flask

from games.core.registry import ours
from service.app import create_app
from service.launch.redis import launch
from service.settings import Settings
from service.webhooks.push import new_private_key
from tests.contract.fairness_scenes import fairness
from tests.contract.hook_scenes import hooks
from tests.contract.job_scenes import jobs
from tests.contract.key_scenes import keys
from tests.contract.recorder import Recorder
from tests.contract.sealed_scenes import sealed
from tests.contract.seat_scenes import open_seats, pauses, phrases, push, seats, undo
from tests.contract.session_scenes import batches, sessions, unreadable
from tests.contract.stream_scenes import streams

COUNCIL = "/v1/games/hoher-rat"
PUZZLES = "/v1/games/wichtel/puzzles"
NOWHERE = "redis://127.0.0.1:1/0"


def everything() -> dict[str, dict[str, Any]]:
    """Play every scene, with a Redis where it needs one, and return what was recorded."""
    with tempfile.TemporaryDirectory() as folder:
        server = launch(Path(folder), {"appendfsync": "no"})
        try:
            return stateless().taken | live(server.url).taken
        finally:
            server.stop()


def application(redis_url: str) -> Flask:
    key, subject = new_private_key(), "mailto:us@example.org"
    settings = Settings(redis_url=redis_url, log_level="critical", vapid_private_key=key, vapid_subject=subject)
    return create_app(settings)


def stateless() -> Recorder:
    """Play what is a function of its requests alone; these are played again and compared."""
    recorder = Recorder(application(NOWHERE))
    catalogue(recorder)
    engine(recorder)
    return recorder


def live(redis_url: str) -> Recorder:
    """Play what depends on a Redis, a clock or a counter."""
    recorder = Recorder(application(redis_url))
    recorder.get("ready", "/readyz")
    sealed(recorder)
    fairness(recorder)
    sessions(recorder)
    batches(recorder)
    unreadable(recorder)
    seats(recorder)
    open_seats(recorder)
    push(recorder)
    phrases(recorder)
    undo(recorder)
    pauses(recorder)
    streams(recorder)
    jobs(recorder, redis_url)
    keys(recorder)
    hooks(recorder)
    return recorder


def catalogue(recorder: Recorder) -> None:
    recorder.get("games", "/v1/games")
    tag = recorder.get("council", COUNCIL, Accept_Language="de").headers["ETag"]
    recorder.get("unchanged", COUNCIL, Accept_Language="de", If_None_Match=tag)
    recorder.get("unknown", "/v1/games/chess", Accept_Language="it")
    recorder.get("rules", f"{COUNCIL}/rules")
    recorder.get("overview", f"{COUNCIL}/reference")
    recorder.get("council", f"{COUNCIL}/tutorials")
    puzzles(recorder)
    recorder.get("limits", "/v1/limits")
    recorder.get("problems", "/v1/problems")
    recorder.get("all", "/v1/phrases", Accept_Language="de")
    recorder.get("healthy", "/healthz")
    recorder.get("unknown-parameter", "/healthz?deep=true")
    recorder.get("redis-away", "/readyz")


def puzzles(recorder: Recorder) -> None:
    """List puzzles, and answer the puzzle of a day once right and once wrong."""
    recorder.get("first", f"{PUZZLES}?limit=2")
    recorder.get("of-the-day", f"{PUZZLES}?day=2026-11-27")
    puzzle = next(iter(ours()["wichtel"].puzzles.values()))
    here = f"{PUZZLES}/{puzzle.id}"
    recorder.get("position", here, Accept_Language="de")
    recorder.get("unknown", f"{PUZZLES}/0000000000")
    for name, choice in (("right", puzzle.choices[0]), ("wrong", puzzle.choices[-1])):
        recorder.post(name, f"{here}/answers", {"move": {"kind": "code", "code": choice.code}})
    recorder.post("no-code", f"{here}/answers", {"move": {"kind": "code", "code": 1_000_000}})


def engine(recorder: Recorder) -> None:
    """Set tables up, look, move, and replay; and everything that can be wrong with it."""
    new = {"seat_count": 2, "seed": "stonehenge", "options": {"turn_cap": 120}}
    made: Any = recorder.post("two-seats", f"{COUNCIL}/snapshots", new).json
    snapshot, (seat, *_) = made["snapshot"], made["actors"]
    recorder.post("sealed-with-a-seed", f"{COUNCIL}/snapshots?sealed=true", new)
    recorder.post("unknown-field", f"{COUNCIL}/snapshots", {"seat_count": 3, "speed": "high"}, Accept_Language="de")
    recorder.post("not-a-number", f"{COUNCIL}/snapshots", b'{"seats": NaN}')
    seated = {"snapshot": snapshot, "seat": seat}
    listed: Any = recorder.post("first-turn", f"{COUNCIL}/legal-moves", seated, Accept_Language="it").json
    recorder.post("own-view", f"{COUNCIL}/views", seated)
    view: Any = recorder.post("spectator", f"{COUNCIL}/views", {"snapshot": snapshot, "seat": None}).json
    recorder.post("from-a-view", f"{COUNCIL}/pictures?theme=dark", {"view": view})
    move = listed["moves"][0]["move"]
    recorder.post("by-move", f"{COUNCIL}/moves", {**seated, "move": move}, Accept_Language="de")
    recorder.post(
        "by-code", f"{COUNCIL}/moves", {**seated, "move": {"kind": "code", "code": listed["moves"][-1]["code"]}}
    )
    recorder.post("checked-only", f"{COUNCIL}/moves?validate_only=true", {**seated, "move": move})
    recorder.post("of-a-move", f"{COUNCIL}/chance", {**seated, "move": listed["moves"][-1]["move"]})
    convince = {"kind": "convince", "source": 1, "target": 2, "argument": "white", "colour": "white"}
    recorder.post("illegal", f"{COUNCIL}/moves", {**seated, "move": convince}, Accept_Language="de")
    recorder.post("not-your-turn", f"{COUNCIL}/moves", {**seated, "seat": 1 - seat, "move": move})
    first, second = snapshot["table"]["players"]
    doubled = {**first, "hand": [first["hand"][0]] * 2 + first["hand"][2:]}
    broken = {**snapshot, "table": {**snapshot["table"], "players": [doubled, second]}}
    recorder.post("a-card-twice", f"{COUNCIL}/moves", {**seated, "snapshot": broken, "move": move})
    fitting = {"seat": seat, "move": move}
    recorder.post("by-seed", f"{COUNCIL}/replays", {**new, "moves": [fitting]})
    recorder.post("misfit", f"{COUNCIL}/replays", {**new, "moves": [fitting, fitting]}, Accept_Language="de")
