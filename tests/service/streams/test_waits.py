"""A wait tells whoever waits of news: at once, or, where a thread has news for many, at the end and once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.waiting import Wait, told_together


def waiting(told: list[str], name: str) -> Wait:
    """Return a wait of somebody who notes that there is news."""
    wait = Wait()
    wait.notify(lambda: told.append(name))
    return wait


def test_news_is_told_at_once() -> None:
    told = list[str]()
    wait = waiting(told, "one")
    wait.push(b"a")
    wait.push(b"b")
    wait.end()
    assert told == ["one"] * 3


def test_news_for_many_is_told_at_the_end_to_each_once_and_in_order() -> None:
    told = list[str]()
    one, other, third = (waiting(told, name) for name in ("one", "other", "third"))
    with told_together():
        one.push(b"a")
        other.push(b"b")
        one.push(b"c")
        third.end()
        assert not told
    assert told == ["one", "other", "third"]
    assert [wait.take() for wait in (one, other, third)] == [([b"a", b"c"], False), ([b"b"], False), ([], True)]
    one.push(b"d")
    assert told[3:] == ["one"]


def test_news_is_told_where_the_thread_fails() -> None:
    told = list[str]()
    wait = waiting(told, "one")

    def fail() -> None:
        with told_together():
            wait.push(b"a")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    wait.push(b"b")
    assert told == ["one"] * 2


def test_one_thread_that_tells_later_does_not_hold_others_back() -> None:
    told = list[str]()
    one, other = waiting(told, "one"), waiting(told, "other")
    with ThreadPoolExecutor(1) as pool, told_together():
        one.push(b"a")
        pool.submit(other.push, b"b").result()
        assert told == ["other"]
    assert told == ["other", "one"]
