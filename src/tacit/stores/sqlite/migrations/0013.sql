-- Schema 13. Figures by day, for pictures of weeks and months: derived from journal, run and injection, counted on with each of them, made anew by
-- `tacit reindex`. The step in migrate.py counts what is there.

CREATE TABLE daily (
  project  TEXT NOT NULL,
  day      TEXT NOT NULL,
  what     TEXT NOT NULL,  -- in_force (came less left), runs, tokens, usd, given (tokens to agents)
  whose    TEXT NOT NULL,  -- host and model of runs
  amount   REAL NOT NULL,
  PRIMARY KEY (project, day, what, whose)
) STRICT, WITHOUT ROWID;
