-- Adds a record unless its key is there (B1).
-- in:  life, position, written_at, op, kind, key, value
INSERT INTO stile_record (life, position, written_at, op, kind, key, value)
VALUES (:life, :position, :written_at, :op, :kind, :key, :value)
ON CONFLICT (life, key) WHERE key IS NOT NULL DO NOTHING
