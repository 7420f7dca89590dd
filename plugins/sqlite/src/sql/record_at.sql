-- The record at a position.
-- in:  life, position
-- out: position, written_at, op, kind, key, value
SELECT position, written_at, op, kind, key, value
FROM stile_record
WHERE life = :life AND position = :position
