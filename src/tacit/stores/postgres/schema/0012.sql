-- Schema 12. What a lesson is about: a topic and literal names, or * for a way of working.

ALTER TABLE memory ADD COLUMN about text NOT NULL DEFAULT '';
