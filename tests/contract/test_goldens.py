"""Recorded texts follow a change of the text files."""

import json
from pathlib import Path

from tests.goldens import main, proxy_document


def test_the_committed_proxy_documents_are_up_to_date(checkout: Path) -> None:
    texts = json.loads((checkout / "service/texts/en.json").read_bytes())
    for file in (checkout / "deploy/errors").glob("*.http"):
        assert proxy_document(file.read_bytes(), texts) == file.read_bytes(), main.__doc__
