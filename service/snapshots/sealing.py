"""Sealed snapshots: whoever holds one can neither read nor change it, and one seat's key opens that seat's view.

A token is base64url of a head (version, id of the sealing key, expiry, salt) and of what AES-256-GCM makes of the table
and its secret. Each token has a key and nonce of its own, drawn from the sealing key and the salt by HKDF; head, game,
ruleset and ply are authenticated with it. What is encrypted is padded to one length for a game and number of seats, and
compressed by nothing. The table's secret travels inside; under it, each by a label of its own, stand the seats' keys
and the table's chance, so they outlive a rotation of the sealing keys. Why: docs/decisions/031.
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
"""How much content of its own a seat may bring to a sealed table, in a game that knows such moves."""

OWN_MOVE_BYTES: Final = 64
"""What a move with content of its own counts for besides that content."""

FRAME_BYTES: Final = 256
"""More than all that is sealed with a record."""

_VERSION: Final = 1
_SECRET_BYTES: Final = 32
_ID_BYTES: Final = 16
_HEAD: Final = struct.Struct(">B4sQ16s")
_LENGTH: Final = struct.Struct(">I")
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_COLUMNS: Final = ""
_STEPS: Final = " "
"""Names that no field has, under which columns stand, and columns of numbers as steps from one to the next."""

_FEW: Final = 4
"""Rows of numbers that are shorter as they are."""


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """What is sealed with a table besides the truth: its secret, and how much content each seat has brought.

    `state_id` names the state of a fresh table, which takes no move but at its latest state; "" at all others.
    """

    secret: bytes
    spent: tuple[int, ...]
    state_id: str = ""

    @property
    def table_id(self) -> str:
        """Return what names a fresh table in the store, and tells nothing of it."""
        return self._id_of("snapshot/fresh/table")

    @property
    def seed(self) -> str:
        """Return the seed of the table's chance."""
        return derived(self.secret, "snapshot/chance").hex()

    def seat_key(self, seat: int) -> str:
        """Return the key of a seat, the same as long as the table is played."""
        return _encode_base64(derived(self.secret, f"snapshot/seat/{seat}"))

    def admits(self, seat: int, key: str) -> bool:
        """Return whether a key is that of a seat, in a time that tells nothing of it."""
        return hmac.compare_digest(self.seat_key(seat).encode(), key.encode())

    def after(self, game: Game, seat: int, move: Move) -> Seal:
        """Return the seal after a seat's move; raise SnapshotError where its content exceeds the seat's room.

        No more is looked at than what this seat has brought, so the answer tells nothing of what others have.
        """
        packed, spent = _pack(msgspec.to_builtins(move)), list(self.spent)
        if game.brings_content(move):
            spent[seat] += len(packed) + OWN_MOVE_BYTES
            if spent[seat] > OWN_BYTES:
                raise SnapshotError("own-content-spent", limit=OWN_BYTES)
        label = f"snapshot/fresh/{self.state_id}/{seat}/{packed.hex()}"
        return Seal(secret=self.secret, spent=tuple(spent), state_id=self.state_id and self._id_of(label))

    def fresh(self) -> Seal:
        """Return the seal of a new table that takes no move but at its latest state."""
        return Seal(secret=self.secret, spent=self.spent, state_id=self._id_of("snapshot/fresh/first"))

    def _id_of(self, label: str) -> str:
        return derived(self.secret, label)[:_ID_BYTES].hex()


class _Inside(msgspec.Struct, frozen=True, kw_only=True):
    """What is sealed."""

    ply: int
    seal: Seal
    table: Any


@dataclass(frozen=True, slots=True, repr=False)
class SealingKey:
    """A secret that seals and opens; its id, which every token names, follows from it."""

    id: bytes
    secret: bytes

    @classmethod
    def of(cls, secret: str) -> SealingKey:
        """Take a secret of the operator's."""
        return cls(_hkdf(secret.encode(), b"", b"snapshot/key-id", 4), secret.encode())

    def cipher(self, salt: bytes) -> tuple[AESGCM, bytes]:
        """Return the cipher and the nonce of the one token with this salt."""
        both = _hkdf(self.secret, salt, b"snapshot/seal", _KEY_BYTES + _NONCE_BYTES)
        return AESGCM(both[:_KEY_BYTES]), both[_KEY_BYTES:]


@dataclass(frozen=True, slots=True)
class Sealer:
    """Seals with the first of its keys and opens with any; a token counts for `life_ms`."""

    keys: tuple[SealingKey, ...]
    life_ms: int
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    entropy: Callable[[int], bytes] = secrets.token_bytes

    @classmethod
    def of(cls, given: Sequence[str], life_ms: int) -> Sealer:
        """Take the operator's secrets, the one that seals first; raise ValueError where two have one id."""
        keys = tuple(SealingKey.of(secret) for secret in given)
        if len({key.id for key in keys}) < len(keys):
            raise ValueError("a key of sealed snapshots stands there twice")
        return cls(keys, life_ms)

    def fresh(self, seats: int) -> Seal:
        """Return the seal of a new table."""
        return Seal(secret=self.entropy(_SECRET_BYTES), spent=(0,) * seats)

    def seal(self, game: Game, table: Table, seal: Seal) -> SealedSnapshot:
        """Seal a table; the frame says no more of it than spectators know."""
        ply = game.view(table, SPECTATOR).ply
        inside = _Inside(ply=table.ply, seal=seal, table=to_columns(msgspec.to_builtins(game.write(table))))
        clear = _pad(msgspec.msgpack.encode(inside), padded_size(game, table.seats))
        key, salt = self.keys[0], self.entropy(_SALT_BYTES)
        head = _HEAD.pack(_VERSION, key.id, self.now() + self.life_ms, salt)
        cipher, nonce = key.cipher(salt)
        text = cipher.encrypt(nonce, clear, _associated_data(head, game.slug, game.ruleset, ply))
        return SealedSnapshot(
            game=game.slug, ruleset=game.ruleset, ply=ply, sealed=True, token=_encode_base64(head + text)
        )

    def unseal(self, sealed: SealedSnapshot) -> tuple[Snapshot, Seal]:
        """Decrypt a snapshot, for this process only; raise SnapshotError for a broken, unknown or expired seal.

        What was sealed and is no table is a broken snapshot.
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
            # Nobody but a service with this key has sealed it, perhaps of another version.
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
    """Return until when, in milliseconds since 1970, a snapshot counts that was sealed or opened here."""
    _, _, expires, _ = _HEAD.unpack(_decode_base64(sealed.token)[: _HEAD.size])
    return int(expires)


def padded_size(game: Game, seats: int) -> int:
    """Return how many bytes are sealed, whatever they say: one number for a game and number of seats."""
    return FRAME_BYTES + game.record_bytes + (seats * OWN_BYTES if game.open_moves else 0)


def packed_size(record: Record) -> int:
    """Return how many bytes a record takes in a token; never more than its game says, and what its seats brought."""
    return len(_pack(msgspec.to_builtins(record)))


def _pack(value: Any) -> bytes:
    return msgspec.msgpack.encode(to_columns(value))


def to_columns(value: Any) -> Any:
    """Write rows as columns: words as places in a list of them, so that each stands once, and numbers as steps.

    A step from point to point of a drawing takes a byte where a number takes three. That is what keeps a long table
    within its bound; how much it saves changes no length that anybody sees.
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
    if len(value) > _FEW and all(isinstance(row, list | tuple) and len(row) == len(value[0]) for row in value):
        columns = list(zip(*value, strict=True))
        if columns and all(type(number) is int for column in columns for number in column):
            return {_STEPS: [[now - before for before, now in pairwise([0, *column])] for column in columns]}
    return [to_columns(part) for part in value]


def from_columns(value: Any) -> Any:
    """Read what `to_columns` has written."""
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
    """Return a text with its length and zeros up to a size; no table is larger than its game says."""
    if len(text) > size:
        raise AssertionError(f"{len(text)} bytes in a room for {size}")
    return _LENGTH.pack(len(text)) + text.ljust(size, b"\0")


def _unpad(padded: bytes) -> bytes:
    (length,) = _LENGTH.unpack_from(padded)
    return padded[_LENGTH.size : _LENGTH.size + length]


def _associated_data(head: bytes, game: str, ruleset: str, ply: int) -> bytes:
    """Return what is not encrypted and yet cannot be changed."""
    return head + msgspec.json.encode([game, ruleset, ply])


def _hkdf(secret: bytes, salt: bytes, label: bytes, size: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=size, salt=salt, info=label).derive(secret)


def _encode_base64(data: bytes) -> str:
    """Write bytes as base64url."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode_base64(text: str) -> bytes:
    """Read base64url; raise SnapshotError for anything that `_encode_base64` would have written in another way."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise SnapshotError("broken-seal") from None
    if _encode_base64(data) != text:
        raise SnapshotError("broken-seal")
    return data
