-- Forgets where the records of a workflow stand.
-- in:  life
DELETE FROM stile_key WHERE life = :life
