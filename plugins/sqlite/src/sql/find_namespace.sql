-- A namespace by its name.
-- in:  name
-- out: ns, floor, document_floor, manual_clock
SELECT ns, floor, document_floor, manual_clock FROM stile_namespace WHERE name = :name
