-- Erases some keys of a life that is over.
-- in:  life, limit
DELETE FROM stile_key WHERE life = :life AND key IN
  (SELECT key FROM stile_key WHERE life = :life ORDER BY key LIMIT :limit)
