-- The run of records that the record of a key is in.
-- in:  life, key
-- out: records
SELECT records FROM stile_record
WHERE life = :life AND last >= (SELECT position FROM stile_key WHERE life = :life AND key = :key)
ORDER BY last LIMIT 1
