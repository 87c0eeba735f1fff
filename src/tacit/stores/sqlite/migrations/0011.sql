-- Schema 11. A row of what was noticed carries the hash of what was written, as the other tables' rows do; one from before carries none.

ALTER TABLE incident ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
