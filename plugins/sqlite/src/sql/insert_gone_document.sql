-- Says when a document goes.
-- in:  ns, at, key
INSERT INTO stile_gone_document (ns, at, key) VALUES (:ns, :at, :key)
