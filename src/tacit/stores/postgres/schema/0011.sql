-- Schema 11. Figures by day, as in the SQLite store's schema 13. They begin with this schema; `tacit reindex` counts what was before, in the projects one may write.

CREATE TABLE daily (
  project  plain NOT NULL,
  day      plain NOT NULL,
  what     plain NOT NULL,
  whose    plain NOT NULL,
  amount   double precision NOT NULL,
  PRIMARY KEY (project, day, what, whose)
);
CREATE POLICY reading ON daily FOR SELECT USING (project = ANY ((SELECT mine(1))::text[]));
CREATE POLICY adding ON daily FOR INSERT WITH CHECK (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY changing ON daily FOR UPDATE USING (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY taking ON daily FOR DELETE USING (project = ANY ((SELECT mine(2))::text[]));
ALTER TABLE daily ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily FORCE ROW LEVEL SECURITY;
