-- Sets a fact about the whole file.
-- in:  name, value
INSERT INTO stile_meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value
