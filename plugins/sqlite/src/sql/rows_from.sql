-- Rows from an id on, in byte order.
-- in:  ns, from
-- out: as rows_after
SELECT id, life, number, records, finished_at, wakeup, cancel_requested, queue, next_queue, error, core, tail
FROM stile_workflow
WHERE ns = :ns AND id >= :from
ORDER BY id
