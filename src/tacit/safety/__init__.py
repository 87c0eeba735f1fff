"""What must not get in: whose word a text is, where it first stood, and what it would do."""
