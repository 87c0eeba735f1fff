-- Vectors of memories, on a server that has pgvector 0.7 or later; made beside the numbered migrations, since it may get it any day. Derived, made anew by
-- `tacit reindex`; those of two models never meet. In partitions like full text: a question is compared with all vectors of its project, and with no others.

CREATE TABLE vector (
  project   plain NOT NULL,
  n         bigint NOT NULL,          -- memory.n
  identity  plain NOT NULL,           -- of the model that made it
  vector    {schema}.halfvec NOT NULL,
  PRIMARY KEY (project, n)
) PARTITION BY HASH (project);
DO $$
BEGIN
  FOR part IN 0 .. 31 LOOP
    EXECUTE format('CREATE TABLE vector_%s PARTITION OF vector FOR VALUES WITH (MODULUS 32, REMAINDER %s)', part, part);
  END LOOP;
END $$;
CREATE POLICY reading ON vector FOR SELECT USING (project = ANY ((SELECT mine(1))::text[]));
CREATE POLICY adding ON vector FOR INSERT WITH CHECK (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY changing ON vector FOR UPDATE USING (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY taking ON vector FOR DELETE USING (project = ANY ((SELECT mine(2))::text[]));
ALTER TABLE vector ENABLE ROW LEVEL SECURITY;
ALTER TABLE vector FORCE ROW LEVEL SECURITY;

-- A text that changes or goes takes its vector along.
CREATE FUNCTION vector_is_old() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  DELETE FROM tacit.vector WHERE project = old.project AND n = old.n;
  RETURN NULL;
END $$;
CREATE TRIGGER vector_is_old AFTER UPDATE OF text, words ON memory FOR EACH ROW
  WHEN (old.text <> new.text OR old.words <> new.words) EXECUTE FUNCTION vector_is_old();
CREATE TRIGGER vector_is_nobodys AFTER DELETE ON memory FOR EACH ROW EXECUTE FUNCTION vector_is_old();
