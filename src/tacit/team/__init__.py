"""Several people, one memory, through git: lines of the journal, signatures, sync and join."""
