-- Makes a namespace; manual_clock is its time where its clock stands still (A14).
-- in:  name, manual_clock
INSERT INTO stile_namespace (name, manual_clock) VALUES (:name, :manual_clock)
