-- Schema 9. What holds everywhere goes into every team's prompts, so not every writer may say it: lessons of scope global and agent are changed by those who
-- were admitted to '@global' and '@agent', first by whoever owns the schema. Everybody reads them, and says what came of them: evidence, uses and counts stay open.

-- The places where the session's user, or a group it belongs to, was admitted with at least this level.
CREATE FUNCTION admitted(lowest integer) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
  WITH RECURSIVE held AS (
    SELECT oid AS it FROM pg_catalog.pg_roles WHERE rolname = session_user
    UNION SELECT g.roleid FROM pg_catalog.pg_auth_members g JOIN held ON g.member = held.it
  ), named AS MATERIALIZED (
    SELECT rolname, rolsuper AND rolname = session_user AS everything FROM held JOIN pg_catalog.pg_roles ON oid = it
  )
  SELECT coalesce(array_agg(DISTINCT place), '{}') FROM (
    SELECT m.project::text AS place FROM named JOIN tacit.member m ON m.role = named.rolname WHERE m.level >= lowest
    UNION ALL SELECT m.project::text FROM tacit.member m WHERE (SELECT bool_or(everything) FROM named)
  ) AS found
$$;

CREATE OR REPLACE FUNCTION mine(lowest integer) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS
  $$ SELECT tacit.admitted(lowest) || ARRAY['@global', '@agent', ''] $$;

CREATE FUNCTION is_keeper() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS
  $$ SELECT pg_has_role(session_user, nspowner, 'member') FROM pg_catalog.pg_namespace WHERE nspname = 'tacit' $$;

-- Where the session's user may change lessons.
CREATE FUNCTION changeable() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS
  $$ SELECT tacit.admitted(2) || ARRAY[''] || CASE WHEN tacit.is_keeper() THEN ARRAY['@global', '@agent'] ELSE '{}' END $$;

CREATE OR REPLACE FUNCTION admit(who name, place text, as_level integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF place = '' OR NOT (place = ANY (tacit.admitted(3)) OR (place IN ('@global', '@agent') AND tacit.is_keeper())) THEN
    RAISE EXCEPTION 'only an owner of % may admit others', place USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF as_level = 0 THEN
    DELETE FROM tacit.member WHERE project = place AND role = who;
  ELSE
    INSERT INTO tacit.member VALUES (place, who, as_level) ON CONFLICT (project, role) DO UPDATE SET level = excluded.level;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION put_words(row_n bigint, tokens text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
DECLARE
  place text;
BEGIN
  SELECT project INTO place FROM tacit.memory WHERE n = row_n;
  IF place IS NULL OR NOT place = ANY (tacit.changeable()) THEN
    RAISE EXCEPTION 'memory % is not yours to index', row_n USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO tacit.memory_fts
  VALUES (place, row_n, array_to_tsvector(ARRAY(SELECT DISTINCT place || ' ' || it FROM unnest(tokens) AS t (it) WHERE it <> '')))
  ON CONFLICT (project, n) DO UPDATE SET fts = excluded.fts;
END $$;

CREATE OR REPLACE FUNCTION blank_entries(it text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM tacit.journal WHERE memory = it AND project <> ALL (tacit.changeable())) THEN
    RAISE EXCEPTION 'memory % is not yours to erase', it USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE tacit.journal SET payload = '', salt = '' WHERE memory = it;
END $$;

DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['memory', 'alias', 'journal', 'tombstone', 'shared'] LOOP
    EXECUTE format('ALTER POLICY adding ON %I WITH CHECK (project = ANY ((SELECT changeable())::text[]))', t);
    EXECUTE format('ALTER POLICY changing ON %I USING (project = ANY ((SELECT changeable())::text[]))', t);
    EXECUTE format('ALTER POLICY taking ON %I USING (project = ANY ((SELECT changeable())::text[]))', t);
  END LOOP;
END $$;
ALTER POLICY changing ON project USING (id = ANY ((SELECT changeable())::text[]) OR (owner = session_user AND id NOT IN ('@global', '@agent')));
