"""Compiles the hot modules by mypyc, all in one group so that they call each other directly."""

import os
import sys
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

ROOT = Path(__file__).resolve().parent
os.chdir(ROOT)
sys.path.insert(0, str(ROOT))

# A build front end runs this file without the checkout on its path.
from service.launch.build import SANITIZE, SANITIZERS, hot_modules  # noqa: E402
from service.launch.lifeline import end_group_on_sigterm  # noqa: E402

end_group_on_sigterm()
sanitized = SANITIZE in os.environ
folder = "build/sanitized/" if sanitized else "build/"
# mypyc reads no cache of modules that are compiled in one group, and need write none.
os.environ["MYPY_CACHE_DIR"] = os.devnull
extensions = mypycify(
    [*hot_modules(ROOT), "--strict"],
    opt_level="3",
    debug_level="0",  # nobody looks for lines in generated C
    target_dir=f"{folder}mypyc",
    group_name="dorfplatz",
)
for extension in extensions:
    extension.optional = True  # where C does not compile, the same files run as plain Python
    # The compiled modules are one library; calls inside it need not be open to replacement from outside. Products and
    # sums are rounded one by one, or figures would differ from plain Python's where the processor can fuse them.
    extension.extra_compile_args += ["-fno-semantic-interposition", "-ffp-contract=off"]
    # Generated C may be indented as it likes; to judge that takes half of gcc's time.
    extension.extra_compile_args += ["-Wno-misleading-indentation"]
    if sanitized:
        extension.extra_compile_args += ("-O1", *SANITIZERS)  # the last level counts
        extension.extra_link_args += SANITIZERS
setup(ext_modules=extensions)  # type: ignore[arg-type]  # mypyc names distutils' class beside setuptools'
