-- Begins a transaction that may write: takes the write lock at once.
BEGIN IMMEDIATE
