-- Adds a record whose key is not there.
-- in:  life, position, written_at, op, kind, key, value
INSERT INTO stile_record (life, position, written_at, op, kind, key, value)
VALUES (:life, :position, :written_at, :op, :kind, :key, :value)
