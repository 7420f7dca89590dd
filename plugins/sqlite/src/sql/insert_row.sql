-- Stores the row of an id for the first time.
-- in:  ns, id, life, number, stamp, ttl, alive, budget, due, since, pend, receive, delivery, cancelled_at,
--      position, records, written_at, finished_at, touched_at, happened_at, trim_at, answer_op, answer_at,
--      enqueue_op, enqueue_at, cancel_op, request_cancel_op, discard_op, discard_removed, answer_count,
--      count, epoch, wakeup, trim_class, put_off, cancel_requested, granted_by, answer_kind, answer_flag,
--      enqueue_kind, enqueue_state, cancel_removed, queue, next_queue, error, tail
INSERT INTO stile_workflow (ns, id, life,
  number, stamp, ttl, alive, budget, due, since, pend,
  receive, delivery, cancelled_at, position, records, written_at, finished_at, touched_at,
  happened_at, trim_at, answer_op, answer_at, enqueue_op, enqueue_at, cancel_op, request_cancel_op,
  discard_op, discard_removed, answer_count, count, epoch, wakeup, trim_class, put_off,
  cancel_requested, granted_by, answer_kind, answer_flag, enqueue_kind, enqueue_state, cancel_removed, queue,
  next_queue, error, tail)
VALUES (:ns, :id, :life,
  :number, :stamp, :ttl, :alive, :budget, :due, :since, :pend,
  :receive, :delivery, :cancelled_at, :position, :records, :written_at, :finished_at, :touched_at,
  :happened_at, :trim_at, :answer_op, :answer_at, :enqueue_op, :enqueue_at, :cancel_op, :request_cancel_op,
  :discard_op, :discard_removed, :answer_count, :count, :epoch, :wakeup, :trim_class, :put_off,
  :cancel_requested, :granted_by, :answer_kind, :answer_flag, :enqueue_kind, :enqueue_state, :cancel_removed, :queue,
  :next_queue, :error, :tail)
