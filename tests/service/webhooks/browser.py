"""A browser that subscribes to push messages and decrypts them, by RFC 8291 and 8188, apart from the library."""

import base64
import json
import struct
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ec import ECDH, SECP256R1, EllipticCurvePublicKey, generate_private_key
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PUSH_SERVICE: Final = "https://push.example/send/abc"

SALT_BYTES: Final = 16


class Browser:
    """The keys of one push subscription."""

    def __init__(self, endpoint: str = PUSH_SERVICE, secret: bytes = b"0123456789abcdef") -> None:
        self.endpoint, self._secret, self._key = endpoint, secret, generate_private_key(SECP256R1())
        self._point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    @property
    def subscription(self) -> dict[str, Any]:
        """Return the body that `PushSubscription.toJSON()` gives."""
        keys = {"p256dh": base64url(self._point), "auth": base64url(self._secret)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def read(self, body: bytes) -> Any:
        """Decrypt a message of one record and return its JSON."""
        salt, rest = body[:SALT_BYTES], body[SALT_BYTES:]
        size, length = struct.unpack("!LB", rest[:5])
        assert size >= len(body) - SALT_BYTES
        sender, sealed = rest[5 : 5 + length], rest[5 + length :]
        shared = self._key.exchange(ECDH(), EllipticCurvePublicKey.from_encoded_point(SECP256R1(), sender))
        secret = derived(shared, self._secret, b"WebPush: info\0" + self._point + sender, 32)
        key = derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derived(secret, salt, b"Content-Encoding: nonce\0", 12)
        text = AESGCM(key).decrypt(nonce, sealed, None)
        assert text.endswith(b"\x02"), "the last record"
        return json.loads(text[:-1])


def derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


def base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
