-- Puts a row where trim looks.
-- in:  ns, class, at, id
INSERT INTO stile_trim (ns, class, at, id) VALUES (:ns, :class, :at, :id)
