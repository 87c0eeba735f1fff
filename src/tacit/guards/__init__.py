"""From a note to a question to a lock: conditions that code checks on a call before it runs, each with a record."""
