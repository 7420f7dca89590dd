-- What forgotten ids and documents of a namespace left behind, and its clock.
-- in:  ns
-- out: floor, document_floor, manual_clock
SELECT floor, document_floor, manual_clock FROM stile_namespace WHERE ns = :ns
