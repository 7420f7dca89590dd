-- A value does not lie aside any more.
-- in:  id
DELETE FROM stile_value WHERE id = :id
