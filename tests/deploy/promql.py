"""Evaluates the part of PromQL that our alarms are written in, over figures that were read at two or more times."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan, nan
from typing import Any, Final

import promql_parser
from prometheus_client.parser import text_string_to_metric_families

Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]

AGGREGATES: Final[dict[str, Callable[[list[float]], float]]] = {"sum": sum, "max": max, "min": min}
COMPARISONS: Final[dict[str, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}
ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {"*": operator.mul, "+": operator.add}


@dataclass(frozen=True)
class Scrape:
    """Figures as they were read at a time, in seconds."""

    at: float
    figures: dict[str, Vector]

    @classmethod
    def of(cls, at: float, text: str) -> Scrape:
        found: dict[str, Vector] = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value
        return cls(at, found)


def evaluate(expression: str, scrapes: list[Scrape]) -> Vector:
    """Return the result of an expression now; an alarm fires if that is not empty."""
    found = _value(promql_parser.parse(expression), scrapes)
    assert isinstance(found, dict), expression
    return found


def _value(node: Any, scrapes: list[Scrape]) -> Vector | float:
    match node:
        case promql_parser.NumberLiteral():
            return float(node.val)
        case promql_parser.ParenExpr():
            return _value(node.expr, scrapes)
        case promql_parser.VectorSelector():
            return _selected(node, scrapes[-1])
        case promql_parser.Call():
            return _call(node.func.name, node.args, scrapes)
        case promql_parser.AggregateExpr():
            return _aggregate(node, scrapes)
        case promql_parser.BinaryExpr():
            return _binary(str(node.op), _value(node.lhs, scrapes), _value(node.rhs, scrapes))
    raise NotImplementedError(type(node).__name__)


def _selected(node: Any, scrape: Scrape) -> Vector:
    found = scrape.figures.get(node.name, {})
    return {labels: value for labels, value in found.items() if _matches(node.matchers.matchers, dict(labels))}


def _matches(matchers: list[Any], labels: dict[str, str]) -> bool:
    kinds = promql_parser.MatchOp
    for matcher in matchers:
        value = labels.get(matcher.name, "")
        matched = value == matcher.value
        if matcher.op in (kinds.Re, kinds.NotRe):
            matched = re.fullmatch(matcher.value, value) is not None
        if matched == (matcher.op in (kinds.NotEqual, kinds.NotRe)):
            return False
    return True


def _call(name: str, arguments: list[Any], scrapes: list[Scrape]) -> Vector:
    if name == "histogram_quantile":
        quantile, buckets = (_value(argument, scrapes) for argument in arguments)
        assert isinstance(quantile, float)
        assert isinstance(buckets, dict)
        return _quantile(quantile, buckets)
    (matrix,) = arguments
    rows = [_selected(matrix.vector_selector, scrape) for scrape in scrapes]
    steps = [
        {labels: _growth(old.get(labels, nan), value) for labels, value in new.items()} for old, new in pairwise(rows)
    ]
    known = rows[0].keys() & rows[-1].keys()
    grown = {labels: sum(step.get(labels, 0.0) for step in steps) for labels in known}
    seconds = scrapes[-1].at - scrapes[0].at
    return {labels: grew / seconds if name == "rate" else grew for labels, grew in grown.items()}


def _growth(before: float, now: float) -> float:
    return now if now < before else now - before


def _aggregate(node: Any, scrapes: list[Scrape]) -> Vector:
    assert node.modifier is None or str(node.modifier).startswith("by "), str(node.modifier)
    names = set(node.modifier.labels) if node.modifier else set()
    groups: dict[Labels, list[float]] = {}
    found = _value(node.expr, scrapes)
    assert isinstance(found, dict)
    for labels, value in found.items():
        groups.setdefault(frozenset(label for label in labels if label[0] in names), []).append(value)
    return {labels: AGGREGATES[str(node.op)](values) for labels, values in groups.items()}


def _binary(sign: str, left: Vector | float, right: Vector | float) -> Vector:
    if isinstance(left, float):
        assert isinstance(right, dict)
        return {labels: ARITHMETIC[sign](left, value) for labels, value in right.items()}
    pairs = {
        labels: (value, right if isinstance(right, float) else right.get(labels, nan)) for labels, value in left.items()
    }
    if sign in COMPARISONS:
        compare = COMPARISONS[sign]
        return {labels: one for labels, (one, other) in pairs.items() if not isnan(other) and compare(one, other)}
    return {labels: ARITHMETIC[sign](one, other) for labels, (one, other) in pairs.items()}


def _quantile(quantile: float, buckets: Vector) -> Vector:
    groups: dict[Labels, dict[float, float]] = {}
    for labels, value in buckets.items():
        bound = float(dict(labels)["le"])
        groups.setdefault(frozenset(label for label in labels if label[0] != "le"), {})[bound] = value
    found = {}
    for labels, counts in groups.items():
        bounds = sorted(counts)
        if counts[bounds[-1]] > 0:
            reached = next(bound for bound in bounds if counts[bound] >= quantile * counts[bounds[-1]])
            found[labels] = reached if reached < inf else bounds[-2]
    return found
