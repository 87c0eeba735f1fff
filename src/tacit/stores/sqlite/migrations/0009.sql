-- Schema 9. How far each lesson on trial has come, so that settling one more use does not read all earlier ones again. Derived: a row
-- that is missing is found out from use and use_mark when its lesson is next judged.

CREATE TABLE course (
  memory   TEXT NOT NULL,
  epoch    TEXT NOT NULL,  -- model family and host
  project  TEXT NOT NULL,
  kept     TEXT NOT NULL,  -- JSON: the counts by holdout rate, the verdict that was crossed, and when
  PRIMARY KEY (memory, epoch)
) STRICT, WITHOUT ROWID;

-- Was this lesson settled in this task before?
DROP INDEX use_by_memory;
CREATE INDEX use_by_memory ON use (memory, task);
