"""Lives a founder's day: tables for people who have nothing but a phone, by a back end that has nothing but a key.

    DORFPLATZ_URL=https://... DORFPLATZ_KEY=dorf_... HOOK_URL=https://... python3 founders_day.py

It needs Python alone, and an API key with the scopes `play` and `webhooks`. Messages come to HOOK_URL, a public https
address from where requests reach HOOK_PORT here. A service that runs with WEBHOOKS_PRIVATE=true sends to
http://127.0.0.1:9001, too. The phones are played here as well, since nobody else is there; they do not get the key.
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SERVICE = os.environ.get("DORFPLATZ_URL", "http://127.0.0.1:8000/v1")
KEY = {"Api-Key": os.environ["DORFPLATZ_KEY"]}
PORT = int(os.environ.get("HOOK_PORT", "9001"))
PATIENCE = 300  # seconds for a message to come
FRESH = 300  # seconds after which a message is too old to be believed
NOT_MODIFIED = 304
FEE = 2.00  # for a seat at a game that ended; a part of it for a part of a win, nothing for a win


def send(method, path, body=None, headers=None):
    """Ask the service and return its answer and its ETag; a POST is done once, however often it is sent."""
    sent = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4()), **(headers or {})}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVICE + path.removeprefix("/v1"), data, sent, method=method)
    tries_left = 5
    while True:
        tries_left -= 1
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or "null"), answer.headers["ETag"]
        except urllib.error.HTTPError as refused:
            refused.close()
            if refused.code not in {429, 503} or not tries_left:
                raise
            time.sleep(int(refused.headers["Retry-After"] or 1))


def call(method, path, body=None, headers=None):
    """Ask the service and return its answer."""
    return send(method, path, body, headers)[0]


# --- The phones: each has a seat's token and nothing else.


class Phone:
    """The phone of a player."""

    def __init__(self, session, token):
        self.session, self.token = session, {"Authorization": f"Bearer {token}"}

    def look(self):
        """Return what the seat sees, and what it may do."""
        return call("GET", f"{self.session}?expand=legal_moves", headers=self.token)

    def wait(self):
        """Wait until the seat may do something, and return what it sees."""
        path, etag = f"{self.session}?expand=legal_moves&wait=20", '""'
        while True:
            try:
                seen, etag = send("GET", path, headers={**self.token, "If-None-Match": etag})
            except urllib.error.HTTPError as refused:
                refused.close()
                if refused.code != NOT_MODIFIED:
                    raise
            else:
                if seen["status"] != "running" or seen["legal_moves"]["moves"]:
                    return seen

    def play(self, seen):
        """Make one of the moves that were seen, and return what the answer shows."""
        code = secrets.choice(seen["legal_moves"]["moves"])["code"]
        path = f"{self.session}/moves?expand=legal_moves"
        return call("POST", path, {"move": {"code": code}}, {**self.token, "If-Match": f'"{seen["version"]}"'})

    def play_turn(self):
        """Move as long as it is one's turn, and tell whether the game goes on."""
        seen = self.look()
        while seen["status"] == "running" and seen["legal_moves"]["moves"]:
            seen = self.play(seen)
        return seen["status"] == "running"


# --- The back end: hears how tables end, from nobody but the service.


class Receiver(BaseHTTPRequestHandler):
    """Takes each message of the webhook once, and leaves the work for afterwards."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name, sent_at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = hmac.new(self.server.secret, f"{name}.{sent_at}.".encode() + body, hashlib.sha256)
        ours = "v1," + base64.b64encode(signed.digest()).decode()
        theirs = self.headers["webhook-signature"].split(" ")
        if abs(time.time() - int(sent_at)) > FRESH or not any(hmac.compare_digest(ours, text) for text in theirs):
            self.send_error(403)
            return
        if name not in self.server.known:  # a message may come more than once
            self.server.known.add(name)
            self.server.told.put(json.loads(body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


def listen():
    """Make a webhook for the ends of sessions, and return the server that hears of them."""
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    server.daemon_threads = True
    server.known, server.told = set(), queue.Queue()
    url = os.environ.get("HOOK_URL", f"http://127.0.0.1:{server.server_address[1]}/")
    server.hook = call("POST", "/webhooks", {"url": url, "events": ["session.ended"]}, KEY)
    server.secret = base64.b64decode(server.hook["secret"].removeprefix("whsec_"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def found():
    """Found three tables, all or none, and return them with their tokens and invite codes."""
    anna, ben, cem = ({"kind": "human", "name": name} for name in ("Anna", "Ben", "Cem"))
    stranger = {"kind": "open"}
    tables = [
        {"game": "gartenzwerge", "seats": [anna, ben]},
        {"game": "hoher-rat", "seats": [cem, stranger]},
        {"game": "wichtel", "seats": [stranger, stranger, stranger]},
    ]
    return call("POST", "/sessions:batch", {"sessions": tables}, KEY)["sessions"]


def week():
    """Return all tables of the last seven days, page by page."""
    since = (datetime.now(UTC) - timedelta(days=7)).isoformat()
    page = call("GET", f"/sessions?{urllib.parse.urlencode({'since': since, 'limit': 2})}", headers=KEY)
    tables = page["sessions"]
    while "next" in page:
        page = call("GET", page["next"], headers=KEY)
        tables += page["sessions"]
    return tables


def bill(table):
    """Return what each person at a table owes: nothing where it was called off, and less the more was won."""
    if "outcome" not in table:
        return {}
    owed = zip(table["seats"], table["outcome"]["rewards"], strict=True)
    return {seat["name"]: FEE * (1 - reward) for seat, reward in owed if seat["kind"] == "human"}


def main():
    """Live the day."""
    server = listen()
    first, second, third = found()
    print("founded:", ", ".join(table["game"] for table in (first, second, third)))
    here = [table["links"]["session"] for table in (first, second, third)]
    phones = {
        seat["name"]: Phone(table["links"]["session"], seat["token"])
        for table in (first, second)
        for seat in table["seats"]
        if "token" in seat
    }
    print("seats handed out:", ", ".join(phones))

    lost = phones["Ben"]  # he had it in his trousers, and those are in the wash
    phones["Ben"] = Phone(here[0], call("POST", f"{here[0]}/seats/1/token", headers=KEY)["token"])
    try:
        lost.look()
    except urllib.error.HTTPError as refused:
        print("the lost phone gets", refused.code)
        refused.close()

    while all(phones[name].play_turn() for name in ("Anna", "Ben")):
        pass
    print("Anna and Ben have played")

    bot = {"kind": "bot", "bot": {"level": "easy"}}  # nobody has come for the second seat
    call("POST", f"{here[1]}/seats/1/assign", bot, KEY)
    phones["Cem"].play_turn()
    phones["Cem"].wait()
    print("Cem plays with a bot, and gives up")
    call("POST", f"{here[1]}/resign", {"then": "forfeit"}, phones["Cem"].token)

    call("DELETE", here[2], headers=KEY)  # and nobody at all has come to the third table
    told = [server.told.get(timeout=PATIENCE)["data"] for _ in here]
    for end in sorted(told, key=lambda end: here.index(end["url"])):
        print("told:", end["status"], *(f"{reward:g}" for reward in end.get("outcome", {}).get("rewards", [])))
    call("DELETE", f"/webhooks/{server.hook['id']}", headers=KEY)
    server.shutdown()

    for table in reversed(week()):
        owed = ", ".join(f"{name} owes {amount:.2f}" for name, amount in bill(table).items())
        print(f"{table['game']:12} {table['status']:10} {owed or 'nobody owes anything'}")


if __name__ == "__main__":
    main()
