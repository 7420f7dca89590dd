-- Stores what became of a row.
-- in:  life, number, stamp, ttl, alive, budget, due, since, pend, receive, delivery, cancelled_at, position,
--      records, written_at, finished_at, touched_at, happened_at, trim_at, answer_op, answer_at, enqueue_op,
--      enqueue_at, cancel_op, request_cancel_op, discard_op, discard_removed, answer_count, count, epoch,
--      wakeup, trim_class, put_off, cancel_requested, granted_by, answer_kind, answer_flag, enqueue_kind,
--      enqueue_state, cancel_removed, queue, next_queue, error, tail, ns,
--      id
UPDATE stile_workflow SET
  life = :life, number = :number, stamp = :stamp,
  ttl = :ttl, alive = :alive, budget = :budget,
  due = :due, since = :since, pend = :pend,
  receive = :receive, delivery = :delivery, cancelled_at = :cancelled_at,
  position = :position, records = :records, written_at = :written_at,
  finished_at = :finished_at, touched_at = :touched_at, happened_at = :happened_at,
  trim_at = :trim_at, answer_op = :answer_op, answer_at = :answer_at,
  enqueue_op = :enqueue_op, enqueue_at = :enqueue_at, cancel_op = :cancel_op,
  request_cancel_op = :request_cancel_op, discard_op = :discard_op, discard_removed = :discard_removed,
  answer_count = :answer_count, count = :count, epoch = :epoch,
  wakeup = :wakeup, trim_class = :trim_class, put_off = :put_off,
  cancel_requested = :cancel_requested, granted_by = :granted_by, answer_kind = :answer_kind,
  answer_flag = :answer_flag, enqueue_kind = :enqueue_kind, enqueue_state = :enqueue_state,
  cancel_removed = :cancel_removed, queue = :queue, next_queue = :next_queue,
  error = :error, tail = :tail
WHERE ns = :ns AND id = :id
