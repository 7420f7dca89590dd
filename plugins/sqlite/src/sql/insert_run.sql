-- Adds a run of records, above all others of its workflow.
-- in:  life, last, records
INSERT INTO stile_record (life, last, records) VALUES (:life, :last, :records)
