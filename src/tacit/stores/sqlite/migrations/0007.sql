-- Schema 7. How many memories there are of each combination of facets, and which: derived, counted on with every change of a memory, made
-- anew by `tacit reindex`. A screen that counts or lists by facets reads these few rows instead of all memories. The step in migrate.py
-- counts what is there.

CREATE TABLE facet (
  id        INTEGER PRIMARY KEY,
  project   TEXT NOT NULL,
  state     TEXT NOT NULL,
  kind      TEXT NOT NULL,
  klass     TEXT NOT NULL,
  category  TEXT NOT NULL,
  trust     TEXT NOT NULL,
  gate      TEXT NOT NULL,
  verdict   TEXT NOT NULL,
  severity  TEXT NOT NULL,
  pinned    INTEGER NOT NULL,
  on_page   INTEGER NOT NULL,
  stale     INTEGER NOT NULL,
  rows      INTEGER NOT NULL,
  UNIQUE (project, state, kind, klass, category, trust, gate, verdict, severity, pinned, on_page, stale)
) STRICT;

CREATE TABLE facet_of (
  n      INTEGER PRIMARY KEY,  -- memory.n
  facet  INTEGER NOT NULL
) STRICT;
CREATE INDEX facet_rows ON facet_of (facet);
