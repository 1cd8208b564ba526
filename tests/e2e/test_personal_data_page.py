"""The commands on the page on personal data work as they stand."""

from pathlib import Path

from tests.e2e.pages import needs_curl_and_jq, run_blocks, script

pytestmark = needs_curl_and_jq


def test_a_seat_is_erased(service: str, checkout: Path, tmp_path: Path) -> None:
    assert run_blocks(script(checkout / "docs" / "personal-data.md", service), tmp_path) == ["204", '[null,"Tom"]']
