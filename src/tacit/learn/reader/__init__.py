"""A finished session, read by a model: `read` conducts, the others ask, check and decide."""
