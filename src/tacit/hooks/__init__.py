"""The hot room: what an agent is told at a moment, and the ranking that every question shares."""
