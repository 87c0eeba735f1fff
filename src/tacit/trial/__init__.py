"""The coin and what it says: who is given a lesson, what became of the run, the e-process, belief, and the memory as a whole."""
