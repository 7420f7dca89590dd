-- Says an operation instead of doing it (R7): what render hands out, for the caller's own transaction.
-- in:  namespace, kind, op_id, subject, key, value, enqueue_at, is_instant, queue, flag, version, ttl
INSERT INTO stile_said
  (namespace, kind, op_id, subject, key, value, enqueue_at, is_instant, queue, flag, version, ttl)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
