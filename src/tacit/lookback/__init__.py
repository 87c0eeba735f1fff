"""What past sessions would have taught: the worth of memory on the transcripts that are already
here."""
