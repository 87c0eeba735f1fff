"""Does it help? The coin, what became of the session, the e-process, what is said of it and what it was worth."""
