-- Erases some messages of a life that is over.
-- in:  life, limit
DELETE FROM stile_message WHERE life = :life AND (kind, id) IN
  (SELECT kind, id FROM stile_message WHERE life = :life ORDER BY kind, id LIMIT :limit)
