"""The proxy of deploy/haproxy.cfg in front of small web servers that a test controls."""

import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from tests.launch.kit import own_port, within

CONFIG: Final = "deploy/haproxy.cfg"
SHORT: Final = "800ms"
"""The time-out that a test waits for, in place of ten seconds."""

STALL_SECONDS: Final = 30


class Backend:
    """A web server on loopback. It counts requests. It can be unready, close, stall, or not listen."""

    def __init__(self, port: int | None = None) -> None:
        self.port = port or own_port()
        self.ready = True
        self.closes = False
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.seen: list[tuple[str, str, Message]] = []
        self.start()

    def start(self) -> None:
        backend = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                backend.respond(self)

            do_POST = do_GET  # noqa: N815 -- the library's name

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the library's name
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        text = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        is_check = request.path == "/readyz"
        if not is_check:
            self.seen.append((request.command, request.path, request.headers))
            if self.closes:
                request.close_connection = True
                return
            self.goes_on.wait(STALL_SECONDS)
        body = f"{self.port} {len(text)}".encode()
        request.send_response(200 if self.ready or not is_check else 503)
        request.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # HAProxy resets the connections of its checks
            request.end_headers()
            request.wfile.write(body)


class Proxy:
    """A running HAProxy with the project's configuration."""

    def __init__(self, folder: Path, checkout: Path, settings: dict[str, str]) -> None:
        self.port, self.tls_port = own_port(), own_port()
        text = (checkout / CONFIG).read_text()
        file = folder / "haproxy.cfg"
        replaced = {
            "bind :8000": f"bind 127.0.0.1:{self.port}",
            "bind :8443": f"bind 127.0.0.1:{self.tls_port}",
            "timeout http-request 10s": f"timeout http-request {SHORT}",
            "timeout http-keep-alive 60s": f"timeout http-keep-alive {SHORT}",
            "timeout server 60s": f"timeout server {settings.pop('SERVER_TIMEOUT', '60s')}",
        }
        for old, new in replaced.items():
            assert old in text, old
            text = text.replace(old, new)
        # Addresses stand in place of names, of which loopback has none.
        text = re.sub(r" resolvers containers init-addr none", "", text)
        text = re.sub(r'  server-template (\w+) \d+ "\$\{(\w+)\}"(.*)\n', lambda found: _servers(found, settings), text)
        file.write_text(text)
        environment = {
            **os.environ,
            "BACKEND_RESOLVER": "127.0.0.1:53",
            "CONNECTIONS_PER_ADDRESS": "500",
            "PROXY_FILES": str(checkout / "deploy"),
            "TLS_CERTIFICATE": "",
            **settings,
        }
        self.log = folder / "haproxy.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                ["haproxy", "-db", "-f", file], env=environment, stdout=output, stderr=output
            )
        assert within(20, self._is_up), self.log.read_text()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def _is_up(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


def _servers(found: re.Match[str], settings: dict[str, str]) -> str:
    addresses = settings.get(found[2], "").split()
    return "".join(f"  server {found[1]}{number} {each}{found[3]}\n" for number, each in enumerate(addresses))


@contextmanager
def proxied(
    folder: Path, checkout: Path, backends: Sequence[Backend], watchers: Sequence[Backend] = (), **settings: str
) -> Iterator[Proxy]:
    """Yield a proxy in front of web servers, and of others for streams."""
    hosts = {
        name: " ".join(f"127.0.0.1:{each.port}" for each in servers)
        for name, servers in (("WEB_HOST", backends), ("WATCH_HOST", watchers))
    }
    proxy = Proxy(folder, checkout, {**hosts, **settings})
    try:
        yield proxy
    finally:
        proxy.stop()
