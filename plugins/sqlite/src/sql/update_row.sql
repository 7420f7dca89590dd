-- Stores what became of a row.
-- in:  life, number, records, finished_at, wakeup, cancel_requested, queue, next_queue, error, core, tail, ns, id
UPDATE stile_workflow SET
  life = :life, number = :number, records = :records, finished_at = :finished_at, wakeup = :wakeup,
  cancel_requested = :cancel_requested, queue = :queue, next_queue = :next_queue, error = :error, core = :core,
  tail = :tail
WHERE ns = :ns AND id = :id
