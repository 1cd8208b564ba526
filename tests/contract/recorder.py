"""Recorder of real traffic as examples of the contract: `python -m tests.contract.recorder [live]` writes `openapi/`.

A scene is a function that talks to the service through a `Recorder`. The tests repeat scenes that are a function of
their requests, and compare every word. Scenes with tokens, ids and clocks are validated only. They are recorded again
with `live` alone, because each recording differs.
"""

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.contract import document
from service.http.blueprint import operation_id

FOLDER: Final = Path(__file__).parents[2] / "openapi" / "examples"
RECORDED_HEADERS: Final = (
    "Allow",
    "Content-Language",
    "ETag",
    "Location",
    "Preference-Applied",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
)
"""The response headers in an example."""

IDS: Final = {"Request-Id": "example", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}


@dataclass
class Recorder:
    """Talks to an application and records the exchanges, by operation and name."""

    app: Flask
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)

    def get(self, name: str, path: str, **headers: str) -> TestResponse:
        return self.call(name, "GET", path, None, headers)

    def post(self, name: str, path: str, body: Any, **headers: str) -> TestResponse:
        """Record a POST; a body of bytes goes as it is and is not recorded."""
        return self.call(name, "POST", path, body, headers)

    def call(self, name: str, method: str, path: str, body: Any, headers: dict[str, str]) -> TestResponse:
        """Record one request with its answer; underscores in names of headers stand for hyphens."""
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        client: FlaskClient = self.app.test_client()
        raw = isinstance(body, bytes)
        how: dict[str, Any] = {"data": body, "content_type": "application/json"} if raw else {"json": body}
        answer = client.open(path, method=method, headers={**IDS, **sent}, **({} if body is None else how))
        request = {"method": method, "path": path, "headers": sent}
        said = answer.json if answer.is_json else answer.text or None
        self._keep(name, request if body is None or raw else {**request, "body": body}, answer, said)
        return answer

    def listen(self, path: str, read: Callable[[bytes], Any], **headers: str) -> None:
        """Record a stream to its end, each message as an example under the name of its event, the last of them."""
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        answer = self.app.test_client().get(path, headers={**IDS, **sent})
        messages = [message for chunk in answer.iter_encoded() if (message := read(chunk))]
        for message in {message["event"]: message for message in messages}.values():
            name = f"{message['event']}-{str(answer.mimetype).rpartition('/')[2]}"
            self._keep(name, {"method": "GET", "path": path, "headers": sent}, answer, message)

    def lines(self, name: str, path: str, **headers: str) -> None:
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        answer = self.app.test_client().get(path, headers={**IDS, **sent})
        for number, line in enumerate(answer.text.splitlines(), 1):
            self._keep(f"{name}-{number}", {"method": "GET", "path": path, "headers": sent}, answer, json.loads(line))

    def _keep(self, name: str, request: dict[str, Any], answer: TestResponse, body: Any) -> None:
        path, method = request["path"].partition("?")[0], request["method"]
        endpoint, _ = self.app.url_map.bind("localhost").match(path, method=method)
        key = f"{operation_id(str(endpoint).rpartition('.')[2])}/{name}"
        assert key not in self.taken, f"{key} is recorded twice"
        self.taken[key] = {
            "request": request,
            "response": {
                "status": answer.status_code,
                "content_type": answer.mimetype,
                "headers": {key: answer.headers[key] for key in RECORDED_HEADERS if key in answer.headers},
                "body": body,
            },
        }


def recorded(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    return {
        f"{file.parent.name}/{file.stem}": json.loads(file.read_text("utf-8"))
        for file in sorted(folder.glob("*/*.json"))
    }


def write(taken: dict[str, dict[str, Any]], folder: Path = FOLDER) -> None:
    for key, example in taken.items():
        file = folder / f"{key}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(example, ensure_ascii=False, indent=2) + "\n", "utf-8")


def main(*, live: bool) -> None:
    """Record scenes, those with tokens, ids and clocks only if `live`, and write the document."""
    from tests.contract import scenes  # noqa: PLC0415 -- scenes need the recorder

    if live:
        shutil.rmtree(FOLDER, ignore_errors=True)
    write(scenes.everything() if live else scenes.stateless().taken)
    document.write(FOLDER.parent / "openapi.yaml", create_app)


if __name__ == "__main__":
    main(live="live" in sys.argv[1:])
