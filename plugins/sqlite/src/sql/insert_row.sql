-- Stores the row of an id for the first time.
-- in:  ns, id, life, number, records, finished_at, wakeup, cancel_requested, queue, next_queue, error, core, tail
INSERT INTO stile_workflow
  (ns, id, life, number, records, finished_at, wakeup, cancel_requested, queue, next_queue, error, core, tail)
VALUES (:ns, :id, :life, :number, :records, :finished_at, :wakeup, :cancel_requested, :queue, :next_queue, :error,
  :core, :tail)
