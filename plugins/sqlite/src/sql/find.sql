-- The row of an id.
-- in:  ns, id
-- out: life, number, records, finished_at, wakeup, cancel_requested, queue, next_queue, error, core, tail
SELECT life, number, records, finished_at, wakeup, cancel_requested, queue, next_queue, error, core, tail
FROM stile_workflow
WHERE ns = :ns AND id = :id
