"""Adds the plugin's files to the package; a source distribution already contains them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "dorfplatz_conformance"


class SuiteHook(BuildHookInterface):  # type: ignore[type-arg] -- its configuration is of no interest here
    """Takes the files from the checkout's suite."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files of the checkout that are missing here."""
        if not Path(self.root, PACKAGE).is_dir():
            suite = Path(self.root).resolve().parents[1] / "tests" / "conformance"
            build_data["force_include"] |= {str(suite / name): f"{PACKAGE}/{name}" for name in self.config["files"]}
