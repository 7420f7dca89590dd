-- The records of a workflow above a position, in order (B3).
-- in:  life, after
-- out: position, written_at, op, kind, key, value
SELECT position, written_at, op, kind, key, value
FROM stile_record
WHERE life = :life AND position > :after
ORDER BY position
