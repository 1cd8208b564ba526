"""Signatures of Standard Webhooks (symmetric, v1): HMAC-SHA256 of "<id>.<timestamp>.<body>".

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

from service.store.hooks import Hook

SIGNING_PREFIX: Final = "whsec_"
OVERLAP_MS: Final = 86_400_000
"""Period after a rotation in which the previous secret signs too."""


class OtherSecret(Exception):
    """The service's own secret is not the one under which a webhook was created."""


class Secrets:
    """The secrets of webhooks, derived from the service's own and not stored."""

    def __init__(self, secret_key: str) -> None:
        self._key = hmac.new(secret_key.encode(), b"webhooks", hashlib.sha256).digest()

    def text(self, hook: str, generation: int) -> str:
        """Return a secret in the form for its receiver."""
        secret = hmac.new(self._key, f"{hook}/{generation}".encode(), hashlib.sha256).digest()
        return SIGNING_PREFIX + base64.b64encode(secret).decode()

    def of_bots(self, owner: str) -> str:
        """Return the secret that signs requests to a key owner's remote bots."""
        secret = hmac.new(self._key, f"bots/{owner}".encode(), hashlib.sha256).digest()
        return SIGNING_PREFIX + base64.b64encode(secret).decode()

    def valid(self, hook: Hook, now: int) -> list[str]:
        """Return the secrets that sign for a webhook, the current one first; raise OtherSecret."""
        present = self.text(hook.id, hook.generation)
        if not hmac.compare_digest(check(present), hook.check):
            raise OtherSecret
        return [present, *([self.text(hook.id, hook.generation - 1)] if now < hook.overlap else [])]


def check(text: str) -> str:
    """Return the stored hash of a secret."""
    return hashlib.sha256(text.encode()).hexdigest()


def headers(message_id: str, seconds: int, body: bytes, secrets: Iterable[str]) -> dict[str, str]:
    """Return the headers of a message with a timestamp, signed with each secret."""
    signed = f"{message_id}.{seconds}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{_signature(secret, signed)}" for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SIGNING_PREFIX))
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
