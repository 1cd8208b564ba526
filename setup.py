"""Compiles the hot modules by mypyc, on all cores; where there is no C compiler, the wheel is plain Python."""

import os
import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
os.chdir(ROOT)
sys.path.insert(0, str(ROOT))

# A build front end runs this file without the checkout on its path.
from games.core.building import BuildKernel, end_group_on_sigterm, extensions  # noqa: E402
from games.core.kernel import BUILT_FROM, SANITIZE, SANITIZERS, missing_for_build, wheel_fingerprint  # noqa: E402


class BuildStamped(BuildKernel):
    """Puts the fingerprint of the kernel beside it, by which `DORFPLATZ_WHEELS` finds a wheel that fits."""

    def build_extensions(self) -> None:
        """Build all extensions, then write the fingerprint."""
        super().build_extensions()
        if not self.inplace:
            file = Path(self.build_lib) / BUILT_FROM
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(wheel_fingerprint(ROOT))


end_group_on_sigterm()
if "build_ext" not in sys.argv and "bdist_wheel" not in sys.argv:
    setup()  # a source distribution has nothing to compile
elif lacking := missing_for_build():
    print(f"dorfplatz is built as plain Python: {lacking}")  # noqa: T201 -- tells who builds
    setup()
else:
    sanitizers = SANITIZERS if SANITIZE in os.environ else ()
    target = "build/sanitized/mypyc" if sanitizers else "build/mypyc"
    setup(ext_modules=extensions(ROOT, target, sanitizers), cmdclass={"build_ext": BuildStamped})
