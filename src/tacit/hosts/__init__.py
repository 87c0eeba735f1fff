"""The agent programs we know, one folder each."""
