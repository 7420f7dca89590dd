-- Raises the floors of numbers, positions and versions (A1, B4, K2); never lowers one.
-- in:  floor, document_floor, ns
UPDATE stile_namespace SET floor = max(floor, :floor), document_floor = max(document_floor, :document_floor)
WHERE ns = :ns
