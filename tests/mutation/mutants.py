"""The mutants: cosmic-ray finds them, and equivalent programs are left out."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, WorkItem

from tests.mutation.areas import program

TUNED: Final = 100
"""A number of this size or more is a time, a limit or a weight: one more or less of it is another taste, no fault."""

UNSEEN: Final = ("capacity=", "strict=", "kw_only=", "slots=", "frozen=")
"""Arguments that no caller sees: the room of a vector, and checks of zip and dataclasses."""

SAME: Final = frozenset({"core/ReplaceComparisonOperator_Eq_Is", "core/ReplaceComparisonOperator_NotEq_IsNot"})
"""Mutations that give the same program for numbers: there is one object for each small one."""


def sampled(paths: Sequence[Path], database: Path, sample: int, seed: int) -> None:
    """Write a sample of the mutants of modules into a database; all for 0. Existing rows stay."""
    with use_db(":memory:", WorkDB.Mode.create) as every, use_db(str(database), WorkDB.Mode.create) as chosen:
        if chosen.num_work_items:
            return
        init(paths, every, {})
        items = sorted(every.work_items, key=lambda item: _place(item.mutations[0]))
        Random(seed).shuffle(items)
        taken: list[WorkItem] = []
        for item in filter(_matters, items):
            if sample and len(taken) == sample:
                break
            taken.append(item)
        chosen.add_work_items(taken)


def _place(mutation: MutationSpec) -> tuple[str, tuple[int, int], str, int]:
    return str(mutation.module_path), mutation.start_pos, mutation.operator_name, mutation.occurrence


def _matters(item: WorkItem) -> bool:
    mutation = item.mutations[0]
    if mutation.operator_name in SAME:
        return False
    path = Path(mutation.module_path)
    code = path.read_text("utf-8")
    if mutation.operator_name == "core/NumberReplacer":
        is_constant = mutation.definition_name is None and path.parts[0] != "games"
        if is_constant or _number(code, mutation) >= TUNED:
            return False
    if _before(code, mutation).endswith(UNSEEN):
        return False
    try:
        mutated = mutate_code(code, get_operator(mutation.operator_name)(**mutation.operator_args), mutation.occurrence)
    except AttributeError:  # cosmic-ray cannot replace an exception with a dotted name
        return False
    return mutated is not None and program(mutated) not in {program(code), mutated}


def _before(code: str, mutation: MutationSpec) -> str:
    row, begin = mutation.start_pos
    text: str = code.splitlines()[row - 1][:begin]
    return text


def _number(code: str, mutation: MutationSpec) -> float:
    (row, begin), (_, end) = mutation.start_pos, mutation.end_pos
    value: float = abs(ast.literal_eval(code.splitlines()[row - 1][begin:end]))
    return value
