"""One SQLite file per user: lessons, their journal, what vouches for them and what became of them."""
