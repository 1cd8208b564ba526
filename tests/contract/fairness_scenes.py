"""The scenes of proofs of fair chance that are recorded as examples of the contract."""

from typing import Any

from tests.contract.recorder import Recorder

SESSIONS = "/v1/sessions"
VERIFY = "/v1/fairness:verify"


def fairness(recorder: Recorder) -> None:
    """Look at a commitment, end the session, take its proof, have it checked, and change something in it."""
    client = recorder.app.test_client()
    people = [{"kind": "human"}, {"kind": "human"}]
    made: Any = client.post(SESSIONS, json={"game": "hoher-rat", "seats": people}).json
    here, own = made["links"]["session"], f"Bearer {made['seats'][0]['token']}"
    recorder.get("running", f"{here}/fairness", Authorization=own)
    client.delete(here, headers={"Authorization": f"Bearer {made['owner_token']}"})
    proof: Any = recorder.get("after-an-abort", f"{here}/fairness", Authorization=own).json
    recorder.post("fair", VERIFY, proof)
    first, *others = proof["set_up"]
    moved = {**first, "place": 1 - first["place"], "value": 1 - first["value"]}
    recorder.post("unfair", VERIFY, {**proof, "set_up": [moved, *others]}, Accept_Language="de")
    practice: Any = client.post(SESSIONS, json={"game": "hoher-rat", "seats": people, "seed": "owls"}).json
    token = f"Bearer {practice['seats'][0]['token']}"
    recorder.get("practice", f"{practice['links']['session']}/fairness", Authorization=token, Accept_Language="it")
