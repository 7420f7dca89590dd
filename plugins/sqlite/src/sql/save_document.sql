-- Stores a document.
-- in:  ns, key, version, expires_at, erased_at, ops, value
INSERT INTO stile_document (ns, key, version, expires_at, erased_at, ops, value)
VALUES (:ns, :key, :version, :expires_at, :erased_at, :ops, :value)
ON CONFLICT (ns, key) DO UPDATE SET version = excluded.version, expires_at = excluded.expires_at,
  erased_at = excluded.erased_at, ops = excluded.ops, value = excluded.value
