"""Remote bots: servers on loopback that answer requests for moves as a test wants."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

Think = Callable[[Any], Any]
"""Returns the answer to the data of a question: JSON, bytes as they are, or a status."""


@dataclass
class Stranger:
    """A bot at a URL, with its received requests."""

    url: str
    heard: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def data(self, number: int = -1) -> Any:
        return msgspec.json.decode(self.heard[number][1])["data"]


def first_move(data: Any) -> Any:
    return {"code": data["legal_moves"][0]["code"]}


@contextmanager
def stranger(think: Think = first_move, host: str = "127.0.0.1") -> Iterator[Stranger]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one segment, or each answer waits for an acknowledgement

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with bot.lock:
                bot.heard.append(({name.lower(): text for name, text in self.headers.items()}, body))
                bot.at_once += 1
                bot.most_at_once = max(bot.most_at_once, bot.at_once)
            said = think(msgspec.json.decode(body)["data"])
            status = said if isinstance(said, int) else 200
            sent = said if isinstance(said, bytes) else msgspec.json.encode(said)
            with bot.lock:
                bot.at_once -= 1
            self.send_response(status)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)
            self.wfile.flush()

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, *_: Any) -> None:
            pass

    with Server((host, 0), Handler) as server:
        bot = Stranger(f"http://{host}:{server.server_address[1]}/bot?for=us")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield bot
        finally:
            server.shutdown()
            thread.join()
