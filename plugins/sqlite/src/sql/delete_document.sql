-- Forgets a document.
-- in:  ns, key
DELETE FROM stile_document WHERE ns = :ns AND key = :key
