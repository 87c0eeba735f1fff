"""`python -m tacit` is the command `tacit`."""

import sys

from tacit import main

sys.exit(main())
