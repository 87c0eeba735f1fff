-- Schema 13. Whose words, and whose project. The server writes down which login put a lesson's words or a piece of evidence there, and nobody can say another's: what
-- one login calls its own word is a team mate's to all others. And nobody is put into somebody's project: `admit` invites, and who was invited joins by an act of
-- their own that names the project's owner (`tacit init --join OWNER`). Who was a member before stays one.

ALTER TABLE memory NO FORCE ROW LEVEL SECURITY;  -- who migrates need not be a member everywhere
ALTER TABLE evidence NO FORCE ROW LEVEL SECURITY;
ALTER TABLE project NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memory ADD COLUMN login name;
ALTER TABLE evidence ADD COLUMN login name;
-- Of what was there before nobody knows better than that the project's owner answers for it.
UPDATE memory SET login = coalesce((SELECT owner FROM project p WHERE p.id = memory.project), session_user);
UPDATE evidence SET login = coalesce((SELECT owner FROM project p WHERE p.id = evidence.project), session_user);
ALTER TABLE memory ALTER COLUMN login SET DEFAULT session_user, ALTER COLUMN login SET NOT NULL;
ALTER TABLE evidence ALTER COLUMN login SET DEFAULT session_user, ALTER COLUMN login SET NOT NULL;
ALTER TABLE memory FORCE ROW LEVEL SECURITY;
ALTER TABLE evidence FORCE ROW LEVEL SECURITY;
ALTER TABLE project FORCE ROW LEVEL SECURITY;

-- New words, or a trust that rises, are those of whoever writes them; anything else leaves them whose they were.
CREATE FUNCTION whose_words() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' OR new.text <> old.text OR (new.trust = 'user' AND old.trust <> 'user') THEN
    new.login := session_user;
  ELSE
    new.login := old.login;
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER whose_words BEFORE INSERT OR UPDATE ON memory FOR EACH ROW EXECUTE FUNCTION whose_words();
CREATE FUNCTION whose_word() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    new.login := session_user;
  ELSIF old.login = session_user OR (new.memory, new.tier, new.stance, new.signal) IS NOT DISTINCT FROM (old.memory, old.tier, old.stance, old.signal) THEN
    new.login := old.login;
  ELSE
    new.login := '';  -- moved by somebody else: nobody's word any more
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER whose_word BEFORE INSERT OR UPDATE ON evidence FOR EACH ROW EXECUTE FUNCTION whose_word();

-- A project is its maker's: only its owner gives it away.
CREATE FUNCTION whose_project() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, tacit, pg_temp AS $$
BEGIN
  IF old.owner <> session_user THEN
    new.owner := old.owner;
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER whose_project BEFORE UPDATE ON project FOR EACH ROW EXECUTE FUNCTION whose_project();

ALTER TABLE member ADD COLUMN joined boolean NOT NULL DEFAULT true;
ALTER TABLE member ADD COLUMN through name NOT NULL DEFAULT '';  -- the group by which somebody was invited: without it nothing is left of the membership
ALTER TABLE member ADD COLUMN owner name NOT NULL DEFAULT '';    -- of the project when it was offered, its name and its remote
ALTER TABLE member ADD COLUMN title plain NOT NULL DEFAULT '';
ALTER TABLE member ADD COLUMN remote plain NOT NULL DEFAULT '';

-- The roles of the session's user: its own, and the groups it belongs to.
CREATE FUNCTION roles_held() RETURNS name[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
  WITH RECURSIVE held AS (
    SELECT oid AS it FROM pg_catalog.pg_roles WHERE rolname = session_user
    UNION SELECT g.roleid FROM pg_catalog.pg_auth_members g JOIN held ON g.member = held.it
  )
  SELECT array_agg(rolname) FROM held JOIN pg_catalog.pg_roles ON oid = it
$$;

CREATE OR REPLACE FUNCTION admitted(lowest integer) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
  WITH held AS MATERIALIZED (
    SELECT tacit.roles_held() AS roles, (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = session_user) AS everything
  )
  SELECT coalesce(array_agg(DISTINCT m.project::text), '{}') FROM held, tacit.member m
  WHERE held.everything
     OR (m.role = ANY (held.roles) AND m.joined AND m.level >= lowest AND (m.through = '' OR m.through = ANY (held.roles)))
$$;

CREATE OR REPLACE FUNCTION admit(who name, place text, as_level integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
DECLARE
  offered record;
BEGIN
  IF place = '' OR NOT (place = ANY (tacit.admitted(3)) OR (place IN ('@global', '@agent') AND tacit.is_keeper())) THEN
    RAISE EXCEPTION 'only an owner of % may admit others', place USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF as_level = 0 THEN
    DELETE FROM tacit.member WHERE project = place AND (role = who OR through = who);
    RETURN;
  END IF;
  SELECT p.owner, p.name, p.remote INTO offered FROM tacit.project p WHERE p.id = place;
  INSERT INTO tacit.member VALUES (
    place, who, as_level, place IN ('@global', '@agent') OR who = session_user, '', coalesce(offered.owner, session_user), coalesce(offered.name, ''),
    coalesce(offered.remote, '')
  ) ON CONFLICT (project, role) DO UPDATE SET level = excluded.level;
  UPDATE tacit.member SET level = as_level WHERE project = place AND through = who;
END $$;

-- The projects to which the session's user was invited and which it did not join.
CREATE FUNCTION invitations() RETURNS TABLE (project text, title text, remote text, owner name) LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, tacit, pg_temp AS $$
  SELECT DISTINCT m.project::text, m.title::text, m.remote::text, m.owner FROM tacit.member m
  WHERE NOT m.joined AND m.role = ANY (tacit.roles_held()) AND m.project <> ALL (tacit.admitted(1)) ORDER BY 4, 2, 1
$$;

CREATE FUNCTION join_project(place text, whose name) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
DECLARE
  offered record;
BEGIN
  SELECT m.* INTO offered FROM tacit.member m WHERE m.project = place AND NOT m.joined AND m.role = ANY (tacit.roles_held()) ORDER BY m.level DESC LIMIT 1;
  IF offered IS NULL THEN
    RAISE EXCEPTION 'nobody invited you to %', place USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF offered.owner <> whose THEN
    RAISE EXCEPTION 'project % belongs to %, not to %', place, offered.owner, whose USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO tacit.member VALUES (
    place, session_user, offered.level, true, CASE WHEN offered.role = session_user THEN '' ELSE offered.role END, offered.owner, offered.title, offered.remote
  ) ON CONFLICT (project, role) DO UPDATE SET joined = true;
END $$;
