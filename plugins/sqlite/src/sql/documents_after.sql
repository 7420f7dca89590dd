-- Documents above a key, in byte order, husks too. Their values are not read.
-- in:  ns, after
-- out: key, version, expires_at, erased_at
SELECT key, version, expires_at, erased_at FROM stile_document WHERE ns = :ns AND key > :after ORDER BY key
