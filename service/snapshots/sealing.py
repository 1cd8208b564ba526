"""Sealed snapshots. A client stores them, but cannot read or change them. A seat's key opens only the seat's own view.

The field `token` of a sealed snapshot is a base64url text. It encodes a header and a ciphertext (AES-256-GCM).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from games.core.game import Game, Move, Record
from games.core.seeds import derived
from games.core.table import SPECTATOR, Table
from service.snapshots.errors import SnapshotError
from service.snapshots.records import SealedSnapshot, Snapshot
from service.validation.faults import Fault

OWN_BYTES: Final = 16_384
"""Maximum size of all texts and drawings that one seat may add to a sealed table, in bytes."""

OWN_MOVE_BYTES: Final = 64
"""Bytes that count towards OWN_BYTES for a move with a text or drawing, in addition to the move's encoded size.

These bytes are only counted, not stored.
"""

FRAME_BYTES: Final = 256
"""Maximum size of the sealed data without the table, in bytes."""

_VERSION: Final = 1
_SECRET_BYTES: Final = 32
_ID_BYTES: Final = 16
# Version, id of the sealing key, expiry time and salt.
_HEAD: Final = struct.Struct(">B4sQ16s")
_LENGTH: Final = struct.Struct(">I")
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_COLUMNS: Final = ""
"""Name of the only member of the object that replaces a list of objects or of strings (`to_columns`)."""

_STEPS: Final = " "
"""Name of the only member of an object with columns of integers. `to_columns` makes such objects from rows."""

_MAX_PLAIN_ROWS: Final = 4
"""Maximum length of a list of rows of integers that `to_columns` leaves unchanged."""


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """The additional data of a sealed snapshot. It is encrypted together with the table of the snapshot."""

    # All keys and draws of the table are derived from it. They survive a change of sealing keys (docs/decisions/031).
    secret: bytes
    spent: tuple[int, ...]  # size of each seat's own texts and drawings, in bytes
    # The latest state of a fresh table, which accepts moves only at this state. It is "" for other tables.
    state_id: str = ""

    @property
    def table_id(self) -> str:
        """The id of the table in Redis. It reveals nothing about the table's content."""
        return self._id_of("snapshot/fresh/table")

    @property
    def seed(self) -> str:
        return derived(self.secret, "snapshot/chance").hex()

    def seat_key(self, seat: int) -> str:
        """Return the key of a seat. The key stays the same for the whole game."""
        return _encode_base64(derived(self.secret, f"snapshot/seat/{seat}"))

    def admits(self, seat: int, key: str) -> bool:
        """Return whether `key` is the key of the seat `seat`. The comparison takes constant time."""
        return hmac.compare_digest(self.seat_key(seat).encode(), key.encode())

    def after(self, game: Game, seat: int, move: Move) -> Seal:
        """Return the Seal of the next snapshot. The move `move` of the seat `seat` leads to this snapshot.

        OWN_BYTES limits the total size of the seat's texts and drawings. Raise SnapshotError if the move exceeds this
        limit.
        """
        packed, spent = _pack(msgspec.to_builtins(move)), list(self.spent)
        if game.brings_content(move):
            spent[seat] += len(packed) + OWN_MOVE_BYTES
            # The limit is per seat, so that an error reveals nothing about other seats.
            if spent[seat] > OWN_BYTES:
                raise SnapshotError("own-content-spent", limit=OWN_BYTES)
        label = f"snapshot/fresh/{self.state_id}/{seat}/{packed.hex()}"
        return Seal(secret=self.secret, spent=tuple(spent), state_id=self.state_id and self._id_of(label))

    def fresh(self) -> Seal:
        """Return a copy of this data that marks the table as fresh.

        A fresh table accepts moves only at its latest state.
        """
        return Seal(secret=self.secret, spent=self.spent, state_id=self._id_of("snapshot/fresh/first"))

    def _id_of(self, label: str) -> str:
        return derived(self.secret, label)[:_ID_BYTES].hex()


class _Inside(msgspec.Struct, frozen=True, kw_only=True):
    ply: int
    seal: Seal
    table: Any


@dataclass(frozen=True, slots=True, repr=False)
class SealingKey:
    """A secret that encrypts and decrypts snapshots.

    `id` is derived from the secret. Each encrypted snapshot contains the `id` of its sealing key.
    """

    id: bytes
    secret: bytes

    @classmethod
    def of(cls, secret: str) -> SealingKey:
        return cls(_hkdf(secret.encode(), b"", b"snapshot/key-id", 4), secret.encode())

    def cipher(self, salt: bytes) -> tuple[AESGCM, bytes]:
        both = _hkdf(self.secret, salt, b"snapshot/seal", _KEY_BYTES + _NONCE_BYTES)
        return AESGCM(both[:_KEY_BYTES]), both[_KEY_BYTES:]


@dataclass(frozen=True, slots=True)
class Sealer:
    """Encrypts and decrypts snapshots. An encrypted snapshot is valid for `life_ms`.

    The first item of `keys` encrypts all new snapshots. A snapshot contains the id of the key that encrypted it. If
    `keys` contains this key, the sealer can decrypt the snapshot.
    """

    keys: tuple[SealingKey, ...]
    life_ms: int
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    entropy: Callable[[int], bytes] = secrets.token_bytes

    @classmethod
    def of(cls, given: Sequence[str], life_ms: int) -> Sealer:
        """Create a sealer from the operator's secrets.

        Raise ValueError if two secrets lead to keys with the same id.
        """
        keys = tuple(SealingKey.of(secret) for secret in given)
        if len({key.id for key in keys}) < len(keys):
            raise ValueError("a key of sealed snapshots stands there twice")
        return cls(keys, life_ms)

    def fresh(self, seats: int) -> Seal:
        return Seal(secret=self.entropy(_SECRET_BYTES), spent=(0,) * seats)

    def seal(self, game: Game, table: Table, seal: Seal) -> SealedSnapshot:
        """Encrypt a table. The unencrypted fields of the result contain only data that spectators may see."""
        ply = game.view(table, SPECTATOR).ply
        inside = _Inside(ply=table.ply, seal=seal, table=to_columns(msgspec.to_builtins(game.write(table))))
        # Padding replaces compression, so that the length reveals nothing.
        clear = _pad(msgspec.msgpack.encode(inside), padded_size(game, table.seats))
        key, salt = self.keys[0], self.entropy(_SALT_BYTES)
        head = _HEAD.pack(_VERSION, key.id, self.now() + self.life_ms, salt)
        cipher, nonce = key.cipher(salt)
        text = cipher.encrypt(nonce, clear, _associated_data(head, game.slug, game.ruleset, ply))
        return SealedSnapshot(
            game=game.slug, ruleset=game.ruleset, ply=ply, sealed=True, token=_encode_base64(head + text)
        )

    def unseal(self, sealed: SealedSnapshot) -> tuple[Snapshot, Seal]:
        """Decrypt a snapshot for use inside this process.

        Raise SnapshotError if `sealed` is broken or has expired. Raise it also if the sealing key of `sealed` is
        unknown, or if the decrypted content is invalid.
        """
        token = _decode_base64(sealed.token)
        if len(token) < _HEAD.size or token[0] != _VERSION:
            raise SnapshotError("broken-seal")
        head, text = token[: _HEAD.size], token[_HEAD.size :]
        _, name, expires, salt = _HEAD.unpack(head)
        key = next((key for key in self.keys if key.id == name), None)
        if key is None:
            raise SnapshotError("unknown-sealing-key")
        cipher, nonce = key.cipher(salt)
        try:
            clear = cipher.decrypt(nonce, text, _associated_data(head, sealed.game, sealed.ruleset, sealed.ply))
        except InvalidTag:
            raise SnapshotError("broken-seal") from None
        if self.now() >= expires:
            raise SnapshotError("seal-expired")
        try:
            inside = msgspec.msgpack.decode(_unpad(clear), type=_Inside)
            table = from_columns(inside.table)
        except (msgspec.MsgspecError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            # Only a service with this key can have sealed it, perhaps of another version.
            raise SnapshotError("broken-snapshot", Fault("/snapshot/token", "invalid")) from None
        snapshot = Snapshot(
            game=sealed.game,
            ruleset=sealed.ruleset,
            ply=inside.ply,
            sealed=False,
            seed=inside.seal.seed,
            table=table,
        )
        return snapshot, inside.seal


def expiry(sealed: SealedSnapshot) -> int:
    """Return the expiry time of a valid snapshot in milliseconds since 1970."""
    _, _, expires, _ = _HEAD.unpack(_decode_base64(sealed.token)[: _HEAD.size])
    return int(expires)


def padded_size(game: Game, seats: int) -> int:
    """Return the size in bytes to which a plaintext is padded.

    The size depends only on the game and the number of seats.
    """
    return FRAME_BYTES + game.record_bytes + (seats * OWN_BYTES if game.open_moves else 0)


def packed_size(record: Record) -> int:
    """Return the encoded size of a record in bytes, before padding."""
    return len(_pack(msgspec.to_builtins(record)))


def _pack(value: Any) -> bytes:
    return msgspec.msgpack.encode(to_columns(value))


def to_columns(value: Any) -> Any:
    """Convert all lists in a value to a shorter form. `from_columns` is the inverse.

    * A list of objects with the same fields becomes one list for each field.
    * A list of words becomes two lists. The first list contains the distinct words. The second list contains, for each
      original word, its index in the first list.
    * A long list of rows of integers becomes one list for each column. In a column, each integer is replaced by its
      difference from the previous integer.
    """
    if isinstance(value, dict):
        return {name: to_columns(part) for name, part in value.items()}
    if not isinstance(value, list | tuple) or not value:
        return value
    if all(isinstance(row, dict) and row and row.keys() == value[0].keys() for row in value):
        return {_COLUMNS: {name: to_columns([row[name] for row in value]) for name in value[0]}}
    if all(isinstance(word, str) for word in value):
        places = {word: place for place, word in enumerate(dict.fromkeys(value))}
        return {_COLUMNS: [list(places), [places[word] for word in value]]}
    if len(value) > _MAX_PLAIN_ROWS and all(
        isinstance(row, list | tuple) and len(row) == len(value[0]) for row in value
    ):
        columns = list(zip(*value, strict=True))
        if columns and all(type(number) is int for column in columns for number in column):
            # A difference between two points of a drawing takes one byte instead of three.
            return {_STEPS: [[now - before for before, now in pairwise([0, *column])] for column in columns]}
    return [to_columns(part) for part in value]


def from_columns(value: Any) -> Any:
    """Convert columns back to rows. This is the inverse of `to_columns`."""
    if isinstance(value, list):
        return [from_columns(part) for part in value]
    if not isinstance(value, dict):
        return value
    if _STEPS in value:
        return [list(row) for row in zip(*map(accumulate, value[_STEPS]), strict=True)]
    match value.get(_COLUMNS):
        case None:
            return {name: from_columns(part) for name, part in value.items()}
        case [words, places]:
            return [words[place] for place in places]
        case columns:
            read = {name: from_columns(part) for name, part in columns.items()}
            return [dict(zip(read, row, strict=True)) for row in zip(*read.values(), strict=True)]


def _pad(text: bytes, size: int) -> bytes:
    """Extend a text with zeros to `size` bytes, and put the text's original length in front.

    The result is then encrypted in a sealed snapshot. Without the zeros, the length of the sealed snapshot would reveal
    the length of the text.
    """
    if len(text) > size:
        raise AssertionError(f"{len(text)} bytes in a room for {size}")
    return _LENGTH.pack(len(text)) + text.ljust(size, b"\0")


def _unpad(padded: bytes) -> bytes:
    (length,) = _LENGTH.unpack_from(padded)
    return padded[_LENGTH.size : _LENGTH.size + length]


def _associated_data(head: bytes, game: str, ruleset: str, ply: int) -> bytes:
    return head + msgspec.json.encode([game, ruleset, ply])


def _hkdf(secret: bytes, salt: bytes, label: bytes, size: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=size, salt=salt, info=label).derive(secret)


def _encode_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode_base64(text: str) -> bytes:
    """Decode base64url without padding.

    Raise SnapshotError if `text` is not base64url. Raise it also if `_encode_base64` would convert the decoded bytes to
    a different text.
    """
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise SnapshotError("broken-seal") from None
    # No two texts are the same token.
    if _encode_base64(data) != text:
        raise SnapshotError("broken-seal")
    return data
