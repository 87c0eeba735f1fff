-- Schema 14. What a prompt needs to compare meaning without the model that made the vectors: the words' own vectors, and where each project's lessons
-- lie. Derived like `vector`, left there by whoever makes vectors, made anew by `tacit reindex`; empty where the model knows no single words.

CREATE TABLE vector_word (
  word    TEXT NOT NULL PRIMARY KEY,  -- as the full text's tokenizer leaves it
  scale   REAL NOT NULL,              -- what one step of its numbers is worth
  vector  BLOB NOT NULL               -- signed bytes
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_centre (
  project   TEXT NOT NULL PRIMARY KEY,
  identity  TEXT NOT NULL,     -- of the model
  rows      INTEGER NOT NULL,  -- vectors it is the mean of
  centre    BLOB NOT NULL      -- the mean of their directions, four bytes a number, the lowest first
) STRICT, WITHOUT ROWID;

ALTER TABLE vector ADD COLUMN length REAL NOT NULL DEFAULT 0;  -- of its numbers; 0 in rows from before, where it is counted when it is needed
