"""The commands on the page on webhooks work as they stand."""

import ast
import hashlib
import os
import re
import time
from pathlib import Path
from typing import Any

from service.webhooks.signing import headers
from tests.e2e.pages import needs_curl_and_jq, run_blocks, script


@needs_curl_and_jq
def test_a_webhook_is_tried_replayed_and_forgotten(service: str, var: Path, checkout: Path, tmp_path: Path) -> None:
    page = script(checkout / "docs" / "webhooks.md", service)
    lines = run_blocks(page, tmp_path, {**os.environ, "DORFPLATZ_VAR": str(var)})
    assert lines[0] == '[["seat.asked","job.ended"],"whsec_"]'
    assert lines[1] == '["webhook.ping","waiting"]'
    assert lines[2] in {"no-public-address", "timed-out"}
    assert lines[3] == '["webhook.ping","waiting"]'
    assert lines[4] == '["succeeded"]'
    assert lines[5] == f'["failing","{lines[2]}"]'
    assert lines[6:] == ["whsec_", "204"]


def test_the_lines_that_check_a_signature_take_ours_and_no_other(checkout: Path) -> None:
    page = (checkout / "docs" / "webhooks.md").read_text("utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    known: dict[str, Any] = {}
    exec(compile(ast.parse(block), "webhooks.md", "exec"), known)  # noqa: S102 -- the page's own lines
    secret, other = (f"whsec_{hashlib.sha256(text).hexdigest()}" for text in (b"a", b"b"))
    now = int(time.time())
    is_ours = known["is_ours"]
    assert is_ours(headers("m", now, b"{}", [secret]), b"{}", secret)
    assert is_ours(headers("m", now, b"{}", [other, secret]), b"{}", secret)
    assert not is_ours(headers("m", now, b"{}", [other]), b"{}", secret)
    assert not is_ours(headers("m", now, b"{}", [secret]), b"[]", secret)
    assert not is_ours(headers("m", now - 400, b"{}", [secret]), b"{}", secret)
