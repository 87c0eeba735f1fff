-- Schema 4. What is due is found by range, not by looking at every row: `tend` asks only for what crossed a date or a figure since
-- the last pass.

DROP INDEX memory_by_state;
CREATE INDEX memory_by_state ON memory (project, state, updated_at);
CREATE INDEX memory_by_age ON memory (project, created_at);
CREATE INDEX memory_by_review ON memory (project, review_after) WHERE review_after <> '';
CREATE INDEX tally_seen_at ON tally (project, at) WHERE signal = 'seen';
CREATE INDEX tally_uses_at ON tally (project, at) WHERE signal = 'uses';
CREATE INDEX tally_confidence ON tally (project, amount) WHERE signal = 'confidence';
CREATE INDEX tally_contradicted ON tally (project, amount) WHERE signal = 'contradicted';
CREATE INDEX tally_frequency ON tally (project, amount) WHERE signal = 'frequency';
