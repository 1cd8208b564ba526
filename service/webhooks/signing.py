"""Signatures of Standard Webhooks (symmetric, v1): HMAC-SHA256 of "<id>.<timestamp>.<body>".

The specification is https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
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
"""Milliseconds for which a webhook's previous secret still signs messages, together with the new secret."""


class OtherSecret(Exception):
    """The secret of a webhook was derived from an earlier secret of the service."""


class Secrets:
    """Derives the secrets of webhooks and remote bots from the service's own secret. The secrets are not stored."""

    def __init__(self, secret_key: str) -> None:
        self._key = hmac.new(secret_key.encode(), b"webhooks", hashlib.sha256).digest()

    def text(self, hook: str, generation: int) -> str:
        """Return the secret of a webhook as text. The owner of the webhook sees the same text.

        `generation` grows by 1 with each rotation of the secret.
        """
        secret = hmac.new(self._key, f"{hook}/{generation}".encode(), hashlib.sha256).digest()
        return SIGNING_PREFIX + base64.b64encode(secret).decode()

    def of_bots(self, owner: str) -> str:
        """Return the secret that signs requests to the remote bots of an owner."""
        secret = hmac.new(self._key, f"bots/{owner}".encode(), hashlib.sha256).digest()
        return SIGNING_PREFIX + base64.b64encode(secret).decode()

    def valid(self, hook: Hook, now: int) -> list[str]:
        """Return the secrets that sign a webhook's messages at the time `now`. The first one is the current secret.

        Raise OtherSecret if the service's secret has changed since the webhook's secret was derived.
        """
        present = self.text(hook.id, hook.generation)
        if not hmac.compare_digest(check(present), hook.check):
            raise OtherSecret
        return [present, *([self.text(hook.id, hook.generation - 1)] if now < hook.overlap else [])]


def check(text: str) -> str:
    """Return the hash of a webhook's secret. `text` is the secret.

    Redis stores the hash but not the secret. When the service derives the secret again, the hash shows whether the
    secret is still the same.
    """
    return hashlib.sha256(text.encode()).hexdigest()


def headers(message_id: str, seconds: int, body: bytes, secrets: Iterable[str]) -> dict[str, str]:
    """Return the HTTP headers of a message, with one signature per secret. `seconds` is the message's timestamp."""
    signed = f"{message_id}.{seconds}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{_signature(secret, signed)}" for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SIGNING_PREFIX))
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
