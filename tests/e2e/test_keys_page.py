"""The commands on the page on API keys work as they stand."""

import os
import re
from pathlib import Path

from tests.e2e.pages import needs_curl_and_jq, run_blocks, script

pytestmark = needs_curl_and_jq

KEY_LINE = r"[0-9a-f]{12} \d{4}-\d\d-\d\d "
"""Start of the line of a key; other tests may have keys of the same service."""


def test_a_key_owns_jobs_and_gets_unused_quota_back(service: str, var: Path, checkout: Path, tmp_path: Path) -> None:
    page = script(checkout / "docs" / "api-keys.md", service)
    everything = run_blocks(page, tmp_path, {**os.environ, "DORFPLATZ_VAR": str(var)})
    lines = [line for line in everything if not re.match(KEY_LINE, line)]
    listed = [line for line in everything if re.fullmatch(f"{KEY_LINE}play,jobs - 1000 - our phones", line)]
    assert len(listed) == 1
    assert (lines.pop(0), lines.pop(0)) == ('["our phones",null]', "true")
    assert lines[:4] == ["unknown-job", "simulation", "[]", '["simulation"]']
    assert lines.pop(4) == '["our phones",["play","jobs"],700]'
    policy, left = sorted(line.lower() for line in lines[4:6])
    assert policy == 'ratelimit-policy: "requests";q=6000;w=60, "playouts";q=1000;qu="playouts";w=3600'
    assert re.fullmatch(r'ratelimit: "requests";r=\d+;t=\d+, "playouts";r=700;t=\d+', left)
    assert re.fullmatch(r"HTTP/1.1 429 .*", lines[6])
    assert re.fullmatch(r"retry-after: [1-9]\d*", lines[7].lower())
    assert lines[8] in {"canceled", "succeeded"}
    assert len(lines) == 9
