-- Documents from a key on, in byte order, husks too. Their values are not read.
-- in:  ns, from
-- out: key, version, expires_at, erased_at
SELECT key, version, expires_at, erased_at FROM stile_document WHERE ns = :ns AND key >= :from ORDER BY key
