"""After a run: what it says becomes lessons, evidence and questions, in one transaction."""
