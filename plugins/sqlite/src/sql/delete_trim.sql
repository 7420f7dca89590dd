-- Takes a row from where trim looks.
-- in:  ns, class, at, id
DELETE FROM stile_trim WHERE ns = :ns AND class = :class AND at = :at AND id = :id
