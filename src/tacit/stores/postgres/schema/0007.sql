-- Schema 7. What runs with its owner's rights reads only our own tables. `SET search_path FROM CURRENT` named `tacit` alone, and a session's temporary tables are
-- searched before every schema that is named: a temporary `member` or `pg_roles` made a reader the owner of everything. Every such function now names its
-- tables in full, and its path ends in pg_temp.

CREATE OR REPLACE FUNCTION mine(lowest integer) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
  WITH RECURSIVE held AS (
    SELECT oid AS it FROM pg_catalog.pg_roles WHERE rolname = session_user
    UNION SELECT g.roleid FROM pg_catalog.pg_auth_members g JOIN held ON g.member = held.it
  ), named AS MATERIALIZED (
    SELECT rolname, rolsuper AND rolname = session_user AS everything FROM held JOIN pg_catalog.pg_roles ON oid = it
  )
  SELECT array_agg(DISTINCT place) || ARRAY['@global', '@agent', ''] FROM (
    SELECT m.project::text AS place FROM named JOIN tacit.member m ON m.role = named.rolname WHERE m.level >= lowest
    UNION ALL SELECT m.project::text FROM tacit.member m WHERE (SELECT bool_or(everything) FROM named)
  ) AS found
$$;

CREATE OR REPLACE FUNCTION sees_all() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS
  $$ SELECT NOT EXISTS (SELECT 1 FROM tacit.member WHERE project <> ALL (tacit.mine(1))) $$;

CREATE OR REPLACE FUNCTION may_set(setting text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM regexp_split_to_table(setting, '[^[:alnum:]]+') AS part (it) JOIN tacit.member ON project = it WHERE it <> ALL (tacit.mine(1))
  )
$$;

CREATE OR REPLACE FUNCTION admit(who name, place text, as_level integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF NOT place = ANY (tacit.mine(3)) OR place IN ('@global', '@agent', '') THEN
    RAISE EXCEPTION 'only an owner of % may admit others', place USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF as_level = 0 THEN
    DELETE FROM tacit.member WHERE project = place AND role = who;
  ELSE
    INSERT INTO tacit.member VALUES (place, who, as_level) ON CONFLICT (project, role) DO UPDATE SET level = excluded.level;
  END IF;
END $$;

-- A project belongs to who makes it, unless it has members already: then the row was missing, and whoever puts it there is what they made him.
CREATE OR REPLACE FUNCTION own_new_project() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF new.id IN ('@global', '@agent', '') THEN
    RETURN NULL;  -- what is shared by all has no owner
  END IF;
  IF EXISTS (SELECT 1 FROM tacit.member WHERE project = new.id) THEN
    IF NOT new.id = ANY (tacit.mine(2)) THEN
      RAISE EXCEPTION 'project % is not yours', new.id USING ERRCODE = 'insufficient_privilege';
    END IF;
  ELSE
    INSERT INTO tacit.member VALUES (new.id, session_user, 3);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION measured() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  INSERT INTO tacit.extent SELECT project, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM rows GROUP BY 1
  ON CONFLICT (project) DO UPDATE SET memories = extent.memories + excluded.memories;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION measure_anew() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
  INSERT INTO tacit.extent SELECT project, count(*) FROM tacit.memory WHERE project = ANY (tacit.mine(2)) GROUP BY 1
  ON CONFLICT (project) DO UPDATE SET memories = excluded.memories
$$;

CREATE OR REPLACE FUNCTION unindexed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  DELETE FROM tacit.memory_fts WHERE project = old.project AND n = old.n;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION put_words(row_n bigint, tokens text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
DECLARE
  place text;
BEGIN
  SELECT project INTO place FROM tacit.memory WHERE n = row_n;
  IF place IS NULL OR NOT place = ANY (tacit.mine(2)) THEN
    RAISE EXCEPTION 'memory % is not yours to index', row_n USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO tacit.memory_fts
  VALUES (place, row_n, array_to_tsvector(ARRAY(SELECT DISTINCT place || ' ' || it FROM unnest(tokens) AS t (it) WHERE it <> '')))
  ON CONFLICT (project, n) DO UPDATE SET fts = excluded.fts;
END $$;

CREATE OR REPLACE FUNCTION indexed(row_n bigint) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
  SELECT ARRAY(SELECT it COLLATE "C" FROM unnest(tsvector_to_array(f.fts)) AS t (it) ORDER BY 1)
  FROM tacit.memory m JOIN tacit.memory_fts f ON f.project = m.project AND f.n = m.n WHERE m.n = row_n AND m.project = ANY (tacit.mine(1))
$$;

CREATE OR REPLACE FUNCTION blank_entries(it text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM tacit.journal WHERE memory = it AND project <> ALL (tacit.mine(2))) THEN
    RAISE EXCEPTION 'memory % is not yours to erase', it USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE tacit.journal SET payload = '', salt = '' WHERE memory = it;
END $$;

CREATE OR REPLACE FUNCTION number_on() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
DECLARE
  of text[];
  last bigint;
BEGIN
  FOREACH of SLICE 1 IN ARRAY ARRAY[['memory', 'n'], ['evidence', 'n'], ['use_mark', 'n'], ['shared', 'n'], ['journal', 'id'], ['injection', 'id']] LOOP
    EXECUTE format('SELECT greatest(max(%I), (SELECT last_value FROM %s)) FROM tacit.%I', of[2], pg_get_serial_sequence('tacit.' || of[1], of[2]), of[1])
      INTO last;
    PERFORM setval(pg_get_serial_sequence('tacit.' || of[1], of[2])::regclass, last);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION rows_weighed(place text, asked text[], total float8, most integer) RETURNS TABLE (word bigint, n bigint, amount float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF NOT place = ANY (tacit.mine(1)) THEN
    RETURN;
  END IF;
  RETURN QUERY
    WITH held AS MATERIALIZED (
      SELECT w.i, x.n FROM unnest(asked) WITH ORDINALITY AS w (it, i)
      CROSS JOIN LATERAL (SELECT f.n FROM tacit.memory_fts f WHERE f.project = place AND f.fts @@ tacit.quoted(place || ' ' || w.it)) x
    ), counted AS (
      SELECT held.i, count(*)::float8 AS held_by FROM held GROUP BY 1
    ), scored AS (
      SELECT held.n, sum(ln(1 + total / (c.held_by + 0.5))) AS score FROM held JOIN counted c USING (i)
      GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT most
    )
    SELECT c.i, NULL::bigint, c.held_by FROM counted c
    UNION ALL
    SELECT 0::bigint, s.n, s.score FROM scored s;
END $$;

-- Those that were made beside the numbered migrations, for vectors and for the server's own ranking; and triggers, in whose name nobody should be able to speak.
DO $$
DECLARE
  it regprocedure;
BEGIN
  FOR it IN SELECT oid FROM pg_catalog.pg_proc WHERE pronamespace = 'tacit'::regnamespace AND (prosecdef OR proname = 'only_grows') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, tacit, pg_temp', it);
  END LOOP;
END $$;
