"""Makes the environment this project needs, and runs one of its commands in it: `python3 dev.py help`.

Any Python reads this file, so that an old one can name its requirement; everything else is `tools.environment`.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("dorfplatz: needs Python 3.11 or later, and this is " + sys.version.split()[0])

from pathlib import Path

# A test of the compiled kernel has another copy of our packages on its path.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from tools.environment import main  # an old Python cannot read it

if __name__ == "__main__":
    main(sys.argv[1:])
