"""What must not get in or out: secrets, orders to a model, and whose word a text is, and where it first stood."""
