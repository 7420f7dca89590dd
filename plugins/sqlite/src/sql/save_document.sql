-- Stores a document. Its value stands in it, or lies aside.
-- in:  ns, key, version, expires_at, erased_at, ops, value, aside
INSERT INTO stile_document (ns, key, version, expires_at, erased_at, ops, value, aside)
VALUES (:ns, :key, :version, :expires_at, :erased_at, :ops, :value, :aside)
ON CONFLICT (ns, key) DO UPDATE SET version = excluded.version, expires_at = excluded.expires_at,
  erased_at = excluded.erased_at, ops = excluded.ops, value = excluded.value, aside = excluded.aside
