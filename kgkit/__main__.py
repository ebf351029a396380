"""``python -m kgkit`` is the command line."""

import sys

from kgkit.cli import main

sys.exit(main())
