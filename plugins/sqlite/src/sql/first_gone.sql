-- A life that is over.
-- in:
-- out: life
SELECT life FROM stile_gone LIMIT 1
