-- The record of a key.
-- in:  life, key
-- out: position, written_at, op, kind, key, value
SELECT position, written_at, op, kind, key, CASE WHEN aside IS NULL THEN record.value ELSE stile_value.value END
FROM stile_record AS record LEFT JOIN stile_value ON stile_value.id = aside
WHERE life = :life AND key = :key
