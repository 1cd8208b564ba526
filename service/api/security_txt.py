"""The file security.txt (RFC 9116), with contacts for reports of vulnerabilities."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Final

from flask import Blueprint, Response

from service.http.context import current_context
from service.http.problems import Problem

blp: Final = Blueprint("security_txt", __name__)

VALID_DAYS: Final = 30
"""Number of days until the file expires, counted from the request."""


@blp.get("/.well-known/security.txt")
def read_security_txt() -> Response:
    """Return security.txt with the operator's contacts. Return 404 if the operator has configured no contacts."""
    contacts = current_context().settings.security_contacts
    if not contacts:
        raise Problem("not-found")
    today = datetime.fromtimestamp(time.time(), UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [f"Contact: {contact}" for contact in contacts]
    lines += [f"Expires: {today + timedelta(days=VALID_DAYS):%Y-%m-%dT%H:%M:%SZ}", "Preferred-Languages: de, en, it"]
    return Response("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
