"""Read by every interpreter that a recorded test starts (mutate_tests.py puts this folder into PYTHONPATH): what it executes counts for that test."""

import os

if os.environ.get("MUTATE_CONTEXT"):
    import mutate_lines

    mutate_lines.record_process()
