-- Schema 2. A project pays for itself alone: whose rows a session sees is looked up by its own roles, full text lies in partitions by project, and how
-- many memories a project has is kept instead of counted.

CREATE INDEX member_by_role ON member (role, level, project);

-- The projects in which the session's user, or a group it belongs to, has at least this level; what is shared by all is always there.
CREATE OR REPLACE FUNCTION mine(lowest integer) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH RECURSIVE held AS (
    SELECT oid AS it FROM pg_roles WHERE rolname = session_user
    UNION SELECT g.roleid FROM pg_auth_members g JOIN held ON g.member = held.it
  ), named AS MATERIALIZED (
    SELECT rolname, rolsuper AND rolname = session_user AS everything FROM held JOIN pg_roles ON oid = it
  )
  SELECT array_agg(DISTINCT place) || ARRAY['@global', '@agent', ''] FROM (
    SELECT m.project::text AS place FROM named JOIN member m ON m.role = named.rolname WHERE m.level >= lowest
    UNION ALL SELECT m.project::text FROM member m WHERE (SELECT bool_or(everything) FROM named)
  ) AS found
$$;

-- A setting may be about one project: then its id stands in the key, between marks that no id holds.
CREATE OR REPLACE FUNCTION may_set(setting text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM regexp_split_to_table(setting, '[^[:alnum:]]+') AS part (it) JOIN member ON project = it WHERE it <> ALL (mine(1))
  )
$$;

-- How many memories a project has.
CREATE TABLE extent (
  project   plain PRIMARY KEY,
  memories  bigint NOT NULL
);
CREATE FUNCTION measured() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO extent SELECT project, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM rows GROUP BY 1
  ON CONFLICT (project) DO UPDATE SET memories = extent.memories + excluded.memories;
  RETURN NULL;
END $$;
CREATE TRIGGER grown AFTER INSERT ON memory REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION measured();
CREATE TRIGGER shrunk AFTER DELETE ON memory REFERENCING OLD TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION measured();
CREATE FUNCTION measure_anew() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO extent SELECT project, count(*) FROM memory WHERE project = ANY (mine(2)) GROUP BY 1
  ON CONFLICT (project) DO UPDATE SET memories = excluded.memories
$$;
ALTER TABLE memory NO FORCE ROW LEVEL SECURITY;  -- who migrates need not be a member everywhere
INSERT INTO extent SELECT project, count(*) FROM memory GROUP BY 1;
CREATE POLICY reading ON extent FOR SELECT USING (project = ANY ((SELECT mine(1))::text[]));
CREATE POLICY adding ON extent FOR INSERT WITH CHECK (project = ANY ((SELECT mine(2))::text[]));
CREATE POLICY changing ON extent FOR UPDATE USING (project = ANY ((SELECT mine(2))::text[]));
ALTER TABLE extent ENABLE ROW LEVEL SECURITY;
ALTER TABLE extent FORCE ROW LEVEL SECURITY;

-- Full text anew, in partitions: the rows of a word lie near each other, and no index is shared by everybody. Its owner alone may touch it.
ALTER TABLE memory_fts RENAME TO memory_fts_before;
ALTER TABLE memory_fts_before DROP CONSTRAINT memory_fts_pkey;
DROP INDEX memory_fts_words;
CREATE TABLE memory_fts (
  project  plain NOT NULL,
  n        bigint NOT NULL,
  fts      tsvector NOT NULL,
  PRIMARY KEY (project, n)
) PARTITION BY HASH (project);
DO $$
BEGIN
  FOR part IN 0 .. 31 LOOP
    EXECUTE format('CREATE TABLE memory_fts_%s PARTITION OF memory_fts FOR VALUES WITH (MODULUS 32, REMAINDER %s)', part, part);
  END LOOP;
END $$;
INSERT INTO memory_fts SELECT m.project, f.n, f.fts FROM memory_fts_before f JOIN memory m USING (n);
ALTER TABLE memory FORCE ROW LEVEL SECURITY;
DROP TABLE memory_fts_before;
CREATE INDEX memory_fts_words ON memory_fts USING gin (fts) WITH (fastupdate = off);

CREATE FUNCTION unindexed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM memory_fts WHERE project = old.project AND n = old.n;
  RETURN NULL;
END $$;
CREATE TRIGGER unindexed AFTER DELETE ON memory FOR EACH ROW EXECUTE FUNCTION unindexed();

CREATE OR REPLACE FUNCTION rows_with(place text, asked text[], most integer) RETURNS TABLE (word bigint, n bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT place = ANY (mine(1)) THEN
    RETURN;
  END IF;
  RETURN QUERY
    SELECT w.i, x.n FROM unnest(asked) WITH ORDINALITY AS w (it, i)
    CROSS JOIN LATERAL (
      SELECT f.n FROM memory_fts f WHERE f.project = place AND f.fts @@ quoted(place || ' ' || w.it) ORDER BY f.n DESC LIMIT most
    ) x;
END $$;

CREATE OR REPLACE FUNCTION put_words(row_n bigint, tokens text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  place text;
BEGIN
  SELECT project INTO place FROM memory WHERE n = row_n;
  IF place IS NULL OR NOT place = ANY (mine(2)) THEN
    RAISE EXCEPTION 'memory % is not yours to index', row_n USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO memory_fts
  VALUES (place, row_n, array_to_tsvector(ARRAY(SELECT DISTINCT place || ' ' || it FROM unnest(tokens) AS t (it) WHERE it <> '')))
  ON CONFLICT (project, n) DO UPDATE SET fts = excluded.fts;
END $$;

CREATE OR REPLACE FUNCTION indexed(row_n bigint) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT ARRAY(SELECT it COLLATE "C" FROM unnest(tsvector_to_array(f.fts)) AS t (it) ORDER BY 1)
  FROM memory m JOIN memory_fts f ON f.project = m.project AND f.n = m.n WHERE m.n = row_n AND m.project = ANY (mine(1))
$$;
