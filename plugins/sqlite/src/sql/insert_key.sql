-- Says where the record of a key stands.
-- in:  life, key, position
INSERT INTO stile_key (life, key, position) VALUES (:life, :key, :position)
