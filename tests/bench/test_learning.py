"""The page about the example that learns."""

import json

from bench.learning import PAGE, RUN, curve, document


def test_the_page_is_written_and_its_curve_drawn_from_the_stored_run() -> None:
    rows = [json.loads(line) for line in (RUN / "curve.jsonl").read_text().splitlines()]
    results = json.loads((RUN / "evaluation.json").read_text())
    assert PAGE.read_text() == document(rows, results)
    assert curve(rows).count("<!-- against ") == PAGE.with_suffix(".svg").read_text().count("<!-- against ") == 2
    assert "learning.svg" in document(rows, results)
