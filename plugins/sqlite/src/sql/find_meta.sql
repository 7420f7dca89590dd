-- A fact about the whole file.
-- in:  name
-- out: value
SELECT value FROM stile_meta WHERE name = :name
