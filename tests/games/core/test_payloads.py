"""Payloads of all games: bounds that every client can read."""

import msgspec
import pytest

from games.core.payloads import Draw, Drawn


@pytest.mark.parametrize("value", [0, 2**31 - 1, -(2**31) + 1, "six", ""])
def test_a_drawn_value_is_a_name_or_a_number_of_32_bits(value: int | str) -> None:
    assert msgspec.convert({"what": "die", "value": value}, Draw).value == value
    assert msgspec.convert(value, Drawn) == value


@pytest.mark.parametrize("value", [2**31, -(2**31), 2**63, 1.5, None])
def test_no_other_value_is_drawn(value: float | None) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"what": "die", "value": value}, Draw)
