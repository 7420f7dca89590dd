-- Stores what is left of a run of records.
-- in:  records, life, last
UPDATE stile_record SET records = :records WHERE life = :life AND last = :last
