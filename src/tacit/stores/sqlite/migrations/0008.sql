-- Schema 8. The team's journal (`tacit sync`): each line that this project has shared or taken in, ours and others'. The line's id is
-- recomputed from it, so that a damaged one shows; `local` is the row here that it stands for.

CREATE TABLE shared (
  n         INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  project   TEXT NOT NULL,
  memory    TEXT NOT NULL,
  kind      TEXT NOT NULL,
  machine   TEXT NOT NULL,
  local     TEXT NOT NULL,
  standing  TEXT NOT NULL,      -- own, team, unknown
  signer    TEXT NOT NULL,
  head      TEXT NOT NULL,      -- JSON: everything but the words
  digest    TEXT NOT NULL,
  salt      TEXT NOT NULL,      -- salt and words are blanked by erase
  words     TEXT NOT NULL       -- JSON; empty where there are none, or they were erased
) STRICT;
CREATE INDEX shared_by_memory ON shared (project, memory);
CREATE INDEX shared_by_local ON shared (project, kind, local);
