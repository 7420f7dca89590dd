-- Adds a record unless its key is there (B1). Its value stands in it, or lies aside.
-- in:  life, position, written_at, op, kind, key, value, aside
INSERT INTO stile_record (life, position, written_at, op, kind, key, value, aside)
VALUES (:life, :position, :written_at, :op, :kind, :key, :value, :aside)
ON CONFLICT (life, key) WHERE key IS NOT NULL DO NOTHING
