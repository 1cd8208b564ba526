"""The client for short commands: a connection is used if it is sound, and no command is sent twice."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from redis import Redis
from redis.connection import Connection
from redis.exceptions import DataError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.clients import commands, exchange

PATIENCE = 30.0
"""Seconds to wait for events that take milliseconds."""


@pytest.fixture
def client(redis_url: str) -> Iterator[Redis]:
    with commands(redis_url) as made:  # closed here, for the garbage collector may find its sockets before it
        yield made


def test_a_connection_closed_by_redis_is_replaced(client: Redis, redis_client: Redis) -> None:
    first = client.client_id()
    redis_client.client_kill_filter(_id=str(first))
    assert client.echo("here") == b"here"
    assert client.client_id() != first


def test_a_connection_with_an_unread_response_is_replaced(client: Redis) -> None:
    pool = client.connection_pool
    connection = pool.get_connection()
    connection.send_command("ECHO", "of somebody else")
    assert connection.can_read(PATIENCE)
    pool.release(connection)
    assert client.echo("mine") == b"mine"


def test_a_command_whose_answer_is_lost_is_not_sent_again(client: Redis, redis_client: Redis) -> None:
    client.ping()
    with (
        patch.object(Connection, "read_response", side_effect=RedisTimeoutError) as read,
        pytest.raises(RedisTimeoutError),
    ):
        client.incr("counted")
    assert read.call_count == 1
    assert client.echo("mine") == b"mine"  # and not the response to the request before
    assert redis_client.get("counted") == b"1"


def test_a_refused_command_leaves_its_connection_sound(client: Redis) -> None:
    first = client.client_id()
    client.set("text", "no number")
    with pytest.raises(ResponseError):
        client.incr("text")
    assert client.client_id() == first


def test_a_pool_holds_as_many_connections_as_are_used_at_once(client: Redis) -> None:
    pool = client.connection_pool
    one, other = pool.get_connection(), pool.get_connection()
    assert one is not other
    pool.release(one)
    pool.release(one)  # a second time is nothing
    assert pool.get_connection() is one
    assert pool.get_connection() not in {one, other}


def test_commands_of_several_words_and_parts_of_any_kind_are_packed(client: Redis) -> None:
    client.execute_command("CONFIG RESETSTAT")
    client.set("kept", memoryview(b"as it is"))
    assert client.mget("kept", b"kept") == [b"as it is"] * 2
    client.set("kept", 7)
    assert client.get("kept") == b"7"
    with pytest.raises(DataError):
        client.set("kept", {})  # type: ignore[arg-type]
    assert client.get("kept") == b"7"


def test_an_exchange_has_the_answers_in_their_order_and_errors_among_them(client: Redis) -> None:
    first = client.client_id()
    client.set("text", "no number")
    one, wrong, other = exchange(client, [("ECHO", "one"), ("INCR", "text"), ("ECHO", "other")])
    assert (one, other) == (b"one", b"other")
    assert isinstance(wrong, ResponseError)
    assert client.client_id() == first


def test_an_exchange_whose_answers_are_lost_is_not_made_again(client: Redis, redis_client: Redis) -> None:
    client.ping()
    answers = iter([b"1", RedisTimeoutError])
    with (
        patch.object(Connection, "read_response", side_effect=answers),
        pytest.raises(RedisTimeoutError),
    ):
        exchange(client, [("INCR", "counted"), ("INCR", "counted")])
    assert client.echo("mine") == b"mine"  # and not the response to the request before
    assert redis_client.get("counted") == b"2"
