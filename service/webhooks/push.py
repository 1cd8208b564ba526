"""Web Push (RFC 8030): browser subscriptions, and the key with which the service identifies itself (VAPID)."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Final, Self

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

POINT_BYTES: Final = 65
SECRET_BYTES: Final = 16
SCALAR_BYTES: Final = 32


class PushSubscription(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A push subscription of a browser."""

    endpoint: str
    p256dh: str
    auth: str
    language: str  # language of its messages
    expires: int | None = None  # expiry time according to the browser, in milliseconds since 1970

    @property
    def name(self) -> str:
        """A hash that identifies the subscription and reveals nothing about it."""
        return base64.urlsafe_b64encode(hashlib.sha256(msgspec.json.encode(self)).digest()[:12]).decode()


@dataclass(frozen=True, slots=True)
class Vapid:
    """The key pair of this service as PEM. Push services can reach the operator at the address `contact`."""

    private: bytes = field(repr=False)
    public: bytes
    public_key: str  # in the form that browsers require (`applicationServerKey`)
    contact: str

    @classmethod
    def of(cls, private_key: str, subject: str) -> Self | None:
        """Return the key pair from the settings. Return None if there is no key.

        Raise ValueError if the key is invalid.
        """
        if not private_key:
            return None
        number = int.from_bytes(decode_key(private_key, SCALAR_BYTES), "big")
        key = derive_private_key(number, SECP256R1())
        return cls(
            private=key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
            public=key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            public_key=_encode(key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)),
            contact=subject.removeprefix("mailto:"),
        )


def new_private_key() -> str:
    key: EllipticCurvePrivateKey = generate_private_key(SECP256R1())
    return _encode(key.private_numbers().private_value.to_bytes(SCALAR_BYTES, "big"))


def check_point(text: str) -> None:
    """Raise ValueError if a text is not a point of the curve P-256 in base64url."""
    EllipticCurvePublicKey.from_encoded_point(SECP256R1(), decode_key(text, POINT_BYTES))


def check_secret(text: str) -> None:
    """Raise ValueError if a text is not a secret of 16 bytes in base64url."""
    decode_key(text, SECRET_BYTES)


def decode_key(text: str, size: int) -> bytes:
    """Decode base64url, with or without padding. Raise ValueError if the result does not have `size` bytes."""
    found = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)
    if len(found) != size:
        raise ValueError(f"a key of {size} bytes has {len(found)}")
    return found


def _encode(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()
