"""A scripted service for `dorfplatz-client`: it gives prepared responses and records the requests."""

import json
from typing import Any, Final

import httpx

from dorfplatz_client import Client

STATE: Final = {"game": "hoher-rat", "status": "running", "version": 7, "you": {"seat": 0}, "actors": [0]}


class Script:
    """A service with scripted responses that records its requests."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.heard: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.heard.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def problem(status: int, code: str, *rules: str) -> httpx.Response:
    errors = [{"in": "body", "pointer": "/move", "rule": rule, "detail": "No."} for rule in rules]
    body = {"type": f"/problems/{code}", "title": code, "status": status, "code": code, "detail": "No.", "trace_id": ""}
    return httpx.Response(status, json={**body, "errors": errors})


def client(script: Script, **settings: Any) -> Client:
    return Client("http://dorfplatz.test", transport=httpx.MockTransport(script), **settings)


def bodies(script: Script) -> list[Any]:
    return [
        (each.method, each.url.path.removeprefix("/v1"), json.loads(each.content) if each.content else None)
        for each in script.heard
    ]


def state_response(**changes: Any) -> httpx.Response:
    state = {**STATE, **changes}
    return httpx.Response(200, json=state, headers={"ETag": f'"{state["version"]}.en."'})


def stream(*parts: str) -> httpx.Response:
    return httpx.Response(200, text="".join(parts), headers={"Content-Type": "text/event-stream"})


def job(state: str, **more: Any) -> dict[str, Any]:
    return {"id": "J", "kind": "search", "state": state, "progress": {"done": 0, "total": 4}, **more}
