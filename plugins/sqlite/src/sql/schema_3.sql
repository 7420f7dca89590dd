-- The step from schema 2 to 3: large values lie aside.
-- SPDX-License-Identifier: Apache-2.0

-- A row of a table WITHOUT ROWID is a key of its b-tree. Whoever passes by compares it, and SQLite reads all of it for
-- that: one value of 16 MiB made every write near it read 16 MiB. So there only small values stand in the row itself.
CREATE TABLE stile_value (id INTEGER PRIMARY KEY, value BLOB NOT NULL);

ALTER TABLE stile_record ADD COLUMN aside INTEGER;
CREATE TRIGGER stile_record_erased AFTER DELETE ON stile_record WHEN old.aside IS NOT NULL
BEGIN
  DELETE FROM stile_value WHERE id = old.aside;
END;

ALTER TABLE stile_document ADD COLUMN aside INTEGER;
CREATE TRIGGER stile_document_erased AFTER DELETE ON stile_document WHEN old.aside IS NOT NULL
BEGIN
  DELETE FROM stile_value WHERE id = old.aside;
END;
