"""Checks the proof of a Dorfplatz session, with `python3 verify.py COMMITMENT < proof.json`.

COMMITMENT is the value that you noted when the session began. The proof is the response of
GET /v1/sessions/{id}/fairness after the session's end. The script needs only the standard library and sends no request.
"""

import hashlib
import hmac
import json
import sys


def main(commitment, proof):
    """Repeat every draw and compare the results."""
    keys = proof["keys"]
    made_of = f"{proof['session']}:{keys['set_up']}:{keys['moves']}"
    if hashlib.sha256(made_of.encode()).hexdigest() != commitment:
        sys.exit("UNFAIR: these are not the keys that were committed to")
    set_up, moves = (mixed(keys[name], proof.get("client_seeds", [])) for name in ("set_up", "moves"))
    count = check("set-up", set_up, 0, proof["set_up"])
    for ply, move in enumerate(proof["moves"]):
        count += check(f"move {ply}", moves, ply, move["draws"])
    print(f"fair: {count} draws of {len(proof['moves'])} moves follow from the keys that were committed to")


def mixed(key, seeds):
    """Return the key mixed with the hashes of the claimers' seeds, in the order of the seats."""
    if not seeds:
        return key
    text = ",".join(f"{seat}:{digest}" for seat, digest in sorted((seed["seat"], seed["hash"]) for seed in seeds))
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()


def check(name, key, ply, draws):
    """Check the draws of one move: each is the next word of HMAC-SHA256 for this ply."""
    index = 0
    for draw in draws:
        of = draw["of"]
        while True:
            word = hmac.new(bytes.fromhex(key), f"{ply}:{index}".encode(), hashlib.sha256).digest()[:4]
            number, index = int.from_bytes(word, "big"), index + 1
            if number < 2**32 // of * of:  # otherwise some results would be more likely: take the next word
                break
        if draw["place"] != number % of:
            sys.exit(
                f"UNFAIR: {name} drew place {draw['place']} of {of} for {draw['what']}, the keys say {number % of}"
            )
        among = draw.get("among")
        if among is not None and (len(among) != of or among[draw["place"]] != draw["value"]):
            sys.exit(f"UNFAIR: {name} took {draw['value']!r}, which is not at place {draw['place']} of {among}")
    return len(draws)


if __name__ == "__main__":
    main(sys.argv[1], json.load(sys.stdin))
