"""`python -m oracular` is the command `oracular`."""

import sys

from oracular.cli.main import main

sys.exit(main())
