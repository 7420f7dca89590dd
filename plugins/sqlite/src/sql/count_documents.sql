-- Counts documents that are there, looking at so many rows at most.
-- in:  now, ns, limit
-- out: looked at, there
SELECT count(*), count(*) FILTER (WHERE erased_at = 0 AND (expires_at = 0 OR expires_at > :now))
FROM (SELECT expires_at, erased_at FROM stile_document WHERE ns = :ns LIMIT :limit)
