-- Schema 5. How far each lesson on trial has come, as in the SQLite store's schema 9; a row that is missing is found out from use and use_mark.

CREATE TABLE course (
  memory   plain NOT NULL,
  epoch    plain NOT NULL,
  project  plain NOT NULL,
  kept     plain NOT NULL,
  PRIMARY KEY (memory, epoch)
);
CREATE POLICY reading ON course FOR SELECT USING (project = ANY ((SELECT mine(1))::text[]));
CREATE POLICY adding ON course FOR INSERT WITH CHECK (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY changing ON course FOR UPDATE USING (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY taking ON course FOR DELETE USING (project = ANY ((SELECT mine(2))::text[]));
ALTER TABLE course ENABLE ROW LEVEL SECURITY;
ALTER TABLE course FORCE ROW LEVEL SECURITY;

DROP INDEX use_by_memory;
CREATE INDEX use_by_memory ON use (memory, task);
