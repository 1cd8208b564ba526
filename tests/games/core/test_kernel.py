"""The place of the core's modules shows the running kernel."""

from importlib.machinery import ModuleSpec

import pytest

from games.core.kernel import kernel


@pytest.mark.parametrize(
    ("origin", "kind"),
    [("/there/games/core/bits.py", "plain"), ("/there/games/core/bits.cpython-312-x86_64-linux-gnu.so", "compiled")],
)
def test_a_library_is_compiled_and_a_text_is_plain(monkeypatch: pytest.MonkeyPatch, origin: str, kind: str) -> None:
    found = ModuleSpec("games.core.bits", None, origin=origin)
    monkeypatch.setattr("importlib.util.find_spec", {"games.core.bits": found}.get)
    assert kernel() == kind


def test_where_there_are_no_games_none_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert kernel() == "plain"
