-- Schema 2. Full text learns to split identifiers, paths and CJK (column `words`, filled by the step in migrate.py), and what was
-- skipped, dropped, fallen back on or refused is counted by day.

ALTER TABLE memory ADD COLUMN words TEXT NOT NULL DEFAULT '';  -- derived; not part of the hash

DROP TABLE memory_fts;
CREATE VIRTUAL TABLE memory_fts USING fts5 (text, words, content = 'memory', content_rowid = 'n', tokenize = 'porter unicode61');

CREATE TABLE counter (
  project  TEXT NOT NULL,
  day      TEXT NOT NULL,
  name     TEXT NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (project, day, name)
) STRICT, WITHOUT ROWID;
