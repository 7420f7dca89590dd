-- Ends a life: its records and messages are nobody's any more.
-- in:  life
INSERT INTO stile_gone (life) VALUES (:life)
