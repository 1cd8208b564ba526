"""uv installs the locked packages if it supports the configuration of pip; otherwise pip installs them."""

import shutil
import stat
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tools import install, locks, uv

CONFIGURED = """\
:env:.default-timeout='180'
:env:.find-links='/wheels /more'
global.cert='/our/certificates.pem'
global.extra-index-url='\\nhttps://a.test/simple\\nhttps://b.test/simple'
global.find-links='/nowhere'
global.index-url='https://user:word@mirror.test/simple'
install.index-url='https://mirror.test/simple'
list.index-url='https://elsewhere.test/simple'
"""


@pytest.fixture(autouse=True)
def _no_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in uv.BUNDLES:
        monkeypatch.delenv(name, raising=False)


def test_uv_is_told_what_pip_is_configured_to_do() -> None:
    assert uv.settings(CONFIGURED.splitlines()) == {
        "UV_DEFAULT_INDEX": "https://mirror.test/simple",
        "UV_INDEX": "https://a.test/simple https://b.test/simple",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_SYSTEM_CERTS": "true",
        "SSL_CERT_FILE": "/our/certificates.pem",
    }


@pytest.mark.parametrize("line", ["global.proxy='http://proxy.test'", ":env:.no-index='1'", "install.user='true'"])
def test_where_pip_is_configured_to_what_uv_cannot_be_told_uv_is_not_asked(line: str) -> None:
    assert uv.settings([*CONFIGURED.splitlines(), line]) is None


@pytest.fixture
def python(tmp_path: Path) -> Path:
    venv.create(tmp_path / "env", symlinks=True)
    shutil.copy(Path(sys.executable).with_name("uv"), tmp_path / "env" / "bin")
    return tmp_path / "env" / "bin" / "python"


def pip_that_says(folder: Path, configuration: str) -> list[str]:
    """Return the command of a pip that is configured so and can do nothing else."""
    program = folder / "pip"
    program.write_text(f"#!/bin/sh\n[ \"$*\" = 'config list' ] && cat <<'END'\n{configuration}END\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return [str(program)]


def wheel(folder: Path) -> str:
    """Make a wheel of no use, and return the hash that a lock would name."""
    command = [sys.executable, "-c", MAKE_WHEEL, str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


MAKE_WHEEL = """
import hashlib, pathlib, sys, zipfile
file = pathlib.Path(sys.argv[1]) / "useless-1.0-py3-none-any.whl"
with zipfile.ZipFile(file, "w") as made:
    made.writestr("useless.py", "USE = None\\n")
    made.writestr("useless-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: useless\\nVersion: 1.0\\n")
    made.writestr("useless-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    made.writestr("useless-1.0.dist-info/RECORD", "")
print(hashlib.sha256(file.read_bytes()).hexdigest())
"""


@pytest.mark.parametrize("is_right", [True, False], ids=["the locked hash", "another hash"])
def test_locked_packages_are_installed_if_their_hash_is_right(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_right: bool
) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    lock, found = tmp_path / "a.lock", wheel(tmp_path)
    lock.write_text(f"useless==1.0 \\\n    --hash=sha256:{found if is_right else found[::-1]}\n")
    pip = pip_that_says(tmp_path, f"global.find-links='{tmp_path}'\nglobal.index-url='file://{tmp_path}/none'\n")
    wanted = ("--require-hashes", *install.WHEELS, "-r", str(lock))
    assert install.install(pip, python.with_name("uv"), wanted, python.parents[1]) == is_right
    use = subprocess.run([str(python), "-c", "import useless"], check=False, capture_output=True)
    assert (use.returncode == 0) == is_right


def test_where_uv_cannot_be_told_everything_pip_installs(python: Path, tmp_path: Path) -> None:
    uv_that_must_not_run = tmp_path / "uv"
    program = tmp_path / "pip"
    says = """if [ "$*" = 'config list' ]; then echo "global.proxy='http://proxy.test'"; exit; fi"""
    program.write_text(f'#!/bin/sh\n{says}\necho "$@" > {tmp_path}/told\n')
    program.chmod(0o755)
    assert install.install([str(program)], uv_that_must_not_run, ("-r", "some.txt"), python.parents[1])
    told = (tmp_path / "told").read_text()
    assert told == f"--python {python.parents[1]} install -qq --no-compile -r some.txt\n"


def test_uv_is_installed_by_the_hash_of_the_lock(tmp_path: Path) -> None:
    program = tmp_path / "pip"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/told\n')
    program.chmod(0o755)
    assert uv.provide_uv([str(program)], tmp_path) == tmp_path / "bin" / "uv"
    told = (tmp_path / "told").read_text().split()
    assert "--require-hashes" in told
    assert Path(told[-1]).read_text() == locks.requirement("uv")
