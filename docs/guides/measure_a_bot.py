"""Measures your own bot against the bots of the service: a bot of 30 lines, and one job for each level.

    DORFPLATZ_URL=https://... DORFPLATZ_KEY=dorf_... BOT_URL=https://... python3 measure_a_bot.py

It needs only Python, and an API key with the scope `jobs`. The service sends requests to BOT_URL, a public https
address that forwards them to BOT_PORT here. With WEBHOOKS_PRIVATE=true it also sends to http://127.0.0.1:9000.
"""

import base64
import hashlib
import hmac
import json
import os
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SERVICE = os.environ.get("DORFPLATZ_URL", "http://127.0.0.1:8000/v1")
KEY = os.environ["DORFPLATZ_KEY"]
PORT = int(os.environ.get("BOT_PORT", "9000"))
GAMES = int(os.environ.get("GAMES", "1000"))
LEVELS = os.environ.get("LEVELS", "random,easy,medium,hard,expert").split(",")


# --- The bot, in 30 lines.


def choose(view, legal_moves):
    """Return the first move that sends no dwarf to the garden. `view` is the information of the seat."""
    return min(legal_moves, key=lambda row: row["move"]["kind"] == "send_to_garden")


class Bot(BaseHTTPRequestHandler):
    """Responds to each request with a move."""

    protocol_version = "HTTP/1.1"  # the service keeps its connections
    wbufsize = -1  # headers and body in one segment; separate ones would wait for an acknowledgement

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        ours = base64.b64encode(hmac.new(self.server.secret, signed, hashlib.sha256).digest()).decode()
        if not hmac.compare_digest(f"v1,{ours}", self.headers["webhook-signature"]):
            self.send_error(403)
            return
        asked = json.loads(body)["data"]
        answer = json.dumps({"code": choose(asked["view"], asked["legal_moves"])["code"]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        """Log nothing."""


# --- The measuring.


def call(method, path, body=None):
    """Send a request and return the response."""
    headers = {"Api-Key": KEY, "Content-Type": "application/json", "Prefer": "wait=25"}
    sent = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(SERVICE + path, sent, headers, method=method)) as answer:
        return json.load(answer)


def measure(url, level):
    """Play against a level, and return the finished job."""
    seats = [{"bot": {"url": url, "deadline_ms": 10_000, "in_flight": 8}}, {"bot": {"level": level}}]
    body = {"game": "gartenzwerge", "seats": seats, "until": {"half_width": 0.02, "max_games": GAMES}}
    job = call("POST", "/jobs/simulations", body)
    if job["state"] in {"queued", "running"}:
        request = urllib.request.Request(f"{SERVICE}/jobs/{job['id']}/events")
        request.add_header("Api-Key", KEY)
        request.add_header("Accept", "application/x-ndjson")
        with urllib.request.urlopen(request) as events:  # the last message is the finished job
            job = [json.loads(line) for line in events if line.strip()][-1]["data"]
    return job


def main():
    """Run the bot, and print a line for each level."""
    ThreadingHTTPServer.request_queue_size = 64  # several games start at once; with the default of five some would wait
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Bot)
    server.daemon_threads = True
    secret = call("GET", "/jobs/bot-secret")["secret"]
    server.secret = base64.b64decode(secret.removeprefix("whsec_"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = os.environ.get("BOT_URL", f"http://127.0.0.1:{server.server_address[1]}/")
    print(f"{'level':8} {'games':>6} {'wins':>6}  95 %           forfeits")
    for level in LEVELS:
        job = measure(url, level)
        if job["state"] != "succeeded":
            raise SystemExit(job["problem"]["detail"])
        mine = job["result"]["bots"][0]
        low, high = mine["interval"]
        forfeits = ", ".join(f"{row['games']} {row['cause']} {row.get('rule', '')}" for row in mine["forfeits"])
        print(f"{level:8} {mine['games']:6} {mine['win_rate']:6.1%}  {low:.1%} to {high:.1%}  {forfeits or 'none'}")
    server.shutdown()


if __name__ == "__main__":
    main()
