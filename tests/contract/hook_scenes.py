"""The scenes of webhooks that are recorded as examples of the contract."""

from typing import Any

from service.http.context import AppContext
from service.store.hooks import Attempt
from tests.contract.recorder import Recorder
from workers.webhooks.deliver import after

HOOKS = "/v1/webhooks"


def hooks(recorder: Recorder) -> None:
    """Create a webhook, ping it, read its messages, send one again, and delete it."""
    house: AppContext = recorder.app.extensions["context"]
    key = {"Api_Key": house.keys.add("back end", ["webhooks"])[1]}
    place = {"url": "https://hooks.example/dorfplatz", "events": ["seat.asked", "job.ended"]}
    recorder.post("without-a-key", HOOKS, place, Accept_Language="it")
    made: Any = recorder.post("told-of-all", HOOKS, place, **key).json
    recorder.post("private-address", HOOKS, {"url": "https://10.0.0.1/"}, **key, Accept_Language="de")
    here = f"{HOOKS}/{made['id']}"
    recorder.get("one", HOOKS, **key)
    recorder.get("shown", here, **key)
    ping: Any = recorder.post("waiting", f"{here}/ping", None, **key).json
    store = house.sessions.hooks
    message = store.message(made["id"], ping["id"])
    assert message is not None
    now = house.sessions.now()
    store.note(made["id"], after(message, Attempt(at=now, milliseconds=212, status=503), now))
    recorder.get("refused-once", f"{here}/deliveries", **key)
    recorder.post("again", f"{here}/deliveries/{ping['id']}/replay", None, **key)
    recorder.post("new-secret", f"{here}/rotate", None, **key)
    recorder.call("gone", "DELETE", here, None, key)
    recorder.get("unknown", here, **key, Accept_Language="de")
    remote_bots(recorder, house)


def remote_bots(recorder: Recorder, house: AppContext) -> None:
    """Enter a bot of one's own, and get the secret that signs its requests."""
    key = {"Api_Key": house.keys.add("a bot's author", ["jobs"])[1]}
    mine = {"url": "https://bots.example/move", "deadline_ms": 500, "in_flight": 8}
    body = {
        "game": "wichtel",
        "seats": [{"bot": mine}, {"bot": {"level": "easy"}}, {"bot": {"level": "easy"}}],
        "games": 3_000,
    }
    recorder.post("own-bot-without-a-key", "/v1/jobs/simulations", body)
    recorder.post("own-bot", "/v1/jobs/simulations", body, **key)
    recorder.get("of-a-key", "/v1/jobs/bot-secret", **key)
