-- A document does not go then.
-- in:  ns, at, key
DELETE FROM stile_gone_document WHERE ns = :ns AND at = :at AND key = :key
