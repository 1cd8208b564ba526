"""Takes the modules of the suite that ask for nothing but a game; they lie in `tests/conformance` of the checkout."""

from setuptools import setup
from setuptools.command.build_py import build_py

PARTS = ("__init__", "cases", "plugin", "subjects")
SUITE = ("chance", "ends", "facts", "knowledge", "moves", "standing", "tables", "texts")
"""As the plugin names them."""


class BuildSuite(build_py):
    """Builds with these modules alone."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Return the plugin, what it needs, and the tests that it runs."""
        wanted = {*PARTS, *(f"test_{name}" for name in SUITE)}
        modules: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [found for found in modules if found[1] in wanted]


setup(
    packages=["dorfplatz_conformance"],
    package_dir={"dorfplatz_conformance": "../../tests/conformance"},
    cmdclass={"build_py": BuildSuite},
)
