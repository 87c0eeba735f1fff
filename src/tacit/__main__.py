"""`python -m tacit` is the command `tacit`."""

import sys

from tacit.surfaces.cli import main

sys.exit(main())
