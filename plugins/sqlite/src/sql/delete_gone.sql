-- Nothing is left of a life.
-- in:  life
DELETE FROM stile_gone WHERE life = :life
