-- Schema 15. What a lesson is about: a topic and literal names, or * for a way of working.

ALTER TABLE memory ADD COLUMN about TEXT NOT NULL DEFAULT '';
