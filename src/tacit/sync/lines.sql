-- A team's lines on a server: one table that only grows, and who is a member of which project. Made once, by whoever may.
-- A project is named OWNER/COMMIT: nobody but that login can admit to it, whatever a repository is called.
CREATE SCHEMA tacit;
COMMENT ON SCHEMA tacit IS 'tacit lines 1';

CREATE TABLE tacit.member (
  project text COLLATE "C" NOT NULL CHECK (project ~ '^.{1,63}/[0-9a-f]{40,64}$'),
  login   name NOT NULL,
  PRIMARY KEY (project, login)
);

CREATE TABLE tacit.line (
  project   text COLLATE "C" NOT NULL,
  machine   text COLLATE "C" NOT NULL CHECK (machine ~ '^[0-9a-z]{1,40}$'),
  number    bigint NOT NULL CHECK (number > 0),
  author    name NOT NULL DEFAULT session_user,      -- set by the server: nobody may name another
  body      text NOT NULL CHECK (octet_length(body) <= 2097152),
  signature text NOT NULL DEFAULT '' CHECK (octet_length(signature) <= 16777216),  -- the push that this line ends
  lesson    text COLLATE "C" NOT NULL GENERATED ALWAYS AS (body::jsonb ->> 'lesson') STORED,
  at        text COLLATE "C" NOT NULL GENERATED ALWAYS AS (body::jsonb ->> 'at') STORED,
  PRIMARY KEY (project, author, machine, number)
);
CREATE INDEX line_newest ON tacit.line (project, lesson, at DESC, machine DESC, number DESC);
CREATE INDEX line_pushes ON tacit.line (project, author, machine, number) WHERE signature <> '';

ALTER TABLE tacit.member ENABLE ROW LEVEL SECURITY;
ALTER TABLE tacit.member FORCE ROW LEVEL SECURITY;
ALTER TABLE tacit.line ENABLE ROW LEVEL SECURITY;
ALTER TABLE tacit.line FORCE ROW LEVEL SECURITY;

CREATE POLICY seen ON tacit.member FOR SELECT
  USING (login = session_user OR regexp_replace(project, '/[0-9a-f]+$', '') = session_user);
CREATE POLICY admitted ON tacit.member FOR INSERT
  WITH CHECK (regexp_replace(project, '/[0-9a-f]+$', '') = session_user);
CREATE POLICY dismissed ON tacit.member FOR DELETE
  USING (regexp_replace(project, '/[0-9a-f]+$', '') = session_user);
CREATE POLICY read ON tacit.line FOR SELECT
  USING (project IN (SELECT m.project FROM tacit.member m WHERE m.login = session_user));
CREATE POLICY told ON tacit.line FOR INSERT
  WITH CHECK (author = session_user
    AND project IN (SELECT m.project FROM tacit.member m WHERE m.login = session_user));

REVOKE ALL ON tacit.member, tacit.line FROM PUBLIC;
GRANT USAGE ON SCHEMA tacit TO PUBLIC;
GRANT SELECT, DELETE, INSERT (project, login) ON tacit.member TO PUBLIC;
GRANT SELECT, INSERT (project, machine, number, body, signature) ON tacit.line TO PUBLIC;
