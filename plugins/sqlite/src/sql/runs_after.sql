-- The runs of records of a workflow that reach above a position, in order (B3).
-- in:  life, after
-- out: last, records
SELECT last, records FROM stile_record
WHERE life = :life AND last > :after
ORDER BY last
