-- The one schema of a store: twelve tables. Times are ISO 8601 text in UTC; lists and objects are
-- JSON text; empty text means none. What can be counted is counted from rows, not kept twice.

CREATE TABLE project (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL DEFAULT '',
  root        TEXT NOT NULL DEFAULT '',  -- the work tree where it was last seen
  key         TEXT NOT NULL DEFAULT '',  -- git's folder, or the real path where there is no git
  remote      TEXT NOT NULL DEFAULT '',  -- normalised, so that a fresh clone is recognised
  origin      TEXT NOT NULL DEFAULT '',  -- the system it is remembered like; empty: as Tacit does
  trial_key   BLOB NOT NULL DEFAULT x'', -- the key of the coin
  sessions    INTEGER NOT NULL DEFAULT 0,
  created_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_remote ON project (remote) WHERE remote <> '';
CREATE INDEX project_key ON project (key) WHERE key <> '';

CREATE TABLE lesson (
  n            INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  project      TEXT NOT NULL,
  text         TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('way', 'decision', 'cure', 'fact', 'preference')),
  about        TEXT NOT NULL,  -- its topic; then names. '*': everything
  files        TEXT NOT NULL,
  sign         TEXT NOT NULL,  -- the literal mark by which its failure is met again
  sign_in      TEXT NOT NULL CHECK (sign_in IN ('', 'output', 'call')),
  word         TEXT NOT NULL CHECK (word IN ('person', 'session', 'outside')),
  by           TEXT NOT NULL,  -- who set these words
  said_at      TEXT NOT NULL,  -- and when
  state        TEXT NOT NULL CHECK (state IN ('waiting', 'active', 'doubted', 'gone')),
  reason       TEXT NOT NULL,  -- why it is in this state, what it waits for
  always       INTEGER NOT NULL,
  shared       INTEGER NOT NULL,
  family       TEXT NOT NULL,  -- whose coin it shares; empty: its own
  replaced_by  TEXT NOT NULL,
  guard        TEXT NOT NULL,  -- a condition on a call or on the end of the work
  step         TEXT NOT NULL CHECK (step IN ('', 'asks', 'refuses', 'checks')),
  created_at   TEXT NOT NULL,
  changed_at   TEXT NOT NULL,
  extra        TEXT NOT NULL,  -- an origin's own fields
  words        TEXT NOT NULL DEFAULT '',  -- derived: what it is found by beside its text
  counts       TEXT NOT NULL DEFAULT '',  -- derived: what its evidence and deliveries add up to
  -- What rooms ask by that an origin, or a count, keeps in the two columns above.
  stood        TEXT NOT NULL AS (coalesce(nullif(extra, '') ->> '$.was.state', state)),
  klass        TEXT NOT NULL AS (coalesce(nullif(extra, '') ->> '$.was.klass', CASE kind
    WHEN 'way' THEN 'rule' WHEN 'cure' THEN 'fix' WHEN 'preference' THEN 'preference'
    ELSE 'fact' END)),
  signature    TEXT NOT NULL AS (coalesce(nullif(extra, '') ->> '$.was.signature', '')),
  origin       TEXT NOT NULL AS (coalesce(nullif(extra, '') ->> '$.was.origin', '')),
  review_after TEXT NOT NULL AS (coalesce(nullif(extra, '') ->> '$.was.review_after', '')),
  seen         REAL NOT NULL AS (coalesce(nullif(counts, '') ->> '$.seen[0]', 0.0)),
  seen_at      TEXT NOT NULL AS (coalesce(nullif(counts, '') ->> '$.seen[1]', '')),
  used_at      TEXT NOT NULL AS (coalesce(nullif(counts, '') ->> '$.uses[1]', ''))
) STRICT;
CREATE INDEX lesson_by_state ON lesson (project, state);
CREATE INDEX lesson_by_stand ON lesson (project, stood, changed_at);
CREATE INDEX lesson_by_age ON lesson (project, created_at);
CREATE INDEX lesson_by_signature ON lesson (project, signature) WHERE signature <> '';
CREATE INDEX lesson_by_origin ON lesson (origin) WHERE origin <> '';
CREATE INDEX lesson_by_review ON lesson (project, review_after) WHERE review_after <> '';
CREATE INDEX lesson_ways ON lesson (project)
  WHERE about = '*' OR always = 1 OR (about = '' AND klass IN ('preference', 'rule', 'security'));

-- Kept in step by the triggers below, so that no writer can forget it.
CREATE VIRTUAL TABLE lesson_fts USING fts5 (
  text, words, content = 'lesson', content_rowid = 'n', tokenize = 'porter unicode61'
);
INSERT INTO lesson_fts (lesson_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER lesson_added AFTER INSERT ON lesson BEGIN
  INSERT INTO lesson_fts (rowid, text, words) VALUES (new.n, new.text, new.words);
END;
CREATE TRIGGER lesson_reworded AFTER UPDATE OF text, words ON lesson
WHEN old.text <> new.text OR old.words <> new.words BEGIN
  INSERT INTO lesson_fts (lesson_fts, rowid, text, words)
  VALUES ('delete', old.n, old.text, old.words);
  INSERT INTO lesson_fts (rowid, text, words) VALUES (new.n, new.text, new.words);
END;

-- Every change of a lesson: why, undo and the team's lines are this table. An entry may be a line;
-- one that is not applied is a line that waits for trust, or that a later word passed.
CREATE TABLE journal (
  n         INTEGER PRIMARY KEY AUTOINCREMENT,
  lesson    TEXT NOT NULL,
  project   TEXT NOT NULL,
  verb      TEXT NOT NULL,
  by        TEXT NOT NULL,
  why       TEXT NOT NULL,
  at        TEXT NOT NULL,
  session   TEXT NOT NULL,
  before    TEXT NOT NULL,  -- the fields that changed, as they were
  after     TEXT NOT NULL,  -- and as they are since
  machine   TEXT NOT NULL,
  number    INTEGER NOT NULL,  -- of a line: rising for each project and machine; 0: no line
  line      TEXT NOT NULL,  -- the digest of that line
  body      TEXT NOT NULL,  -- and the line as it stands in a file or on a server; blanked by erase
  signer    TEXT NOT NULL,
  standing  TEXT NOT NULL CHECK (standing IN ('applied', 'waiting', 'passed'))
) STRICT;
CREATE INDEX journal_by_lesson ON journal (lesson);
CREATE INDEX journal_by_project ON journal (project);
CREATE UNIQUE INDEX journal_line ON journal (project, line) WHERE line <> '';

CREATE TABLE evidence (
  n        INTEGER PRIMARY KEY,
  lesson   TEXT NOT NULL,
  project  TEXT NOT NULL,
  session  TEXT NOT NULL,  -- empty: a person's word, or counted elsewhere
  "group"  TEXT NOT NULL,  -- the session group: forks and resumptions are one witness
  stance   TEXT NOT NULL CHECK (stance IN ('supports', 'contradicts', 'came back')),
  measure  TEXT NOT NULL,  -- empty: a sighting; otherwise what an origin counts
  amount   REAL NOT NULL,
  place    TEXT NOT NULL,
  quote    TEXT NOT NULL,
  by       TEXT NOT NULL,
  word     TEXT NOT NULL CHECK (word IN ('person', 'session', 'outside')),
  at       TEXT NOT NULL,
  extra    TEXT NOT NULL,
  UNIQUE (lesson, session, place, stance, measure)
) STRICT;
CREATE INDEX evidence_by_session ON evidence (session);
CREATE INDEX evidence_by_group ON evidence ("group") WHERE "group" <> '';

-- A lesson put in front of an agent at a moment, or held out by the coin, and what came of it.
CREATE TABLE delivery (
  n            INTEGER PRIMARY KEY,
  lesson       TEXT NOT NULL,
  project      TEXT NOT NULL,
  session      TEXT NOT NULL,
  "group"      TEXT NOT NULL,
  context      TEXT NOT NULL,  -- empty: the main one; a sub-agent, or after a compaction
  event        TEXT NOT NULL,  -- the hook's call; a repeated one is silent
  moment       TEXT NOT NULL,  -- start, prompt, call, failure, finish
  arm          TEXT NOT NULL CHECK (arm IN ('delivered', 'held out', 'exempt')),
  probability  REAL NOT NULL,  -- of being held out, at the time
  family       TEXT NOT NULL,
  tokens       INTEGER NOT NULL,
  at           TEXT NOT NULL,
  outcome      TEXT NOT NULL,  -- empty: not settled
  loss         REAL NOT NULL,
  settled_at   TEXT NOT NULL,
  extra        TEXT NOT NULL
) STRICT;
CREATE INDEX delivery_by_group ON delivery ("group", lesson);
CREATE INDEX delivery_by_lesson ON delivery (lesson);
CREATE UNIQUE INDEX delivery_answers ON delivery (event) WHERE lesson = '';  -- an event once

CREATE TABLE session (
  id          TEXT PRIMARY KEY,  -- of project, host and the host's name: the same on every machine
  project     TEXT NOT NULL,
  host        TEXT NOT NULL,
  name        TEXT NOT NULL,
  "group"     TEXT NOT NULL,
  number      INTEGER NOT NULL,  -- the project's count when it was first learned
  agent       TEXT NOT NULL,
  model       TEXT NOT NULL,
  task        TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  complete    INTEGER NOT NULL,
  path        TEXT NOT NULL,
  started_at  TEXT NOT NULL,
  ended_at    TEXT NOT NULL,
  learned_at  TEXT NOT NULL,  -- empty while it was only given lessons
  extra       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_project ON session (project, number);
CREATE INDEX session_by_group ON session ("group");
CREATE INDEX session_by_name ON session (project, name);

-- What failed in a session, by the line that tells it; a session that grew writes its rows anew.
CREATE TABLE failure (
  session  TEXT NOT NULL,
  sign     TEXT NOT NULL,
  project  TEXT NOT NULL,
  "group"  TEXT NOT NULL,
  program  TEXT NOT NULL,
  line     TEXT NOT NULL,
  calls    INTEGER NOT NULL,
  seconds  INTEGER NOT NULL,
  cure     TEXT NOT NULL,  -- the next call of that program that passed
  place    TEXT NOT NULL,
  at       TEXT NOT NULL,
  extra    TEXT NOT NULL,
  PRIMARY KEY (session, sign)
) STRICT, WITHOUT ROWID;
CREATE INDEX failure_by_sign ON failure (project, sign);

CREATE TABLE question (
  id           TEXT PRIMARY KEY,
  project      TEXT NOT NULL,
  lesson       TEXT NOT NULL,
  kind         TEXT NOT NULL,
  text         TEXT NOT NULL,
  payload      TEXT NOT NULL,
  asked_at     TEXT NOT NULL,
  answered_at  TEXT NOT NULL,
  answer       TEXT NOT NULL,
  by           TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX question_open ON question (project, asked_at) WHERE answered_at = '';
CREATE INDEX question_by_lesson ON question (lesson);

-- Work for the worker. A key is in the queue once; a job leaves it only when it is done.
CREATE TABLE job (
  n           INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT NOT NULL,
  key         TEXT NOT NULL UNIQUE,
  project     TEXT NOT NULL,
  payload     TEXT NOT NULL,
  asked_at    TEXT NOT NULL,
  not_before  TEXT NOT NULL,
  attempts    INTEGER NOT NULL,
  holder      TEXT NOT NULL,
  held_until  TEXT NOT NULL,
  error       TEXT NOT NULL
) STRICT;

CREATE TABLE setting (
  key    TEXT PRIMARY KEY,
  value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Another name of a lesson stands under `name:`, its project, whose name it is, and the name.
CREATE INDEX setting_by_lesson ON setting (value) WHERE key >= 'name:' AND key < 'name;';

-- What is common in a project, as the worker counts it: words, names and commands by the sessions
-- that used them, and for the whole store ('') words by the lessons that hold them. An event is
-- what should be rare, by its day.
CREATE TABLE common (
  project  TEXT NOT NULL,
  kind     TEXT NOT NULL CHECK (kind IN ('word', 'name', 'command', 'event')),
  what     TEXT NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (project, kind, what)
) STRICT, WITHOUT ROWID;
