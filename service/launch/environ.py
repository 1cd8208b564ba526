"""The environments of WSGI for requests of one line: what they have in common is made once."""

from __future__ import annotations

import io
import sys
from functools import lru_cache
from typing import Any, Final

from a2wsgi.wsgi import build_environ
from gunicorn.asgi.parser import CallbackRequest

from service.http.targets import read_target

SERVERS_KEPT: Final = 64
"""For how many addresses of this server environments are kept; it has as many as clients reach it by."""

NAMES_KEPT: Final = 256
"""How many names of headers are kept with their names in an environment."""

_OWN_NAMES: Final = {b"content-length": "CONTENT_LENGTH", b"content-type": "CONTENT_TYPE"}

Environ = dict[str, Any]
Address = tuple[Any, ...]


def environ_of_line(server: Address, client: Address) -> Environ:
    """Return what the environments of all requests of a line have in common."""
    address = {"REMOTE_ADDR": client[0], "REMOTE_PORT": str(client[1])}
    return {**_environ_of_server(server[:2]), **address, "wsgi.errors": sys.stdout}


@lru_cache(SERVERS_KEPT)
def _environ_of_server(server: Address) -> Environ:
    """Return what the environments of all requests to an address have in common."""
    scope: Any = {
        "type": "http",
        "http_version": "1.1",
        "method": "",
        "path": "",
        "query_string": b"",
        "server": server,
    }
    body: Any = None
    environ: Environ = {**build_environ(scope, body)}
    del environ["asgi.scope"]  # it is none of a request
    return environ


def environ_of_request(line: Environ, request: CallbackRequest, body: bytes) -> Environ:
    """Return the environment of a request that came whole on a line; it is the one that `build_environ` returns."""
    environ = {
        **line,
        "REQUEST_METHOD": request.method,
        "PATH_INFO": request.path.encode("utf8").decode("latin1"),
        "QUERY_STRING": request.query,
        "SERVER_PROTOCOL": f"HTTP/{request.version[0]}.{request.version[1]}",
        "wsgi.url_scheme": request.scheme,
        "wsgi.input": io.BytesIO(body),
    }
    for name, value in request.headers_bytes:
        key, text = _key(name), value.decode("latin1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    read_target(environ, request.uri)
    return environ


@lru_cache(NAMES_KEPT)
def _key(name: bytes) -> str:
    """Return what a header is called in an environment."""
    return _OWN_NAMES.get(name) or f"HTTP_{name.decode('latin1').upper().replace('-', '_')}"
