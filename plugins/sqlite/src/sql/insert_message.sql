-- Remembers where a message went (I3).
-- in:  life, kind, id, position, op
INSERT INTO stile_message (life, kind, id, position, op) VALUES (:life, :kind, :id, :position, :op)
