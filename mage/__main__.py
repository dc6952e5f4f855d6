"""`python -m mage` is the same as the command `mage`."""

import sys

from mage.cli import main

if __name__ == "__main__":
    sys.exit(main())
