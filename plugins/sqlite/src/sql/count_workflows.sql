-- Counts known workflows, finished ones and records, looking at so many rows at most.
-- in:  ns, limit
-- out: looked at, known, finished, records
SELECT count(*),
  count(*) FILTER (WHERE records <> 0 OR number <> 0 OR wakeup <> 0 OR cancel_requested <> 0 OR finished_at <> 0),
  count(*) FILTER (WHERE finished_at <> 0), total(records)
FROM (SELECT records, number, wakeup, cancel_requested, finished_at FROM stile_workflow WHERE ns = :ns LIMIT :limit)
