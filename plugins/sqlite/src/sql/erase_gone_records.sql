-- Erases some runs of records of a life that is over.
-- in:  life, limit
DELETE FROM stile_record WHERE life = :life AND last IN
  (SELECT last FROM stile_record WHERE life = :life ORDER BY last LIMIT :limit)
