-- Schema 6. Vectors of memories, where an embedder is configured: derived, made anew by `tacit reindex`. Those of two models never meet.

CREATE TABLE vector (
  n         INTEGER PRIMARY KEY,  -- memory.n
  identity  TEXT NOT NULL,        -- of the model that made it
  vector    BLOB NOT NULL         -- signed bytes: the direction of its text
) STRICT;
