-- Erases some records of a life that is over.
-- in:  life, limit
DELETE FROM stile_record WHERE life = :life AND position IN
  (SELECT position FROM stile_record WHERE life = :life ORDER BY position LIMIT :limit)
