-- The operation that another program said first.
-- in:
-- out: seq, said_at, namespace, kind, op_id, subject, key, value, enqueue_at, is_instant, queue, flag, version, ttl
SELECT seq, said_at, namespace, kind, op_id, subject, key, value, enqueue_at, is_instant, queue, flag, version, ttl
FROM stile_said ORDER BY seq LIMIT 1
