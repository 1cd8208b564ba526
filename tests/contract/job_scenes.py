"""The scenes of jobs that are recorded as examples of the contract."""

from typing import Any

import msgspec

from service.jobs import queues
from tests.contract.recorder import Recorder
from tests.contract.stream_scenes import server_sent
from tests.workers.processes import worker

COUNCIL = "/v1/games/hoher-rat"
SEARCHES = "/v1/jobs/searches"
SIMULATIONS = "/v1/jobs/simulations"
TOURNAMENTS = "/v1/jobs/tournaments"
REVIEWS = "/v1/jobs/reviews"
PRICE = "?validate_only=true"
PERSON = {"kind": "human"}
PATIENT = "wait=25"
NDJSON = "application/x-ndjson"
THREE: dict[str, Any] = {
    "game": "hoher-rat",
    "seat_count": 2,
    "entrants": [
        {"bot": {"level": "greedy"}},
        {"bot": {"level": "random"}},
        {"bot": {"level": "random"}, "name": "chance"},
    ],
    "seed": "wrens",
}
GROUPS = {"outcome": [{"field": "winners"}, {"field": "plies", "bucket": 50}], "opening": 1, "top": 3}
SMALL_JOB = {
    "game": "hoher-rat",
    "seats": [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}],
    "seed": "wrens",
}


def jobs(recorder: Recorder, redis_url: str) -> None:
    """Request searches and simulations, first without a worker, then with one for each queue."""
    client = recorder.app.test_client()
    made: Any = client.post(f"{COUNCIL}/snapshots", json={"seat_count": 2, "seed": "stonehenge"}).json
    seated = {"snapshot": made["snapshot"], "seat": made["actors"][0]}
    view = client.post(f"{COUNCIL}/views", json=seated).json
    search = {"game": "hoher-rat", "budget": {"iterations": 200}, "seed": "ravens", "top": 3}
    recorder.post("price", f"{SEARCHES}{PRICE}", {**search, "view": view})
    recorder.post("price", f"{SIMULATIONS}{PRICE}", {**SMALL_JOB, "games": 600})
    recorder.post("price", f"{TOURNAMENTS}{PRICE}", {**THREE, "games": 6})
    queued: Any = recorder.post("queued", SEARCHES, {**search, "view": view}).json
    recorder.get("queued", f"/v1/jobs/{queued['id']}")
    recorder.call("queued", "DELETE", f"/v1/jobs/{queued['id']}", None, {})
    recorder.get("canceled", f"/v1/jobs/{queued['id']}", Accept_Language="de")
    recorder.get("unknown", f"/v1/jobs/{'0' * 32}")
    recorder.post(
        "not-a-bot", SIMULATIONS, {"game": "hoher-rat", "seats": [{"bot": {"level": "sage"}}] * 2, "games": 10}
    )
    listened = recorder.post("to-be-listened-to", SIMULATIONS, {**SMALL_JOB, "games": 2}, Accept_Language="it")
    recorder.post("less-than-a-round", TOURNAMENTS, {**THREE, "games": 5}, Accept_Language="de")
    positions = [{"id": "opening", **seated}, {"id": "not-asked", **seated, "seat": 1 - seated["seat"]}]
    recorder.post("price", f"{SEARCHES}:batch{PRICE}", {**search, "positions": positions})
    recorder.post("queued", f"{SEARCHES}:batch", {**search, "positions": positions})
    recorder.get("nothing-yet", f"{listened.headers['Location']}/chart")
    over, mine = council_over(recorder)
    recorder.post("price", f"{REVIEWS}{PRICE}", {"session": over, "iterations": 400}, **mine)
    review: Any = recorder.post("queued", REVIEWS, {"session": over, "iterations": 400, "seed": "wrens"}, **mine).json
    recorder.get("review-queued", f"/v1/jobs/{review['id']}", **mine)
    running: Any = client.post("/v1/sessions", json={"game": "hoher-rat", "seats": [PERSON, PERSON]}).json
    recorder.post("not-over", REVIEWS, {"session": running["id"]}, **bearer(running["seats"][0]), Accept_Language="de")
    with worker(redis_url, queues.SEARCHES), worker(redis_url, queues.BULK):
        recorder.post("finished", SEARCHES, {**search, **seated}, Prefer=PATIENT, Accept_Language="de")
        reasons(recorder, {**search, **seated})
        entered = {
            "game": "hoher-rat",
            "seats": [{"bot": {"level": "greedy"}}, {"bot": {"level": "random"}}],
            "seed": "owls",
        }
        played: Any = recorder.post("finished", SIMULATIONS, {**entered, "games": 4}, Prefer=PATIENT).json
        recorder.get("succeeded", f"/v1/jobs/{played['id']}")
        unkept = {**entered, "games": 5, "games_kept": False, "group_by": GROUPS}
        tallied: Any = recorder.post("games-not-kept", SIMULATIONS, unkept, Prefer=PATIENT).json
        recorder.get("games-not-kept", f"/v1/jobs/{tallied['id']}/games", Accept_Language="de")
        enough = {**entered, "until": {"half_width": 0.4, "max_games": 20}, "rotate_seats": False}
        recorder.post("until-it-is-enough", SIMULATIONS, enough, Prefer=PATIENT)
        rated: Any = recorder.post("finished", TOURNAMENTS, {**THREE, "games": 6}, Prefer=PATIENT).json
        pair = {**THREE, "entrants": THREE["entrants"][1:], "anchor": "chance"}
        narrow = {"half_width": 300, "max_games": 400}
        recorder.post("until-it-is-enough", TOURNAMENTS, {**pair, "until": narrow}, Prefer=PATIENT)
        searched: Any = recorder.post(
            "finished", f"{SEARCHES}:batch", {**search, "positions": positions}, Prefer=PATIENT
        )
        again = {"session": over, "iterations": 400, "seed": "wrens", "bots": False}
        rating = recorder.post("finished", REVIEWS, again, **mine, Prefer=PATIENT, Accept_Language="de")
    recorder.get("review-drawn", f"{rating.headers['Location']}/chart", **mine, Accept_Language="de")
    recorder.get("drawn", f"/v1/jobs/{played['id']}/chart?theme=dark", Accept_Language="de")
    recorder.get("ratings-drawn", f"/v1/jobs/{rated['id']}/chart", Accept_Language="it")
    recorder.get("of-another-kind", f"{searched.headers['Location']}/chart", Accept_Language="it")
    watch(recorder, listened.headers["Location"], searched.headers["Location"])


def reasons(recorder: Recorder, search: dict[str, Any]) -> None:
    """Request a search with reasons and a compared move."""
    asked = {**search, "budget": {"iterations": 800}, "top": 2, "explain": True}
    recorder.post("with-reasons", SEARCHES, {**asked, "compare": {"kind": "end_turn"}}, Prefer=PATIENT)
    illegal = {**asked, "compare": {"kind": "return_card", "card": 3}}
    recorder.post("compared-with-an-illegal-move", SEARCHES, illegal, Accept_Language="de")


def council_over(recorder: Recorder) -> tuple[str, dict[str, str]]:
    """Return a session of Der Hohe Rat that was given up after a few moves, and the header of a seat's token."""
    client = recorder.app.test_client()
    made: Any = client.post("/v1/sessions", json={"game": "hoher-rat", "seats": [PERSON, PERSON], "seed": "wrens"}).json
    here = made["links"]["session"]
    for number in range(8):
        for seat in made["seats"]:
            headers = {"Authorization": f"Bearer {seat['token']}"}
            shown = client.get(f"{here}?expand=legal_moves", headers=headers)
            moves = (shown.json or {}).get("legal_moves", {}).get("moves", [])
            if moves:
                tagged = {**headers, "If-Match": shown.headers["ETag"]}
                chosen = moves[number * 5 % len(moves)]["move"]
                client.post(f"{here}/moves", json={"move": chosen}, headers=tagged)
    client.post(f"{here}/resign", json={"then": "forfeit"}, headers=headers)
    return made["id"], bearer(made["seats"][0])


def bearer(seat: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {seat['token']}"}


def watch(recorder: Recorder, games: str, positions: str) -> None:
    """Listen to the events of jobs, in every form."""
    lines = {"Accept": NDJSON}
    recorder.lines("line", f"{games}/games?first=1", **lines)
    recorder.lines("line", f"{positions}/results", **lines, Accept_Language="de")
    recorder.listen(f"{games}/events", server_sent)
    recorder.listen(f"{games}/events", msgspec.json.decode, **lines)
