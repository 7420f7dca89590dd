-- Forgets a row.
-- in:  ns, id
DELETE FROM stile_workflow WHERE ns = :ns AND id = :id
