"""The schemas of problem documents (RFC 9457), which `service.http.problems` builds."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, UnsetType

from service.contract.json_schemas import Answer, AnyFault, describe_answer, schemas_of
from service.http.problems import PROBLEMS

ProblemCode = Annotated[str, Meta(extra_json_schema={"enum": list(PROBLEMS)})]
FaultPlace = Annotated[str, Meta(extra_json_schema={"enum": ["body", "query", "header", "path"]})]

_VERSION: Final = {"type": ["integer", "null"], "description": "With `stale-version`: the current version."}


class FaultDocument(Answer, frozen=True, kw_only=True, rename={"where": "in"}):
    """One fault of a request. It has a position, a description, and the violated rule, if any."""

    where: FaultPlace
    pointer: str
    rule: Annotated[str, Meta(description="Id of the violated rule.")] | UnsetType = UNSET
    rule_url: (
        Annotated[str, Meta(description="With `rule`: its page in the reader's language, relative to the service.")]
        | UnsetType
    ) = UNSET
    detail: str


class ProblemDocument(Answer, frozen=True, kw_only=True):
    """A problem document. Some problem types have further members. `GET /v1/problems` lists the types."""

    type: Annotated[str, Meta(description="URL of the problem type. It is stable and relative to the service.")]
    code: ProblemCode
    title: str
    status: int
    detail: str
    errors: list[AnyFault]
    trace_id: str
    version: Annotated[Any, Meta(extra_json_schema=_VERSION)] | UnsetType = UNSET


def describe_problems(schemas: MutableMapping[str, Any]) -> None:
    """Add the schemas of problem documents to `schemas`, the component schemas of the OpenAPI document."""
    for name, kind in (("Fault", FaultDocument), ("Problem", ProblemDocument)):
        schemas[name] = describe_answer(schemas_of(kind)[1][kind.__name__], ())
