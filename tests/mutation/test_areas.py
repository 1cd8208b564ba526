"""The settings of mutation testing fit the tree: modules, tests, and equivalent mutants."""

from __future__ import annotations

from pathlib import Path

from tests.mutation.areas import areas, equivalents, lines_of


def test_every_area_has_modules_of_its_own_and_tests_that_are_there(checkout: Path) -> None:
    seen: set[Path] = set()
    for area in areas().values():
        paths = set(area.paths())
        assert paths, area.name
        assert not paths & seen, area.name
        seen |= paths
        for test in (*area.first, *area.then):
            assert (checkout / test).exists(), test
    for package in ("sessions", "store", "jobs", "snapshots", "auth"):
        assert Path("service", package, "errors.py") in seen or any(path.parts[1] == package for path in seen), package


def test_the_lines_of_a_diff_leave_out_blank_ones_and_the_names_of_files() -> None:
    diff = "--- a/one.py\n+++ b/one.py\n@@ -1,4 +1,2 @@\n same\n-\n-    @cache\n+    @lru_cache(\n+        2)\n kept"
    assert lines_of(diff) == ("@cache", "@lru_cache( 2)")


def test_an_equivalent_mutant_changes_a_line_that_is_there_and_says_why(checkout: Path) -> None:
    for one in equivalents():
        lines = [line.strip() for line in (checkout / one.module).read_text("utf-8").splitlines()]
        assert one.before in lines, one
        assert one.after != one.before
        assert one.why.endswith("."), one
