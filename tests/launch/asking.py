"""Requests to servers of the tests' own. A client of httpx for each would load the certificates of the whole world."""

from __future__ import annotations

import ssl
from typing import Any, Final

import httpx

from tests.launch.processes import PATIENCE_SECONDS


def http_client(**options: Any) -> httpx.Client:
    """Return a patient client that trusts no authority, so that it costs a hundredth of another."""
    return httpx.Client(timeout=PATIENCE_SECONDS, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), **options)


HTTP: Final = http_client(limits=httpx.Limits(max_keepalive_connections=0))
"""Sends each request over a line of its own, as the functions of httpx do."""
