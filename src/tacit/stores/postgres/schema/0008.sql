-- Schema 8. What was noticed in each run, whether or not anybody is told: one row per run and signature. A run that grew writes its rows anew.

CREATE TABLE incident (
  project  text NOT NULL,
  run      text NOT NULL,
  lineage  text NOT NULL,  -- what forks, resumptions and sub-agents share: one witness
  person   text NOT NULL DEFAULT '',
  seq      bigint NOT NULL,  -- the run's number in its project
  kind     text NOT NULL,  -- failure, command, sentence, complaint
  mark     text NOT NULL,  -- the signature
  family   text NOT NULL DEFAULT '',
  nature   text NOT NULL DEFAULT '',  -- of a failure, as core/diagnose.py says; of a command its purpose
  code     text NOT NULL DEFAULT '',
  name     text NOT NULL DEFAULT '',
  tool     text NOT NULL DEFAULT '',
  program  text NOT NULL DEFAULT '',  -- what failed; the form of a command; the words of a sentence
  folder   text NOT NULL DEFAULT '',
  line     text NOT NULL DEFAULT '',
  count    bigint NOT NULL DEFAULT 1,
  failed   bigint NOT NULL DEFAULT 0,
  soft     bigint NOT NULL DEFAULT 0,
  calls    bigint NOT NULL DEFAULT 0,
  seconds  bigint NOT NULL DEFAULT 0,
  ended    text NOT NULL DEFAULT '',
  cure     text NOT NULL DEFAULT '',
  repair   text NOT NULL DEFAULT '',
  place    text NOT NULL DEFAULT '',
  at       text NOT NULL DEFAULT '',
  PRIMARY KEY (run, kind, mark)
);

CREATE INDEX incident_by_mark ON incident (project, kind, mark);

CREATE POLICY reading ON incident FOR SELECT USING (project = ANY ((SELECT mine(1))::text[]));
CREATE POLICY adding ON incident FOR INSERT WITH CHECK (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY changing ON incident FOR UPDATE USING (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY taking ON incident FOR DELETE USING (project = ANY ((SELECT mine(2))::text[]));
ALTER TABLE incident ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident FORCE ROW LEVEL SECURITY;
