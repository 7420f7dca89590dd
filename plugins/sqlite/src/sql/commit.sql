-- Ends a transaction; what it wrote is visible to all.
COMMIT
