"""A small service survives short grey faults of two kinds; `dev.py soak --grey` has all kinds."""

from collections.abc import Iterator

import pytest

from tests.grey.episodes import Stage, stage
from tests.grey.faults import FAULTS

SECONDS = 1.0
SHORT = ("clock an hour back: worker play", "packets late and lost: host store")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("grey"), seed=1, queues=("play",)) as made:
        yield made
    assert made.traffic.notes.complaints == []
    assert made.traffic.acknowledged


@pytest.mark.thorough
@pytest.mark.parametrize("name", SHORT)
def test_a_short_fault_has_no_violation(small: Stage, name: str) -> None:
    kind, _, component = name.partition(": ")
    (fault,) = [each for each in FAULTS if each.name == kind]
    assert component in fault.components
    made = small.run(fault, component, SECONDS)
    assert made.skipped == fault.missing(small.town)
    if made.verdict is not None:
        assert made.verdict.violations == []
        assert set(made.verdict.recoveries) == {"moves web-1", "moves web-2", "bots"}
