"""The scenes of sealed snapshots that are recorded as examples of the contract."""

from typing import Any

from tests.contract.recorder import Recorder

COUNCIL = "/v1/games/hoher-rat"


def sealed(recorder: Recorder) -> None:
    """Set a sealed table up, look and move with a seat's key, and try without, with another's, and a broken one."""
    made: Any = recorder.post("sealed", f"{COUNCIL}/snapshots?sealed=true", {"seat_count": 2}).json
    snapshot, (seat, *_) = made["snapshot"], made["actors"]
    keys = [entry["key"] for entry in made["seat_keys"]]
    seated = {"snapshot": snapshot, "seat": seat}
    listed: Any = recorder.post("sealed", f"{COUNCIL}/legal-moves", seated, Seat_Key=keys[seat]).json
    recorder.post("sealed", f"{COUNCIL}/views", seated, Seat_Key=keys[seat])
    recorder.post("sealed-without-a-key", f"{COUNCIL}/views", seated)
    recorder.post("sealed-by-another-s-key", f"{COUNCIL}/views", seated, Seat_Key=keys[1 - seat], Accept_Language="de")
    recorder.post("sealed", f"{COUNCIL}/pictures", {**seated, "seat": None})
    move = {**seated, "move": listed["moves"][0]["move"]}
    recorder.post("sealed", f"{COUNCIL}/moves", move, Seat_Key=keys[seat], Accept_Language="de")
    broken = {**snapshot, "ply": snapshot["ply"] + 1}
    recorder.post("broken-seal", f"{COUNCIL}/moves", {**move, "snapshot": broken}, Seat_Key=keys[seat])
    fresh(recorder)


def fresh(recorder: Recorder) -> None:
    """Set a fresh table up, move, and try another move at the snapshot that has taken one."""
    made: Any = recorder.post("fresh", f"{COUNCIL}/snapshots?sealed=true&fresh=true", {"seat_count": 2}).json
    snapshot, (seat, *_) = made["snapshot"], made["actors"]
    key, seated = made["seat_keys"][seat]["key"], {"snapshot": snapshot, "seat": seat}
    asked = recorder.app.test_client().post(f"{COUNCIL}/legal-moves", json=seated, headers={"Seat-Key": key})
    first, *_, last = [entry["move"] for entry in asked.json["moves"]]  # type: ignore[index]
    recorder.post("fresh", f"{COUNCIL}/moves", {**seated, "move": first}, Seat_Key=key)
    recorder.post("stale-snapshot", f"{COUNCIL}/moves", {**seated, "move": last}, Seat_Key=key, Accept_Language="de")
