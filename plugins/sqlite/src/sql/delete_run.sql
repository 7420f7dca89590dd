-- Removes a run of records.
-- in:  life, last
DELETE FROM stile_record WHERE life = :life AND last = :last
