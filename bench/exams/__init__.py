"""The exams of the design: each by one command, in figures that two runs can be compared by.

    python -m bench.exams run DATA --out FILE     the quick ones, on the product of this environment
    python -m bench.exams compare OLD NEW         two files of figures, row by row

Exams speak to the product as a user and a host do: commands, files, a hook's standard input. What must reach inside (the
ranking, the golden vectors) says so, and fails when the name is gone. A figure whose data is not there is *skipped*.
"""
