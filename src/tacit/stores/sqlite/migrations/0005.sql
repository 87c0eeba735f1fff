-- Schema 5. A run by its host's name and the marks of a unit are found by index: every hook and every learned run asks for them, and
-- both tables grow with every run.

CREATE INDEX run_by_name ON run (project, foreign_id);
CREATE INDEX use_mark_by_unit ON use_mark (unit) WHERE unit <> '';
