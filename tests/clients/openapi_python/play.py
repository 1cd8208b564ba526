"""Plays Der Hohe Rat against a bot with the generated operations: play.py ADDRESS SEED prints how it ended."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import json
import sys
import time

from openapi_client import ApiClient, Configuration, NewMove, NewSession, SessionsApi

EAGERNESS = (
    *("promote_follower", "place_speaker", "place_follower", "claim_field", "convince"),
    *("discuss", "play_trilith", "ponder", "end_turn"),
)
"""The moves by kind, the best for bringing pieces to the ring first."""


def main(address: str, seed: str) -> None:
    seats = [{"kind": "human", "name": "Aine"}, {"kind": "bot", "bot": {"level": "random"}}]
    wanted = NewSession.from_dict({"game": "hoher-rat", "seats": seats, "seed": seed})
    made = SessionsApi(ApiClient(Configuration(host=address))).create_session(wanted)
    token = made.seats[0].token
    sessions, moves = SessionsApi(ApiClient(Configuration(host=address, access_token=token))), 0
    while True:
        seen = sessions.get_session(made.id).actual_instance
        if seen.status != "running":
            break
        if 0 not in seen.actors:
            time.sleep(0.025)
            continue
        listed = sessions.list_session_moves(made.id).moves
        best = min(listed, key=lambda each: EAGERNESS.index(each.move.actual_instance.kind))
        body = NewMove.from_dict({"move": best.move.to_dict()})
        sessions.make_move_in_session(made.id, f'"{seen.version}"', body)
        moves += 1
    sys.stdout.write(json.dumps({"status": seen.status, "moves": moves}))


if __name__ == "__main__":
    main(*sys.argv[1:])
