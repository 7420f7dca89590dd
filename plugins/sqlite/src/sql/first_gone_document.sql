-- The document that went first, by a time.
-- in:  ns, until
-- out: key
SELECT key FROM stile_gone_document WHERE ns = :ns AND at <= :until ORDER BY at LIMIT 1
