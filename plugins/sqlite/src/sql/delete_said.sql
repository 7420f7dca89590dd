-- A said operation is done.
-- in:  seq
DELETE FROM stile_said WHERE seq = :seq
