-- The document of a key, or the husk of one.
-- in:  ns, key
-- out: version, expires_at, erased_at, ops, aside, value
SELECT version, expires_at, erased_at, ops, aside, CASE WHEN aside IS NULL THEN doc.value ELSE stile_value.value END
FROM stile_document AS doc LEFT JOIN stile_value ON stile_value.id = aside
WHERE ns = :ns AND key = :key
