"""The commands on the page on tables with others work as they stand."""

from pathlib import Path

from tests.e2e.pages import needs_curl_and_jq, run_blocks, script

pytestmark = needs_curl_and_jq


def test_strangers_meet_and_play_again(service: str, checkout: Path, tmp_path: Path) -> None:
    assert run_blocks(script(checkout / "docs" / "guides" / "tables.md", service), tmp_path) == [
        '["hoher-rat",1,"it"]',
        "the same seat",
        "seat-taken",
        '[1,"Tom"]',
        '{"seat":1}',
        "[true,false]",
        "unauthorized",
        "forfeited",
        '[1,"Ann"]',
        '[0,"Tom"]',
        "running",
    ]
