-- Rows above an id, in byte order.
-- in:  ns, after
-- out: id, then as find
SELECT id, life, number, records, finished_at, wakeup, cancel_requested, queue, next_queue, error, core, tail
FROM stile_workflow
WHERE ns = :ns AND id > :after
ORDER BY id
