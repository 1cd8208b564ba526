"""The proxy notices a web host that is lost without a word."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.deploy.backends import Proxy
from tests.hosts.network import Network, missing
from tests.launch.kit import within

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing() or "hosts can be made"),
    pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed"),
]

PORT = 8000
WEB = ("one", "two")
SLOW_SECONDS = 40
MAX_SECONDS = 20
SERVER = """
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/slow":
            print("slow", flush=True)
            if sys.argv[1] == "one":
                time.sleep(float(sys.argv[3]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(sys.argv[1])))
        self.end_headers()
        self.wfile.write(sys.argv[1].encode())
    def log_message(self, *_):
        pass
ThreadingHTTPServer(("0.0.0.0", int(sys.argv[2])), Handler).serve_forever()
"""


@pytest.fixture
def network() -> Iterator[Network]:
    made = Network(WEB)
    yield made
    made.close()


def test_a_get_at_a_host_that_is_lost_is_sent_to_another(network: Network, checkout: Path, tmp_path: Path) -> None:
    logs = {name: tmp_path / f"{name}.log" for name in WEB}
    servers = [
        network.run(name, [sys.executable, "-c", SERVER, name, str(PORT), str(SLOW_SECONDS)], dict(os.environ), log)
        for name, log in logs.items()
    ]
    hosts = " ".join(f"{network.addresses[name]}:{PORT}" for name in WEB)
    proxy = Proxy(tmp_path, checkout, {"WEB_HOST": hosts})
    found: list[bytes] = []
    try:
        assert within(20, lambda: ask(proxy.port, "/") in {b"one", b"two"})
        while not logs["one"].exists() or b"slow" not in logs["one"].read_bytes():
            asking = threading.Thread(target=lambda: found.append(ask(proxy.port, "/slow")))
            asking.start()
            time.sleep(0.2)
        found.clear()
        network.cables["one"].is_cut = True
        began = time.monotonic()
        asking.join(2 * SLOW_SECONDS)
        assert (found, time.monotonic() - began < MAX_SECONDS) == ([b"two"], True)
    finally:
        proxy.stop()
        for server in servers:
            server.kill()
            server.wait()


def ask(port: int, path: str) -> bytes:
    with closing(HTTPConnection("127.0.0.1", port, timeout=2 * SLOW_SECONDS)) as connection:
        connection.request("GET", path)
        return connection.getresponse().read()
