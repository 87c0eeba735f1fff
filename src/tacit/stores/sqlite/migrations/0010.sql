-- Schema 10. What was noticed in each run, whether or not anybody is told: one row per run and signature. A run that grew writes its rows anew.

CREATE TABLE incident (
  project  TEXT NOT NULL,
  run      TEXT NOT NULL,
  lineage  TEXT NOT NULL,  -- what forks, resumptions and sub-agents share: one witness
  person   TEXT NOT NULL DEFAULT '',
  seq      INTEGER NOT NULL,  -- the run's number in its project
  kind     TEXT NOT NULL,  -- failure, command, sentence, complaint
  mark     TEXT NOT NULL,  -- the signature
  family   TEXT NOT NULL DEFAULT '',
  nature   TEXT NOT NULL DEFAULT '',  -- of a failure, as core/diagnose.py says; of a command its purpose
  code     TEXT NOT NULL DEFAULT '',
  name     TEXT NOT NULL DEFAULT '',
  tool     TEXT NOT NULL DEFAULT '',
  program  TEXT NOT NULL DEFAULT '',  -- what failed; the form of a command; the words of a sentence
  folder   TEXT NOT NULL DEFAULT '',
  line     TEXT NOT NULL DEFAULT '',
  count    INTEGER NOT NULL DEFAULT 1,
  failed   INTEGER NOT NULL DEFAULT 0,
  soft     INTEGER NOT NULL DEFAULT 0,
  calls    INTEGER NOT NULL DEFAULT 0,
  seconds  INTEGER NOT NULL DEFAULT 0,
  ended    TEXT NOT NULL DEFAULT '',
  cure     TEXT NOT NULL DEFAULT '',
  repair   TEXT NOT NULL DEFAULT '',
  place    TEXT NOT NULL DEFAULT '',
  at       TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (run, kind, mark)
) STRICT, WITHOUT ROWID;

CREATE INDEX incident_by_mark ON incident (project, kind, mark);
