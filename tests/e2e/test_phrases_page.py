"""The commands on the page on quick phrases work as they stand."""

from pathlib import Path

from tests.e2e.pages import needs_curl_and_jq, run_blocks, script

pytestmark = needs_curl_and_jq


def test_phrases_are_said_received_and_muted(service: str, checkout: Path, tmp_path: Path) -> None:
    told = ["Hallo!", '[1,0,"Good luck!"]', "Buona fortuna!", "[0]", "2", "1"]
    assert run_blocks(script(checkout / "docs" / "phrases.md", service), tmp_path) == told
