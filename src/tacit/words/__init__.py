"""What a text says: its words and signatures, how alike two texts are, what they claim, what an
output diagnoses."""
