"""The scenes of API keys and quotas that are recorded as examples of the contract."""

from typing import Any

from service.http.context import AppContext
from tests.contract.recorder import Recorder

COUNCIL = "/v1/games/hoher-rat"
SIMULATIONS = "/v1/jobs/simulations"
SMALL_JOB = {
    "game": "hoher-rat",
    "seats": [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}],
    "seed": "wrens",
}


def keys(recorder: Recorder) -> None:
    """Use keys that are good, wrong, and for something else; spend a quota."""
    house: AppContext = recorder.app.extensions["context"]
    worker = {"Api_Key": house.keys.add("batches", ["jobs"], playouts_per_hour=1_000)[1]}
    recorder.post("with-a-key", SIMULATIONS, {**SMALL_JOB, "games": 600}, **worker)
    recorder.post("quota-spent", SIMULATIONS, {**SMALL_JOB, "games": 600}, **worker, Accept_Language="de")
    recorder.post("beyond-the-quota", SIMULATIONS, {**SMALL_JOB, "games": 6_000}, **worker, Accept_Language="it")
    many = {**SMALL_JOB, "games": 1_000_000, "games_kept": False}
    recorder.post("more-games-than-it-may", SIMULATIONS, many, **worker, Accept_Language="it")
    ample = {"Api_Key": house.keys.add("studies", ["jobs"], games_per_job=1_000_000)[1]}
    recorder.post("a-million-games", SIMULATIONS, many, **ample)
    recorder.get("of-a-key", "/v1/keys/current", **worker)
    recorder.get("without-a-key", "/v1/keys/current", Accept_Language="de")
    recorder.post("scope-missing", f"{COUNCIL}/snapshots", {"seat_count": 2}, **worker)
    recorder.post(
        "unknown-key", f"{COUNCIL}/snapshots", {"seat_count": 2}, Api_Key="dorf_guessed", Accept_Language="de"
    )
    founder = {"Api_Key": house.keys.add("back end", ["play", "jobs"])[1]}
    seats = [{"kind": "human", "name": "Aine"}, {"kind": "bot", "bot": {"level": "easy"}}]
    made: Any = recorder.post("for-a-founder", "/v1/sessions", {"game": "hoher-rat", "seats": seats}, **founder).json
    recorder.get("founder", made["links"]["session"], **founder)
    recorder.get("founded", "/v1/sessions?status=running", **founder)
    recorder.get("of-a-key", "/v1/jobs?state=queued", **worker)
