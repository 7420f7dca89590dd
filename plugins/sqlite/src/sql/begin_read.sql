-- Begins a transaction that only reads.
BEGIN
