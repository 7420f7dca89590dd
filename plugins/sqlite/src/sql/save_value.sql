-- Puts a value aside: NULL makes a new one, whose id is the last inserted rowid.
-- in:  id, value
INSERT INTO stile_value (id, value) VALUES (:id, :value) ON CONFLICT (id) DO UPDATE SET value = excluded.value
