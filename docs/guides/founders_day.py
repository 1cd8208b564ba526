"""A day of a back end with an API key that creates tables for people with phones.

    DORFPLATZ_URL=https://... DORFPLATZ_KEY=dorf_... HOOK_URL=https://... python3 founders_day.py

It needs only Python, and an API key with the scopes `play` and `webhooks`. The service sends messages to HOOK_URL, a
public https address that forwards requests to HOOK_PORT here. With WEBHOOKS_PRIVATE=true it also sends to
http://127.0.0.1:9001. The script also plays the phones, which do not get the key.
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
PATIENCE = 300  # seconds to wait for a message
FRESH = 300  # maximum age of a message in seconds
NOT_MODIFIED = 304
FEE = 2.00  # for a seat at a finished game; reduced for a shared win, zero for a win


def send(method, path, body=None, headers=None):
    """Send a request and return the response and its ETag. A repeated POST acts once."""
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
    """Send a request and return the response."""
    return send(method, path, body, headers)[0]


# --- The phones: each has only a seat's token.


class Phone:
    """The phone of a player."""

    def __init__(self, session, token):
        self.session, self.token = session, {"Authorization": f"Bearer {token}"}

    def look(self):
        """Return the session for the seat, with its legal moves."""
        return call("GET", f"{self.session}?expand=legal_moves", headers=self.token)

    def wait(self):
        """Wait until the seat has a move or the session has ended, and return the session."""
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
        """Make a random legal move, and return the response."""
        code = secrets.choice(seen["legal_moves"]["moves"])["code"]
        path = f"{self.session}/moves?expand=legal_moves"
        return call("POST", path, {"move": {"code": code}}, {**self.token, "If-Match": f'"{seen["version"]}"'})

    def play_turn(self):
        """Move while the seat has legal moves, and return whether the game continues."""
        seen = self.look()
        while seen["status"] == "running" and seen["legal_moves"]["moves"]:
            seen = self.play(seen)
        return seen["status"] == "running"


# --- The back end: receives the ends of tables, only from the service.


class Receiver(BaseHTTPRequestHandler):
    """Accepts each webhook message once and queues it."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name, sent_at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = hmac.new(self.server.secret, f"{name}.{sent_at}.".encode() + body, hashlib.sha256)
        ours = "v1," + base64.b64encode(signed.digest()).decode()
        theirs = self.headers["webhook-signature"].split(" ")
        if abs(time.time() - int(sent_at)) > FRESH or not any(hmac.compare_digest(ours, text) for text in theirs):
            self.send_error(403)
            return
        if name not in self.server.known:  # a message can arrive more than once
            self.server.known.add(name)
            self.server.told.put(json.loads(body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Log nothing."""


def listen():
    """Create a webhook for the ends of sessions, and return the server that receives them."""
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    server.daemon_threads = True
    server.known, server.told = set(), queue.Queue()
    url = os.environ.get("HOOK_URL", f"http://127.0.0.1:{server.server_address[1]}/")
    server.hook = call("POST", "/webhooks", {"url": url, "events": ["session.ended"]}, KEY)
    server.secret = base64.b64decode(server.hook["secret"].removeprefix("whsec_"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def found():
    """Create three tables, all or none, and return them with their tokens and invite codes."""
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
    """Return the debt of each person at a table: zero for an aborted table, less for more reward."""
    if "outcome" not in table:
        return {}
    owed = zip(table["seats"], table["outcome"]["rewards"], strict=True)
    return {seat["name"]: FEE * (1 - reward) for seat, reward in owed if seat["kind"] == "human"}


def main():
    """Run the day."""
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

    lost = phones["Ben"]  # it was in the pocket of his trousers in the wash
    phones["Ben"] = Phone(here[0], call("POST", f"{here[0]}/seats/1/token", headers=KEY)["token"])
    try:
        lost.look()
    except urllib.error.HTTPError as refused:
        print("the lost phone gets", refused.code)
        refused.close()

    while all(phones[name].play_turn() for name in ("Anna", "Ben")):
        pass
    print("Anna and Ben have played")

    bot = {"kind": "bot", "bot": {"level": "easy"}}  # nobody has claimed the second seat
    call("POST", f"{here[1]}/seats/1/assign", bot, KEY)
    phones["Cem"].play_turn()
    phones["Cem"].wait()
    print("Cem plays with a bot, and gives up")
    call("POST", f"{here[1]}/resign", {"then": "forfeit"}, phones["Cem"].token)

    call("DELETE", here[2], headers=KEY)  # nobody has claimed a seat of the third table
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
