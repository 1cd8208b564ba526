"""Tests of several hosts take long and need root: `python3 dev.py test --containers tests/hosts` collects them."""

import os

from tests.containers.conftest import SWITCH

collect_ignore_glob = [] if os.environ.get(SWITCH) else ["test_*.py"]
