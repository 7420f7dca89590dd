-- The run of records that a position falls into.
-- in:  life, position
-- out: records
SELECT records FROM stile_record
WHERE life = :life AND last >= :position
ORDER BY last LIMIT 1
