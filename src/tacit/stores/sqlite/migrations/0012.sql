-- Schema 12. How many memories hold each word of the full text, and which ones where they are few: one lookup for all words of a long prompt.
-- Derived from the full text, kept in the same transaction, rebuilt by `tacit reindex`.

CREATE TABLE term (
  word  TEXT NOT NULL PRIMARY KEY,  -- as the full text's tokenizer leaves it
  rows  INTEGER NOT NULL,  -- memories that hold it
  few   BLOB  -- their numbers, four bytes each, the lowest byte first; NULL once they have been more than 64
) STRICT, WITHOUT ROWID;

-- The rows of a word as the tokenizer leaves it; a MATCH would stem it once more.
CREATE VIRTUAL TABLE term_row USING fts5vocab (memory_fts, instance);
