"""The project's own checks find what they are there to find."""

import pytest

from tests import conftest
from tests.meanings import ambiguous
from tests.rule_trace import Trace, complaints
from tests.shifts import shifts

WHOLE = Trace(
    rules=frozenset({"AA-1", "AA-D1", "CC-1"}),
    due=frozenset({"AA-1", "AA-D1"}),
    code={"AA-1": ["games/a/table.py:3"], "AA-D1": ["games/a/table.py:9"]},
    elsewhere={"AA-1": ["games/a/texts/de.json:2"]},
    proven={"AA-1": ["tests/test_a.py::test_one"], "AA-D1": ["tests/test_a.py::test_two"]},
)


def changed(**parts: object) -> Trace:
    fields = {name: getattr(WHOLE, name) for name in Trace.__slots__}
    return Trace(**{**fields, **parts})


def test_a_whole_trace_has_no_complaints_nor_has_a_game_that_is_not_registered() -> None:
    assert complaints(WHOLE) == []


@pytest.mark.parametrize(
    ("trace", "complaint"),
    [
        pytest.param(changed(code={"AA-1": ["x:1"]}), "AA-D1: no code cites it", id="a rule without code"),
        pytest.param(changed(proven={"AA-D1": ["t"]}), "AA-1: no test proves it", id="a rule without test"),
        pytest.param(
            changed(code={**WHOLE.code, "AA-2": ["games/a/table.py:4"]}),
            "AA-2: is no rule, but cited in games/a/table.py:4",
            id="code that cites nothing",
        ),
        pytest.param(
            changed(code={**WHOLE.code, "BB-1": ["games/b/table.py:4"]}),
            "BB-1: is no rule, but cited in games/b/table.py:4",
            id="code that cites a game that does not exist",
        ),
        pytest.param(
            changed(elsewhere={"AA-7": ["games/a/texts/it.json:5"]}),
            "AA-7: is no rule, but cited in games/a/texts/it.json:5",
            id="a text that cites nothing",
        ),
        pytest.param(
            changed(proven={**WHOLE.proven, "AA-D2": ["tests/test_a.py::test_three"]}),
            "AA-D2: is no rule, but tests/test_a.py::test_three says it proves it",
            id="a test that proves nothing",
        ),
    ],
)
def test_the_trace_complains_of(trace: Trace, complaint: str) -> None:
    assert complaints(trace) == [complaint]


@pytest.mark.parametrize("line", ["x = a << 1", "x = a >> b", "x <<= 1", "x >>= 1", "return f(1 | (2 << a))"])
def test_the_shift_lint_finds(line: str) -> None:
    assert shifts(f"def f(a, b, x):\n    {line}\n") == [2]


def test_the_lint_of_meanings_finds_a_class_defined_twice_and_a_constant_of_two_values() -> None:
    one, other = "class A: ...\nLIMIT = 1\nSAME = 2\n", "class A: ...\nLIMIT: int = 3\nSAME = 2\n_OWN = 1\n"
    found = ["a.py:1: A", "b.py:1: A", "a.py:2: LIMIT", "b.py:2: LIMIT"]
    assert ambiguous({"a.py": one, "b.py": other}) == [f"{place} has two meanings" for place in found]


SKIPPING = {
    "a skipped test": "import pytest\ndef test_it(): pytest.skip('because')",
    "a test marked as skipped": "import pytest\n@pytest.mark.skip\ndef test_it(): pass",
    "a skipped module": "import pytest\npytest.skip('because', allow_module_level=True)",
}


@pytest.mark.parametrize("source", SKIPPING.values(), ids=SKIPPING)
@pytest.mark.parametrize(("setting", "code"), [("1", 1), ("", 0)], ids=["fails if none may be", "else is skipped"])
def test_a_skip(
    source: str, setting: str, code: int, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(conftest.NO_SKIPS, setting)
    pytester.makepyfile(source)
    result = pytester.inline_run("-p", "tests.conftest")
    assert result.ret in ({1, 2} if code else {0, 5})
