"""The proxy's own responses are problem documents of the contract."""

import io
import json
import re
import shutil
from collections.abc import Iterator
from http.client import HTTPMessage, parse_headers
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from service.http.problems import MEDIA_TYPE, PROBLEMS, TEXTS, type_of
from tests.deploy.backends import Backend, proxied
from tests.deploy.test_proxy import send
from tests.goldens import PROXY_DETAILS

RETRIED = {502, 503}

needs_haproxy = pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed")


def read(raw: bytes) -> tuple[int, HTTPMessage, Any]:
    """Return the status, the headers and the document of a response, which must be whole and have nothing after it."""
    source = io.BytesIO(raw)
    status = int(source.readline().split()[1])
    headers, body = parse_headers(source), source.read()
    assert headers["Content-Length"] == str(len(body))
    return status, headers, json.loads(body)


def files(checkout: Path) -> list[Path]:
    return sorted((checkout / "deploy" / "errors").iterdir())


@pytest.fixture(scope="module")
def schema(checkout: Path) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    components = yaml.load((checkout / "openapi" / "openapi.yaml").read_text("utf-8"), loader)["components"]  # noqa: S506 -- a safe one
    return {"$ref": "#/components/schemas/Problem", "components": components}


def test_the_configuration_names_every_file_by_its_status(checkout: Path) -> None:
    text = (checkout / "deploy" / "haproxy.cfg").read_text()
    named = re.findall(r'^  errorfile (\d+) "\$\{PROXY_FILES\}/errors/(\S+)"$', text, re.MULTILINE)
    assert named == [*((file.stem, file.name) for file in files(checkout)), ("504", "502.http")]


def test_every_file_has_a_problem_document_of_the_contract(checkout: Path, schema: Any) -> None:
    codes = schema["components"]["schemas"]["ProblemCode"]["x-extensible-enum"]
    for file in files(checkout):
        status, headers, document = read(file.read_bytes())
        jsonschema.Draft202012Validator(schema).validate(document)
        code = document["code"]
        assert code in codes
        assert (str(PROBLEMS[code]), status, document["status"]) == (file.stem, int(file.stem), PROBLEMS[code])
        assert (document["type"], document["title"]) == (type_of(code), TEXTS.say("en", "titles", code))
        assert code in PROXY_DETAILS or document["detail"] == TEXTS.say("en", "details", code)
        assert (headers["Content-Type"], headers["Content-Language"]) == (MEDIA_TYPE, "en")
        assert (headers["Retry-After"] is not None) == (status in RETRIED)


@pytest.fixture
def backend() -> Iterator[Backend]:
    started = Backend()
    yield started
    started.goes_on.set()
    started.stop()


@needs_haproxy
@pytest.mark.parametrize(
    ("request_", "closes", "stalls", "status"),
    [
        pytest.param(
            b"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{", False, False, 408, id="slow body"
        ),
        pytest.param(
            b"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", True, False, 502, id="lost"
        ),
        pytest.param(b"GET /v1/games HTTP/1.1\r\nHost: a\r\n\r\n", False, True, 502, id="late"),
    ],
)
def test_the_proxy_sends_its_files(
    backend: Backend, checkout: Path, tmp_path: Path, request_: bytes, *, closes: bool, stalls: bool, status: int
) -> None:
    backend.closes = closes
    if stalls:
        backend.goes_on.clear()
    with proxied(tmp_path, checkout, [backend], SERVER_TIMEOUT="800ms" if stalls else "60s") as proxy:
        sent = read(send(proxy, request_))
    expected = read((checkout / "deploy" / "errors" / f"{status}.http").read_bytes())
    assert (sent[0], sent[2]) == (status, expected[2])
    assert sent[1]["Retry-After"] == expected[1]["Retry-After"]
