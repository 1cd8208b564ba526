"""OpenAPI links. They show clients and fuzzers which values of a response are inputs of other operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

COLLECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "/v1/sessions": {"createSession": "201"},
    "/v1/jobs": {"startSearch": "202", "startSimulation": "202"},
    "/v1/webhooks": {"createWebhook": "201"},
}
"""Operations that create a member of a collection, and the status of their responses.

Only the most used operations are listed: links for all of them would make the document a tenth longer.
"""

BODY: Final = "x-request-body"
"""The key for a link's request body.

OpenAPI's own key is `requestBody`, but some generators accept only strings as its value.
"""

_SEATED: Final = {"snapshot": "$response.body#/snapshot", "seat": "$response.body#/actors/0"}
_MOVE: Final = {"code": "$response.body#/moves/0/code"}
_GAME: Final = {"game": "$request.path.game"}


@dataclass(frozen=True)
class Step:
    """A link from the response of the operation `after` to the operation `to`.

    The values of `parameters` and `body` are OpenAPI runtime expressions.
    """

    after: str
    status: str
    to: str
    parameters: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)


STEPS: Final = (
    *(
        Step(after, status, to, _GAME, _SEATED)
        for after, status in (("createSnapshot", "201"), ("makeSnapshotMove", "200"))
        for to in ("listLegalMoves", "viewSnapshot", "drawPicture")
    ),
    *(
        Step(
            "listLegalMoves",
            "200",
            to,
            _GAME,
            {"snapshot": "$request.body#/snapshot", "seat": "$request.body#/seat", "move": _MOVE},
        )
        for to in ("makeSnapshotMove", "listPossibleDraws")
    ),
    Step("listSessionMoves", "200", "makeMoveInSession", {"id": "$request.path.id"}, {"move": _MOVE}),
    *(
        Step("makeMoveInSession", "201", to, {"id": "$request.path.id"})
        for to in ("getSession", "listSessionMoves", "getSessionHistory", "askForUndo")
    ),
)


def add_links(spec: dict[str, Any]) -> None:
    """Add all links to a document. Raise KeyError if a link names a missing operation or response."""
    operations = {operation["operationId"]: operation for item in spec["paths"].values() for operation in item.values()}
    links: dict[str, Any] = {}
    for step in (*_members(spec["paths"]), *STEPS):
        link = {"operationId": step.to, "parameters": dict(step.parameters)}
        if step.body:
            link[BODY] = deepcopy(dict(step.body))
        if step.to not in operations:
            raise KeyError(step.to)
        shared = links.setdefault(step.to, link)
        same = {"$ref": f"#/components/links/{step.to}"} if shared == link else link
        operations[step.after]["responses"][step.status].setdefault("links", {})[step.to] = same
    spec["components"]["links"] = dict(sorted(links.items()))


def _members(paths: Mapping[str, Any]) -> Iterator[Step]:
    for collection, creators in COLLECTIONS.items():
        of_members = [
            operation["operationId"]
            for path, item in paths.items()
            if path == f"{collection}/{{id}}" or path.startswith(f"{collection}/{{id}}/")
            for operation in item.values()
        ]
        for after, status in creators.items():
            for to in of_members:
                yield Step(after, status, to, {"id": "$response.body#/id"})
