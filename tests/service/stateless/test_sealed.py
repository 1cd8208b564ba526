"""Sealed snapshots: secret, unchangeable, of one length; a seat's key opens what the seat knows and nothing else."""

import base64
import hashlib
import io
import json
from contextlib import redirect_stderr
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient

from games.core.dice import FastDice
from games.core.seeds import derived
from service.http.context import AppContext
from service.sessions.chance import move_dice, session_key, set_up_dice
from service.settings import Settings
from service.snapshots import sealing
from service.snapshots.errors import SnapshotError
from service.snapshots.records import SealedSnapshot
from service.snapshots.sealing import Sealer, SealingKey
from service.telemetry import logs
from tests.service.kit import PEBBLES, application
from tests.toy import GAME
from tests.toy.game import BidPebbles, TakePebbles, Toy

OLD, NEW = "an old secret of the operator's own", "a new secret of the operator's own"
NOON = 1_800_000_000_000
DAY = 86_400_000
DIGEST = "e6d0a29da877f52b881b95d87f0e40a185c2cc93f884c551bf8675e887e5eb9f"
OPERATIONS = ("views", "legal-moves", "moves", "pictures")


def create_sealed(client: FlaskClient, seats: int = 2, **options: int) -> tuple[dict[str, Any], list[str]]:
    answer = client.post(f"{PEBBLES}/snapshots?sealed=true", json={"seat_count": seats, "options": options})
    assert answer.status_code == 201, answer.text
    assert answer.json is not None
    assert answer.headers["Cache-Control"] == "no-store"
    assert [entry["seat"] for entry in answer.json["seat_keys"]] == list(range(seats))
    return answer.json["snapshot"], [entry["key"] for entry in answer.json["seat_keys"]]


def body_of(operation: str, snapshot: dict[str, Any], seat: int | None) -> dict[str, Any]:
    move = {"move": {"kind": "bid_pebbles", "amount": 1}} if operation == "moves" else {}
    return {"snapshot": snapshot, "seat": seat, **move}


def request_code(client: FlaskClient, operation: str, body: dict[str, Any], key: str | None) -> tuple[int, str | None]:
    answer = client.post(f"{PEBBLES}/{operation}", json=body, headers={} if key is None else {"Seat-Key": key})
    return answer.status_code, answer.json.get("code") if answer.json else None


def bid(client: FlaskClient, snapshot: dict[str, Any], seat: int, key: str, amount: int) -> dict[str, Any]:
    body = {"snapshot": snapshot, "seat": seat, "move": {"kind": "bid_pebbles", "amount": amount}}
    answer = client.post(f"{PEBBLES}/moves", json=body, headers={"Seat-Key": key})
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json or {}
    return said


@pytest.fixture
def sealer() -> Sealer:
    return replace(Sealer.of([OLD], DAY), now=lambda: NOON)


def a_token(sealer: Sealer) -> SealedSnapshot:
    return sealer.seal(GAME, GAME.new(2, GAME.options_type(), FastDice(1)), sealer.fresh(2))


def refusal(sealer: Sealer, snapshot: SealedSnapshot) -> str | None:
    """Return the reason why a snapshot cannot be opened, or None if it can."""
    try:
        sealer.unseal(snapshot)
    except SnapshotError as problem:
        return problem.code
    return None


# Whose key opens what.


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_seat_needs_its_own_key_of_this_very_table(pebbles: FlaskClient, operation: str) -> None:
    snapshot, keys = create_sealed(pebbles)
    _, others = create_sealed(pebbles)
    body = body_of(operation, snapshot, 0)
    assert request_code(pebbles, operation, body, keys[0]) == (200, None)
    assert request_code(pebbles, operation, body, None) == (401, "seat-key-needed")
    for wrong in (keys[1], others[0], "", "x", keys[0][:-1], f"{keys[0]}A", keys[0].swapcase(), "\xe4"):
        assert request_code(pebbles, operation, body, wrong) == (403, "wrong-seat-key"), wrong


def test_a_refusal_names_the_required_key(pebbles: FlaskClient) -> None:
    answer = pebbles.post(f"{PEBBLES}/views", json=body_of("views", create_sealed(pebbles)[0], 0))
    assert answer.headers["WWW-Authenticate"] == 'Seat-Key realm="snapshot"'


@pytest.mark.parametrize("operation", ["views", "pictures"])
def test_spectators_need_no_key_and_no_key_shows_them_more(pebbles: FlaskClient, operation: str) -> None:
    snapshot, keys = create_sealed(pebbles)
    body = body_of(operation, snapshot, None)
    bare = pebbles.post(f"{PEBBLES}/{operation}", json=body)
    keyed = pebbles.post(f"{PEBBLES}/{operation}", json=body, headers={"Seat-Key": keys[0]})
    assert bare.status_code == 200
    assert bare.data == keyed.data


def test_a_seat_that_the_table_has_not_has_no_key(pebbles: FlaskClient) -> None:
    snapshot, keys = create_sealed(pebbles)
    assert request_code(pebbles, "views", body_of("views", snapshot, 2), keys[0]) == (422, "invalid-body")


# Texts.


def test_sealed_answers_are_told_to_nobody_else(pebbles: FlaskClient) -> None:
    snapshot, keys = create_sealed(pebbles)
    before = pebbles.post(f"{PEBBLES}/views", json={"snapshot": snapshot, "seat": 1}, headers={"Seat-Key": keys[1]})
    told = [bid(pebbles, snapshot, 0, keys[0], amount) for amount in (0, 2)]
    for answer in told:
        assert answer["actors"] == [0, 1], "the seats that were asked, whoever has answered"
        assert answer["snapshot"]["ply"] == snapshot["ply"] == 0, "what spectators know"
        assert "draws" not in answer
        assert all("hearers" not in event for event in answer["events"])
        seen = pebbles.post(
            f"{PEBBLES}/views", json={"snapshot": answer["snapshot"], "seat": 1}, headers={"Seat-Key": keys[1]}
        )
        assert seen.data == before.data
    assert len({len(json.dumps(answer)) for answer in told}) == 1
    mine = [answer["events"][0]["event"]["amount"] for answer in told]
    assert mine == [0, 2]


def test_events_are_those_that_the_seat_hears(pebbles: FlaskClient) -> None:
    snapshot, keys = create_sealed(pebbles)
    second = bid(pebbles, bid(pebbles, snapshot, 0, keys[0], 1)["snapshot"], 1, keys[1], 2)
    kinds = [event["event"]["kind"] for event in second["events"]]
    assert kinds == ["pebble_bid_given", "pebble_bids_opened"], "the own bid, and what all hear"
    assert second["events"][0]["event"]["seat"] == 1


def test_checking_a_move_gives_the_same_snapshot_back(pebbles: FlaskClient) -> None:
    snapshot, keys = create_sealed(pebbles)
    answer = pebbles.post(
        f"{PEBBLES}/moves?validate_only=true", json=body_of("moves", snapshot, 0), headers={"Seat-Key": keys[0]}
    )
    assert answer.json is not None
    assert (answer.json["snapshot"], answer.json["events"]) == (snapshot, [])
    assert "draws" not in answer.json


def test_a_sealed_table_is_played_to_its_end_by_its_keys(pebbles: FlaskClient) -> None:
    snapshot, keys = create_sealed(pebbles, 3)
    lengths = {len(snapshot["token"])}
    answer: Any
    for seat in range(3):
        answer = bid(pebbles, snapshot, seat, keys[seat], 0)
        snapshot = answer["snapshot"]
    while "outcome" not in answer:
        (seat,) = answer["actors"]
        body = {"snapshot": snapshot, "seat": seat}
        listed: Any = pebbles.post(f"{PEBBLES}/legal-moves", json=body, headers={"Seat-Key": keys[seat]}).json
        body["move"] = {"code": listed["moves"][-1]["code"]}
        answer = pebbles.post(f"{PEBBLES}/moves", json=body, headers={"Seat-Key": keys[seat]}).json
        snapshot = answer["snapshot"]
        lengths.add(len(snapshot["token"]))
    assert sum(answer["outcome"]["rewards"]) == 1
    assert len(lengths) == 1


def test_the_table_and_its_chance_are_in_no_answer(pebbles: FlaskClient) -> None:
    answer = pebbles.post(f"{PEBBLES}/snapshots?sealed=true", json={"seat_count": 2})
    assert answer.json is not None
    assert answer.json.keys() == {"snapshot", "actors", "events", "seat_keys", "expires_at"}
    assert answer.json["snapshot"].keys() == {"game", "ruleset", "ply", "sealed", "token"}


def test_neither_keys_nor_tokens_stand_in_the_log(pebbles_app: Flask) -> None:
    logged = io.StringIO()
    with redirect_stderr(logged):
        logs.configure("debug")
        snapshot, keys = create_sealed(pebbles_app.test_client())
        for operation in OPERATIONS:
            for key in (keys[0], keys[1]):
                request_code(pebbles_app.test_client(), operation, body_of(operation, snapshot, 0), key)
        logs.configure("critical")
    assert "views" in logged.getvalue()
    for secret in (*keys, snapshot["token"][40:80]):
        assert secret not in logged.getvalue()


# Nothing can be changed.


def test_every_bit_of_a_token_counts(sealer: Sealer) -> None:
    snapshot = a_token(sealer)
    data = base64.urlsafe_b64decode(snapshot.token + "=" * (-len(snapshot.token) % 4))
    for place in range(len(data)):
        for bit in range(8):
            changed = data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
            token = base64.urlsafe_b64encode(changed).rstrip(b"=").decode()
            found = refusal(sealer, msgspec.structs.replace(snapshot, token=token))
            assert found == ("unknown-sealing-key" if 1 <= place < 5 else "broken-seal"), (place, bit)


@pytest.mark.parametrize("version", [0, 2])
def test_a_token_of_another_version_is_broken_whatever_key_it_names(sealer: Sealer, version: int) -> None:
    snapshot = a_token(sealer)
    data = base64.urlsafe_b64decode(snapshot.token + "=" * (-len(snapshot.token) % 4))
    assert data[0] == 1
    token = base64.urlsafe_b64encode(bytes([version]) + b"none" + data[5:]).rstrip(b"=").decode()
    assert refusal(sealer, msgspec.structs.replace(snapshot, token=token)) == "broken-seal"


def test_every_character_of_a_token_counts(sealer: Sealer) -> None:
    snapshot = a_token(sealer)
    token = snapshot.token
    for place in range(len(token)):
        for other in {chr(ord(token[place]) ^ 1), "=", "A", "_", "/", " ", "\xe4"} - {token[place]}:
            changed = token[:place] + other + token[place + 1 :]
            assert refusal(sealer, msgspec.structs.replace(snapshot, token=changed)), (place, other)
    for changed in ("", "A", token[:-1], token[1:], f"{token}A", f"{token}=", f"{token}AAAA", f" {token}", token * 2):
        assert refusal(sealer, msgspec.structs.replace(snapshot, token=changed)), changed[:9]
    other = a_token(sealer).token
    for cut in range(20, len(token), 4):  # all before is the same in both: version, key and expiry
        assert refusal(sealer, msgspec.structs.replace(snapshot, token=token[:cut] + other[cut:])) == "broken-seal"


@pytest.mark.parametrize(
    "change", [{"ply": 1}, {"ruleset": "pebbles/2"}, {"ruleset": ""}, {"game": "wichtel"}], ids=str
)
def test_the_frame_belongs_to_the_token(sealer: Sealer, change: dict[str, Any]) -> None:
    assert refusal(sealer, msgspec.structs.replace(a_token(sealer), **change)) == "broken-seal"


def test_a_broken_seal_is_told_before_whose_key_it_is(pebbles: FlaskClient) -> None:
    snapshot, keys = create_sealed(pebbles)
    broken = {**snapshot, "token": snapshot["token"][::-1]}
    for seat, key in ((0, keys[0]), (0, keys[1]), (0, "x"), (None, None)):
        status, code = request_code(pebbles, "views", body_of("views", broken, seat), key)
        assert (status, code in {"broken-seal", "unknown-sealing-key"}) == (422, True)


def test_a_table_sealed_under_another_ruleset_is_refused_as_such(pebbles: FlaskClient) -> None:
    class Later(Toy):
        ruleset = "pebbles/2"

    house = pebbles.application.extensions["context"]
    later = application({"pebbles": Later()})
    later.extensions["context"].sealer = house.sealer
    snapshot, keys = create_sealed(pebbles)
    renamed = {**snapshot, "ruleset": "pebbles/2"}
    for operation in OPERATIONS:
        said = [
            request_code(later.test_client(), operation, body_of(operation, s, 0), keys[0]) for s in (snapshot, renamed)
        ]
        assert said == [(422, "unknown-ruleset"), (422, "broken-seal")]


# Keys of the operator.


def test_the_first_key_seals_and_every_key_opens(sealer: Sealer) -> None:
    old = a_token(sealer)
    both = replace(Sealer.of([NEW, OLD], DAY), now=lambda: NOON)
    new = a_token(both)
    assert (refusal(both, old), refusal(both, new)) == (None, None)
    assert refusal(sealer, new) == "unknown-sealing-key"
    retired = replace(both, keys=both.keys[:1])
    assert (refusal(retired, new), refusal(retired, old)) == (None, "unknown-sealing-key")


def test_a_table_and_its_seats_keys_outlive_a_rotation(sealer: Sealer) -> None:
    opened, seal = sealer.unseal(a_token(sealer))
    both = replace(Sealer.of([NEW, OLD], DAY), now=lambda: NOON)
    again, after = both.unseal(both.seal(GAME, GAME.read(msgspec.convert(opened.table, GAME.record_type)), seal))
    assert (again, after) == (opened, seal)
    assert [seal.seat_key(seat) for seat in range(2)] == [after.seat_key(seat) for seat in range(2)]


def test_another_key_under_the_same_id_opens_nothing(sealer: Sealer) -> None:
    other = SealingKey(sealer.keys[0].id, NEW.encode())
    assert refusal(replace(sealer, keys=(other,)), a_token(sealer)) == "broken-seal"


def test_a_token_counts_until_it_expires(sealer: Sealer) -> None:
    snapshot = a_token(sealer)
    assert sealing.expiry(snapshot) == NOON + DAY
    assert refusal(replace(sealer, now=lambda: NOON + DAY - 1), snapshot) is None
    for at in (NOON + DAY, NOON + DAY + 1, NOON + 2 * DAY):
        assert refusal(replace(sealer, now=partial(int, at)), snapshot) == "seal-expired"


def test_keys_that_can_be_guessed_or_stand_there_twice_are_refused() -> None:
    with pytest.raises(ValueError, match="32 characters"):
        Settings(snapshot_keys=("short",))
    with pytest.raises(ValueError, match="twice"):
        Sealer.of([OLD, OLD], DAY)


def test_the_service_s_secret_is_the_key_where_no_others_are_named() -> None:
    def of(**settings: Any) -> Sealer:
        return replace(AppContext(Settings(**settings), {"pebbles": GAME}).sealer, now=lambda: NOON)

    before = of(secret_key=OLD)
    after = of(snapshot_keys=(NEW, OLD))
    assert refusal(after, a_token(before)) is None
    assert refusal(before, a_token(after)) == "unknown-sealing-key"


def test_keys_come_from_the_environment_and_none_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAPSHOT_KEYS", f"{NEW}, {OLD}")
    assert Settings.from_env().snapshot_keys == (NEW, OLD)
    monkeypatch.setenv("SNAPSHOT_KEYS", "")
    assert Settings.from_env().snapshot_keys == ()


def test_settings_show_no_key() -> None:
    assert NEW not in repr(Settings(snapshot_keys=(NEW,)))
    assert NEW not in repr(Sealer.of([NEW], DAY))


# Keys under labels of their own.


def test_no_key_is_another() -> None:
    secret = bytes(range(32))
    seal = sealing.Seal(secret=secret, spent=(0, 0))
    key = session_key(secret, "session")
    found = [
        seal.seed,
        *(seal.seat_key(seat) for seat in range(6)),
        derived(seal.seed.encode(), "snapshot/set-up").hex(),
        derived(seal.seed.encode(), "snapshot/moves").hex(),
        derived(secret, "snapshot/set-up").hex(),
        derived(secret, "snapshot/moves").hex(),
        set_up_dice(secret.hex()).key.hex(),
        move_dice(secret.hex(), 0).key.hex(),
        set_up_dice(key.hex()).key.hex(),
        move_dice(key.hex(), 0).key.hex(),
        secret.hex(),
        key.hex(),
    ]
    assert len(set(found)) == len(found)


def test_two_tokens_of_one_table_have_nothing_in_common(sealer: Sealer) -> None:
    opened, seal = sealer.unseal(a_token(sealer))
    table = GAME.read(msgspec.convert(opened.table, GAME.record_type))
    one, other = (base64.urlsafe_b64decode(sealer.seal(GAME, table, seal).token + "==") for _ in range(2))
    assert one[:13] == other[:13], "version, key and expiry"
    same = sum(a == b for a, b in zip(one[13:], other[13:], strict=True))
    assert same < len(one) // 16


@pytest.mark.parametrize("length", [0, 1, 29, 30])
def test_a_text_of_any_length_up_to_the_room_is_padded_to_it(length: int) -> None:
    text = bytes(range(1, length + 1))
    padded = sealing._pad(text, 30)
    assert len(padded) == len(sealing._pad(b"", 30))
    assert sealing._unpad(padded) == text
    with pytest.raises(AssertionError, match="31 bytes in a room for 30"):
        sealing._pad(bytes(31), 30)


@pytest.mark.parametrize("length", range(9))
def test_bytes_of_any_length_are_read_back(length: int) -> None:
    assert sealing._decode_base64(sealing._encode_base64(bytes(range(length)))) == bytes(range(length))


# Columns.


@pytest.mark.parametrize(
    "value",
    [
        [[place, 1_000 + place] for place in range(100)],
        [[place] * (place % 2 + 1) for place in range(9)],
        [[1, 2], [3], [4], [5], [6]],
        [[1], [2, 3], [4, 5], [6, 7], [8, 9]],
        [[]] * 9,
        [[1, 2.5]] * 9,
        [{"word": "lime"}, {"word": "oak"}],
        [{"word": "lime"}, {"word": "oak", "number": 2}],
        [{"word": "lime", "number": 1}, {"word": "oak"}],
    ],
    ids=str,
)
def test_columns_read_back_as_rows(value: list[Any]) -> None:
    columns = msgspec.msgpack.encode(sealing.to_columns(value))
    assert sealing.from_columns(msgspec.msgpack.decode(columns)) == value
    assert len(columns) <= len(msgspec.msgpack.encode(value)) + 16


@pytest.mark.parametrize(
    ("value", "columns"),
    [
        ([[1, 2], [3, 5], [4, 4], [9, 0]], [[1, 2], [3, 5], [4, 4], [9, 0]]),
        ([[1, 2], [3, 5], [4, 4], [9, 0], [9, 1]], {" ": [[1, 2, 1, 5, 0], [2, 3, -1, -4, 1]]}),
        ([[True, 2]] * 5, [[True, 2]] * 5),
        (["lime", "oak", "lime"], {"": [["lime", "oak"], [0, 1, 0]]}),
        ([{"word": "oak", "number": 2}] * 2, {"": {"word": {"": [["oak"], [0, 0]]}, "number": [2, 2]}}),
        ([{}, {}], [{}, {}]),
        ({"rows": [{"word": 1}, {"name": 1}]}, {"rows": [{"word": 1}, {"name": 1}]}),
    ],
    ids=str,
)
def test_rows_become_columns_or_steps(value: object, columns: object) -> None:
    assert sealing.to_columns(value) == columns
    assert sealing.from_columns(columns) == value


def test_a_token_is_written_as_by_earlier_releases_which_still_have_to_open_it() -> None:
    """During a rolling update, both releases run. A deliberate change of the token needs a new version."""
    made = count(1)
    sealer = Sealer((SealingKey.of(OLD),), DAY, lambda: NOON, lambda size: bytes([next(made)]) * size)
    seal = sealer.fresh(2).fresh()
    table = GAME.new(2, GAME.options_type(), FastDice(5))
    after = seal.after(GAME, 1, BidPebbles(amount=2))
    names = [seal.seed, seal.table_id, seal.state_id, after.state_id, *(seal.seat_key(seat) for seat in range(2))]
    written = " ".join([sealer.seal(GAME, table, seal).token, *names])
    assert hashlib.sha256(written.encode()).hexdigest() == DIGEST


def test_steps_take_less_room_than_points() -> None:
    line = [[20_000 + place, 30_000 - 2 * place] for place in range(100)]
    assert 2 * len(msgspec.msgpack.encode(sealing.to_columns(line))) < len(msgspec.msgpack.encode(line))


def test_rows_that_have_the_same_names_take_each_name_once() -> None:
    rows = [{"word": "lime", "number": number} for number in range(100)]
    assert 4 * len(msgspec.msgpack.encode(sealing.to_columns(rows))) < len(msgspec.msgpack.encode(rows))


@pytest.mark.parametrize(
    "inside", [{"": 5}, {"": [["lime"], [7]]}, {"+": 5}, {"+": [[1], [2, 3]]}, {"": {"word": 5}}], ids=str
)
def test_foreign_seals_are_broken(sealer: Sealer, monkeypatch: pytest.MonkeyPatch, inside: dict[str, Any]) -> None:
    names = {"": sealing._COLUMNS, "+": sealing._STEPS}
    monkeypatch.setattr(sealing, "to_columns", lambda _: {names[name]: value for name, value in inside.items()})
    assert refusal(sealer, a_token(sealer)) == "broken-snapshot"


# Content of the players' own.


@pytest.fixture
def wordy(monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """Return a client of Pebbles in which taking is content of one's own, and of that there is room for two moves."""

    class Wordy(Toy):
        open_moves = (TakePebbles,)

    monkeypatch.setattr(sealing, "OWN_BYTES", 200)
    return application({"pebbles": Wordy()}).test_client()


def test_a_seat_may_fill_its_room_to_the_last_byte(sealer: Sealer, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wordy(Toy):
        open_moves = (TakePebbles,)

    game, seal, move = Wordy(), sealer.fresh(2), TakePebbles(amount=1)
    packed = len(sealing._pack(msgspec.to_builtins(move)))
    monkeypatch.setattr(sealing, "OWN_MOVE_BYTES", packed)
    (spent, _) = seal.after(game, 0, move).spent
    assert spent == 2 * packed
    room = [sealing.padded_size(game, seats) for seats in (2, 3)]
    assert [room[0] - sealing.padded_size(GAME, 2), room[1] - room[0]] == [2 * sealing.OWN_BYTES, sealing.OWN_BYTES]
    monkeypatch.setattr(sealing, "OWN_BYTES", 2 * spent)
    full = seal.after(game, 0, move).after(game, 0, move)
    assert full.spent == (2 * spent, 0)
    with pytest.raises(SnapshotError):
        full.after(game, 0, move)


def test_a_seat_runs_out_of_room_by_its_own_content_alone(wordy: FlaskClient) -> None:
    snapshot, keys = create_sealed(wordy, heap=30)
    for seat, amount in enumerate((2, 2)):
        snapshot = bid(wordy, snapshot, seat, keys[seat], amount)["snapshot"]

    def take(seat: int, query: str = "") -> Any:
        body = {"snapshot": snapshot, "seat": seat, "move": {"kind": "take_pebbles", "amount": 1}}
        return wordy.post(f"{PEBBLES}/moves{query}", json=body, headers={"Seat-Key": keys[seat]})

    shown: Any = wordy.post(f"{PEBBLES}/views", json={"snapshot": snapshot, "seat": None}).json
    first, lengths = shown["turn"], set()
    for seat in (first, 1 - first) * 2:
        answer = take(seat)
        assert answer.status_code == 200, answer.text
        snapshot = answer.json["snapshot"]
        lengths.add(len(snapshot["token"]))
    assert len(lengths) == 1
    for query in ("", "?validate_only=true"):
        answer = take(first, query)
        assert (answer.status_code, answer.json["code"]) == (422, "own-content-spent")
    body = {"snapshot": snapshot, "seat": first}
    listed: Any = wordy.post(f"{PEBBLES}/legal-moves", json=body, headers={"Seat-Key": keys[first]}).json
    played = {
        **body,
        "move": next(entry["move"] for entry in listed["moves"] if entry["move"]["kind"] != "take_pebbles"),
    }
    assert request_code(wordy, "moves", played, keys[first]) == (200, None), "all else goes on"
