-- The queue after this one, of those that have wakeups.
-- in:  ns, after
-- out: queue
SELECT queue FROM stile_due WHERE ns = :ns AND queue > :after ORDER BY queue LIMIT 1
