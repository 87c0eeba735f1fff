"""Proof in a night: past tasks done again by the user's own agent, in pairs, with a lesson and without it."""
