-- The one schema of a store. Every time is ISO 8601 text in UTC. Lists and objects are JSON text; empty text means none.
-- Truth: memory, journal, evidence, use, use_mark, run, finding, tombstone, incident, proposal, alias, shared, project, profile.
-- Derived, rebuilt by `tacit reindex`: memory_fts, term, tally, course. Work in progress: queue. What was said: injection.
-- In the order in which 0.2.0 made them: repair knows a table by its place.

CREATE TABLE meta (
  key    TEXT PRIMARY KEY,
  value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per project; @global and @agent hold lessons that are not bound to one.
CREATE TABLE project (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL DEFAULT '',
  root        TEXT NOT NULL DEFAULT '',  -- the work tree where it was last seen
  key         TEXT NOT NULL DEFAULT '',  -- the real path, for a folder without git
  remote      TEXT NOT NULL DEFAULT '',  -- normalised, so that a fresh clone is recognised
  profile     TEXT NOT NULL DEFAULT '',  -- the profile version in force
  trial_key   BLOB NOT NULL,             -- the key of the coin; travels with sync
  run_seq     INTEGER NOT NULL DEFAULT 0,
  created_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_remote ON project (remote) WHERE remote <> '';
CREATE INDEX project_key ON project (key) WHERE key <> '';

-- Each version of a profile that ever judged here, compiled.
CREATE TABLE profile (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  compiled    TEXT NOT NULL,
  created_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One lesson a row: what was decided about it. `hash` covers the columns from id to extra, for a cache.
CREATE TABLE memory (
  n                   INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL UNIQUE,
  project             TEXT NOT NULL,
  text                TEXT NOT NULL,
  kind                TEXT NOT NULL,
  klass               TEXT NOT NULL,
  category            TEXT NOT NULL,
  scope               TEXT NOT NULL,
  domain              TEXT NOT NULL,
  agent               TEXT NOT NULL,
  task_type           TEXT NOT NULL,
  tags                TEXT NOT NULL,
  paths               TEXT NOT NULL,
  severity            TEXT NOT NULL,
  source              TEXT NOT NULL,
  origin              TEXT NOT NULL,
  trust               TEXT NOT NULL,
  gate                TEXT NOT NULL,
  gate_reason         TEXT NOT NULL,
  state               TEXT NOT NULL,
  previous_state      TEXT NOT NULL,
  under_review_count  INTEGER NOT NULL,
  closed_by           TEXT NOT NULL,
  verdict             TEXT NOT NULL,
  signature           TEXT NOT NULL,
  family              TEXT NOT NULL,
  pinned              INTEGER NOT NULL,
  on_page             INTEGER NOT NULL,
  merged              INTEGER NOT NULL,
  stale_at            TEXT NOT NULL,
  review_after        TEXT NOT NULL,
  supersedes          TEXT NOT NULL,
  superseded_by       TEXT NOT NULL,
  created_at          TEXT NOT NULL,
  updated_at          TEXT NOT NULL,
  extra               TEXT NOT NULL,
  hash                BLOB NOT NULL,
  words               TEXT NOT NULL DEFAULT '',  -- derived: what full text finds the memory by, beside its text
  about               TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX memory_by_signature ON memory (project, signature) WHERE signature <> '';
CREATE INDEX memory_by_origin ON memory (origin) WHERE origin <> '';

CREATE TABLE alias (
  project    TEXT NOT NULL,
  namespace  TEXT NOT NULL,
  alias      TEXT NOT NULL,
  memory     TEXT NOT NULL,
  PRIMARY KEY (project, namespace, alias)
) STRICT, WITHOUT ROWID;
CREATE INDEX alias_by_memory ON alias (memory);

-- What changed and why. `payload` (reason, before, after) is blanked by erase; salt, digest, row and hash are empty.
CREATE TABLE journal (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  memory   TEXT NOT NULL,
  n        INTEGER NOT NULL,
  project  TEXT NOT NULL,
  verb     TEXT NOT NULL,
  by       TEXT NOT NULL,
  at       TEXT NOT NULL,
  run      TEXT NOT NULL,
  profile  TEXT NOT NULL,
  machine  TEXT NOT NULL,
  payload  TEXT NOT NULL,
  salt     BLOB NOT NULL,
  digest   BLOB NOT NULL,
  row      BLOB NOT NULL,
  hash     BLOB NOT NULL,
  UNIQUE (memory, n)
) STRICT;
CREATE INDEX journal_by_project ON journal (project);

-- A run supports or contradicts a memory. Rows with opening = 1 are balances an imported store brought along.
CREATE TABLE evidence (
  n        INTEGER PRIMARY KEY,
  key      TEXT NOT NULL UNIQUE,
  memory   TEXT NOT NULL,
  project  TEXT NOT NULL,
  run      TEXT NOT NULL,
  root     TEXT NOT NULL,
  finding  TEXT NOT NULL,
  stance   TEXT NOT NULL,
  signal   TEXT NOT NULL,
  amount   REAL NOT NULL,
  origin   TEXT NOT NULL,
  by       TEXT NOT NULL,
  tier     TEXT NOT NULL,
  place    TEXT NOT NULL,
  quote    TEXT NOT NULL,
  at       TEXT NOT NULL,
  seq      INTEGER NOT NULL,
  opening  INTEGER NOT NULL,
  hash     BLOB NOT NULL
) STRICT;
CREATE INDEX evidence_by_memory ON evidence (memory);
CREATE INDEX evidence_by_run ON evidence (run) WHERE run <> '';

-- A memory assigned to a unit of work: injected, withheld, or exempt from the coin.
CREATE TABLE use (
  memory               TEXT NOT NULL,
  unit                 TEXT NOT NULL,
  project              TEXT NOT NULL,
  run                  TEXT NOT NULL,
  family               TEXT NOT NULL,
  arm                  TEXT NOT NULL,
  probability          REAL NOT NULL,
  surface              TEXT NOT NULL,
  epoch                TEXT NOT NULL,
  instrument           TEXT NOT NULL,
  instrument_eligible  INTEGER NOT NULL,
  task                 TEXT NOT NULL,
  blank                INTEGER NOT NULL,
  at                   TEXT NOT NULL,
  hash                 BLOB NOT NULL,
  PRIMARY KEY (unit, memory)
) STRICT, WITHOUT ROWID;

-- Later facts about a use: delivered, cited, crossed, outcome, an origin's own audit.
CREATE TABLE use_mark (
  n        INTEGER PRIMARY KEY,
  memory   TEXT NOT NULL,
  unit     TEXT NOT NULL,
  project  TEXT NOT NULL,
  signal   TEXT NOT NULL,
  value    TEXT NOT NULL,
  amount   REAL NOT NULL,
  run      TEXT NOT NULL,
  surface  TEXT NOT NULL,
  reason   TEXT NOT NULL,
  at       TEXT NOT NULL,
  hash     BLOB NOT NULL
) STRICT;
CREATE INDEX use_mark_by_memory ON use_mark (memory, unit);

-- Folds over evidence, use and use_mark.
CREATE TABLE tally (
  memory   TEXT NOT NULL,
  signal   TEXT NOT NULL,
  project  TEXT NOT NULL,
  amount   REAL NOT NULL,
  at       TEXT NOT NULL,
  PRIMARY KEY (memory, signal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tally_seen ON tally (project, amount DESC) WHERE signal = 'seen';

CREATE TABLE run (
  id          TEXT PRIMARY KEY,  -- hash of project, host and foreign id: the same on every machine
  project     TEXT NOT NULL,
  host        TEXT NOT NULL,
  foreign_id  TEXT NOT NULL,
  root        TEXT NOT NULL,     -- the unit: the first run's id
  seq         INTEGER NOT NULL,  -- the project's count of learned runs when this one was first learned
  agent       TEXT NOT NULL,
  model       TEXT NOT NULL,
  version     TEXT NOT NULL,
  domain      TEXT NOT NULL,
  task        TEXT NOT NULL,
  task_id     TEXT NOT NULL,
  task_type   TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  complete    INTEGER NOT NULL,
  started_at  TEXT NOT NULL,
  ended_at    TEXT NOT NULL,
  learned_at  TEXT NOT NULL,     -- empty while it has only been given lessons
  settled_at  TEXT NOT NULL,
  path        TEXT NOT NULL,
  facts       TEXT NOT NULL,     -- JSON: steps, size, cost, reading, extra
  hash        BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX run_by_project ON run (project, seq);
CREATE INDEX run_by_root ON run (root);

-- What a run said. A discarded finding keeps a hash and a reason, never its text.
CREATE TABLE finding (
  key        TEXT PRIMARY KEY,
  project    TEXT NOT NULL,
  run        TEXT NOT NULL,
  place      TEXT NOT NULL,
  extractor  TEXT NOT NULL,
  version    INTEGER NOT NULL,
  memory     TEXT NOT NULL,
  outcome    TEXT NOT NULL,      -- allow, hold, quarantine, discard, linked
  reason     TEXT NOT NULL,
  gate       TEXT NOT NULL,      -- gate version
  text       TEXT NOT NULL,
  digest     BLOB NOT NULL,      -- of the text, for a discarded one
  kind       TEXT NOT NULL,
  by         TEXT NOT NULL,
  tier       TEXT NOT NULL,
  origin     TEXT NOT NULL,
  signature  TEXT NOT NULL,
  score      REAL NOT NULL,      -- of the match, and of the runner-up
  runner_up  REAL NOT NULL,
  at         TEXT NOT NULL,
  hash       BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_by_run ON finding (run);
CREATE INDEX finding_by_memory ON finding (memory) WHERE memory <> '';

-- A place whose finding was erased or rejected: a better extractor does not bring it back.
CREATE TABLE tombstone (
  run      TEXT NOT NULL,
  place    TEXT NOT NULL,
  project  TEXT NOT NULL,
  reason   TEXT NOT NULL,
  at       TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE proposal (
  id          TEXT PRIMARY KEY,
  project     TEXT NOT NULL,
  kind        TEXT NOT NULL,
  memory      TEXT NOT NULL,
  state       TEXT NOT NULL,
  tier        TEXT NOT NULL,
  reason      TEXT NOT NULL,
  by          TEXT NOT NULL,
  payload     TEXT NOT NULL,
  approvals   TEXT NOT NULL,
  created_at  TEXT NOT NULL,
  expires_at  TEXT NOT NULL,
  decided_by  TEXT NOT NULL,
  decided_at  TEXT NOT NULL,
  decision    TEXT NOT NULL,
  hash        BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_open ON proposal (project, state, created_at);
CREATE INDEX proposal_by_memory ON proposal (memory) WHERE memory <> '';

-- Work for the worker. A key is in the queue once; a lease that ran out is taken over.
CREATE TABLE queue (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT NOT NULL,
  key          TEXT NOT NULL UNIQUE,
  project      TEXT NOT NULL,
  payload      TEXT NOT NULL,
  at           TEXT NOT NULL,
  not_before   TEXT NOT NULL,
  attempts     INTEGER NOT NULL,
  lease        TEXT NOT NULL,
  lease_until  TEXT NOT NULL,
  error        TEXT NOT NULL
) STRICT;

-- One row per answer given to an agent; `event` makes a repeated hook silent.
CREATE TABLE injection (
  id        INTEGER PRIMARY KEY,
  event     TEXT NOT NULL UNIQUE,
  project   TEXT NOT NULL,
  run       TEXT NOT NULL,
  unit      TEXT NOT NULL,
  surface   TEXT NOT NULL,
  tokens    INTEGER NOT NULL,
  given     TEXT NOT NULL,       -- JSON: ids
  withheld  TEXT NOT NULL,       -- JSON: ids
  left_out  TEXT NOT NULL,       -- JSON: counts by reason and the twenty nearest
  at        TEXT NOT NULL
) STRICT;
CREATE INDEX injection_by_unit ON injection (unit);

CREATE VIRTUAL TABLE memory_fts USING fts5 (text, words, content = 'memory', content_rowid = 'n', tokenize = 'porter unicode61');

-- What was skipped, dropped, fallen back on or refused, by day.
CREATE TABLE counter (
  project  TEXT NOT NULL,
  day      TEXT NOT NULL,
  name     TEXT NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (project, day, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_by_state ON memory (project, state, updated_at);
CREATE INDEX memory_by_age ON memory (project, created_at);
CREATE INDEX memory_by_review ON memory (project, review_after) WHERE review_after <> '';
CREATE INDEX tally_seen_at ON tally (project, at) WHERE signal = 'seen';
CREATE INDEX tally_uses_at ON tally (project, at) WHERE signal = 'uses';
CREATE INDEX tally_confidence ON tally (project, amount) WHERE signal = 'confidence';
CREATE INDEX tally_contradicted ON tally (project, amount) WHERE signal = 'contradicted';
CREATE INDEX tally_frequency ON tally (project, amount) WHERE signal = 'frequency';
CREATE INDEX run_by_name ON run (project, foreign_id);
CREATE INDEX use_mark_by_unit ON use_mark (unit) WHERE unit <> '';

-- The team's journal (`tacit sync`): one row a line.
CREATE TABLE shared (
  n         INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  project   TEXT NOT NULL,
  memory    TEXT NOT NULL,
  kind      TEXT NOT NULL,
  machine   TEXT NOT NULL,
  local     TEXT NOT NULL,
  standing  TEXT NOT NULL,      -- own, team, unknown
  signer    TEXT NOT NULL,
  head      TEXT NOT NULL,      -- JSON: everything but the words
  digest    TEXT NOT NULL,
  salt      TEXT NOT NULL,      -- salt and words are blanked by erase
  words     TEXT NOT NULL       -- JSON; empty where there are none, or they were erased
) STRICT;
CREATE INDEX shared_by_memory ON shared (project, memory);
CREATE INDEX shared_by_local ON shared (project, kind, local);

-- How far each lesson on trial has come, so that settling one more use does not read all earlier ones again. A row that is missing
-- is found out from use and use_mark when its lesson is next judged.
CREATE TABLE course (
  memory   TEXT NOT NULL,
  epoch    TEXT NOT NULL,  -- model family and host
  project  TEXT NOT NULL,
  kept     TEXT NOT NULL,  -- JSON: the counts by holdout rate, the verdict that was crossed, and when
  PRIMARY KEY (memory, epoch)
) STRICT, WITHOUT ROWID;
CREATE INDEX use_by_memory ON use (memory, task);

-- What was noticed in each run, whether or not anybody is told: one row per run and signature. A run that grew writes its rows anew.
CREATE TABLE incident (
  project  TEXT NOT NULL,
  run      TEXT NOT NULL,
  lineage  TEXT NOT NULL,  -- what forks, resumptions and sub-agents share: one witness
  person   TEXT NOT NULL DEFAULT '',
  seq      INTEGER NOT NULL,  -- the run's number in its project
  kind     TEXT NOT NULL,  -- failure, command, sentence, complaint
  mark     TEXT NOT NULL,  -- the signature
  family   TEXT NOT NULL DEFAULT '',
  nature   TEXT NOT NULL DEFAULT '',  -- of a failure, as core/diagnose.py says; of a command its purpose
  code     TEXT NOT NULL DEFAULT '',
  name     TEXT NOT NULL DEFAULT '',
  tool     TEXT NOT NULL DEFAULT '',
  program  TEXT NOT NULL DEFAULT '',  -- what failed; the form of a command; the words of a sentence
  folder   TEXT NOT NULL DEFAULT '',
  line     TEXT NOT NULL DEFAULT '',
  count    INTEGER NOT NULL DEFAULT 1,
  failed   INTEGER NOT NULL DEFAULT 0,
  soft     INTEGER NOT NULL DEFAULT 0,
  calls    INTEGER NOT NULL DEFAULT 0,
  seconds  INTEGER NOT NULL DEFAULT 0,
  ended    TEXT NOT NULL DEFAULT '',
  cure     TEXT NOT NULL DEFAULT '',
  repair   TEXT NOT NULL DEFAULT '',
  place    TEXT NOT NULL DEFAULT '',
  at       TEXT NOT NULL DEFAULT '',
  hash     BLOB NOT NULL DEFAULT x'',
  PRIMARY KEY (run, kind, mark)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_by_mark ON incident (project, kind, mark);

-- How many memories hold each word of the full text, and which ones where they are few: one lookup for all words of a long prompt.
CREATE TABLE term (
  word  TEXT NOT NULL PRIMARY KEY,  -- as the full text's tokenizer leaves it
  rows  INTEGER NOT NULL,  -- memories that hold it
  few   BLOB  -- their numbers, four bytes each, the lowest byte first; NULL once they have been more than 64
) STRICT, WITHOUT ROWID;

-- The rows of a word as the tokenizer leaves it; a MATCH would stem it once more.
CREATE VIRTUAL TABLE term_row USING fts5vocab (memory_fts, instance);

-- What applies whatever the task is: ways of working, and rules and wishes of which nobody said what they are about.
CREATE INDEX memory_ways ON memory (project) WHERE about = '*' OR pinned = 1 OR (about = '' AND klass IN ('preference', 'rule', 'security'));
