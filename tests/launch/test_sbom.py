"""The bill of materials has every package of the image, with its licence."""

from __future__ import annotations

from tools import sbom


def test_names_of_a_lock_are_read_without_their_marks_and_hashes() -> None:
    text = "# a comment\nFlask_Cors==6.0 ; python_version > '3'\\\n    --hash=sha256:00\nrq==2\n    # via x==1\n"
    assert sbom.read_lock(text) == {"flask-cors", "rq"}


def test_the_table_has_a_line_for_each_package() -> None:
    licensed = {
        "name": "a",
        "version": "1",
        "licenses": [{"license": {"id": "MIT"}}, {"license": {"name": "MIT\ntext"}}],
    }
    bill = {"components": [licensed, {"name": "bc", "version": "2.0"}]}
    assert sbom.table(bill).splitlines() == ["a   1    MIT", "bc  2.0  ?"]
