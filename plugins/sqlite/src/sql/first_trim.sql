-- The row of a class that trim may look at first.
-- in:  ns, class, until
-- out: id
SELECT id FROM stile_trim WHERE ns = :ns AND class = :class AND at <= :until ORDER BY at LIMIT 1
