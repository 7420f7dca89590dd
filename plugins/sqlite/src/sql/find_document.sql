-- The document of a key, or the husk of one.
-- in:  ns, key
-- out: version, expires_at, erased_at, ops, value
SELECT version, expires_at, erased_at, ops, value FROM stile_document WHERE ns = :ns AND key = :key
