-- The record of a key.
-- in:  life, key
-- out: position, written_at, op, kind, key, value
SELECT position, written_at, op, kind, key, value
FROM stile_record
WHERE life = :life AND key = :key
