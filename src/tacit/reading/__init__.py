"""What a reader is asked about a whole project, and what its answers come to."""
