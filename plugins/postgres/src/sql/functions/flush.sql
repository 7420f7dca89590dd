-- Writes rows back, and keeps due and trim in step with them.
-- SPDX-License-Identifier: Apache-2.0

-- The rows that changed, in one statement for each table that needs one. Trim moves rows without anything happening.
CREATE FUNCTION stile.flush_v1(p_ns integer, rows stile.row_v1[], p_now bigint, happened boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  r stile.row_v1;
  dirty boolean := false;
  due_gone boolean := false;
  due_new boolean := false;
  due_moved boolean := false;
  trim_gone boolean := false;
  trim_new boolean := false;
  fresh integer := 0;
  made integer;
  class smallint;
  at bigint;
BEGIN
  FOR i IN 1 .. coalesce(cardinality(rows), 0) LOOP
    r := rows[i];
    CONTINUE WHEN r.id IS NULL;
    CONTINUE WHEN NOT r.dirty;
    IF r.fresh THEN fresh := fresh + 1; ELSE dirty := true; END IF;
    IF happened THEN r.happened_at := greatest(r.happened_at, p_now); END IF;
    -- Where trim will look for it (T1, T2). The time is a lower bound: what stays in its class is not moved each time.
    class := CASE WHEN r.wakeup <> 0 THEN 0
                  WHEN r.finished_at IS NOT NULL THEN CASE WHEN p_now < r.alive THEN 2 ELSE 1 END
                  WHEN r.records = 0 AND NOT r.cancel_requested THEN 3 ELSE 0 END;
    IF class <> r.trim_class OR class <> 0 THEN
      r.trim_class := class;
      at := CASE class WHEN 1 THEN r.touched_at WHEN 2 THEN r.alive
                       WHEN 3 THEN stile.later_v1(greatest(r.happened_at, r.alive), 600000000) ELSE 0 END;
      IF class <> r.k_class OR at < r.trim_at THEN
        r.trim_at := at;
        trim_gone := trim_gone OR r.k_class <> 0;
        trim_new := trim_new OR class <> 0;
      END IF;
    END IF;
    IF r.wakeup <> 0 THEN
      IF r.k_lane IS NULL THEN
        due_new := true;
      ELSE
        due_moved := due_moved OR r.due <> r.k_due OR r.wakeup <> r.k_wakeup OR r.queue <> r.k_queue
          OR r.since IS DISTINCT FROM r.k_since;
      END IF;
    ELSE
      due_gone := due_gone OR r.k_lane IS NOT NULL;
    END IF;
    rows[i] := r;
  END LOOP;
  IF fresh > 0 THEN
    INSERT INTO stile.workflow (
      life, number, base, ttl, alive, budget, due, since, pend, delivery, cancelled_at, position, records, written_at,
      finished_at, touched_at, happened_at, trim_at, answer_at, enqueue_at, discard_removed, ns, epoch, count,
      answer_count, wakeup, trim_class, granted_by, answer_kind, answer_flag, enqueue_kind, enqueue_state,
      cancel_requested, cancel_removed, stamp, receive, answer_op, enqueue_op, cancel_op, request_op, discard_op, id,
      queue, next_queue, error)
    SELECT u.life, u.number, u.base, u.ttl, u.alive, u.budget, u.due, u.since, u.pend, u.delivery, u.cancelled_at,
      u.position, u.records, u.written_at, u.finished_at, u.touched_at, u.happened_at, u.trim_at, u.answer_at,
      u.enqueue_at, u.discard_removed, u.ns, u.epoch, u.count, u.answer_count, u.wakeup, u.trim_class, u.granted_by,
      u.answer_kind, u.answer_flag, u.enqueue_kind, u.enqueue_state, u.cancel_requested, u.cancel_removed, u.stamp,
      u.receive, u.answer_op, u.enqueue_op, u.cancel_op, u.request_op, u.discard_op, u.id, u.queue, u.next_queue,
      u.error
    FROM unnest(rows) u WHERE u.dirty AND u.fresh
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made < fresh THEN
      RAISE EXCEPTION 'another transaction made one of these workflows meanwhile' USING ERRCODE = '40001';
    END IF;
  END IF;
  IF dirty THEN
    UPDATE stile.workflow w SET
      life = u.life, number = u.number, base = u.base, ttl = u.ttl, alive = u.alive, budget = u.budget, due = u.due,
      since = u.since, pend = u.pend, delivery = u.delivery, cancelled_at = u.cancelled_at, position = u.position,
      records = u.records, written_at = u.written_at, finished_at = u.finished_at, touched_at = u.touched_at,
      happened_at = u.happened_at, trim_at = u.trim_at, answer_at = u.answer_at, enqueue_at = u.enqueue_at,
      discard_removed = u.discard_removed, epoch = u.epoch, count = u.count, answer_count = u.answer_count,
      wakeup = u.wakeup, trim_class = u.trim_class, granted_by = u.granted_by, answer_kind = u.answer_kind,
      answer_flag = u.answer_flag, enqueue_kind = u.enqueue_kind, enqueue_state = u.enqueue_state,
      cancel_requested = u.cancel_requested,
      cancel_removed = u.cancel_removed, stamp = u.stamp, receive = u.receive, answer_op = u.answer_op,
      enqueue_op = u.enqueue_op, cancel_op = u.cancel_op, request_op = u.request_op, discard_op = u.discard_op,
      queue = u.queue, next_queue = u.next_queue, error = u.error
    FROM unnest(rows) u WHERE u.dirty AND NOT u.fresh AND w.ctid = u.tid;
  END IF;
  IF due_gone THEN
    DELETE FROM stile.due WHERE ctid = ANY (ARRAY(
      SELECT d.ctid FROM unnest(rows) u CROSS JOIN LATERAL (
        SELECT k.ctid FROM stile.due k
        WHERE k.ns = p_ns AND k.queue = u.k_queue AND k.lane = u.k_lane AND k.due = u.k_due AND k.id = u.id OFFSET 0) d
      WHERE u.dirty AND u.wakeup = 0 AND u.k_lane IS NOT NULL));
  END IF;
  IF due_moved THEN
    UPDATE stile.due d SET due = x.due, since = x.since, wakeup = x.wakeup, queue = x.queue,
      lane = stile.lane_v1(x.wakeup, x.since)
    FROM (SELECT u.due, u.since, u.wakeup, u.queue, t.ctid FROM unnest(rows) u CROSS JOIN LATERAL (
            SELECT k.ctid FROM stile.due k
            WHERE k.ns = p_ns AND k.queue = u.k_queue AND k.lane = u.k_lane AND k.due = u.k_due AND k.id = u.id
            OFFSET 0) t
          WHERE u.dirty AND u.wakeup <> 0 AND u.k_lane IS NOT NULL
            AND (u.due <> u.k_due OR u.wakeup <> u.k_wakeup OR u.queue <> u.k_queue
                 OR u.since IS DISTINCT FROM u.k_since)) x
    WHERE d.ctid = x.ctid;
  END IF;
  IF due_new THEN
    INSERT INTO stile.due (due, since, ns, lane, wakeup, queue, id)
    SELECT u.due, u.since, p_ns, stile.lane_v1(u.wakeup, u.since), u.wakeup, u.queue, u.id
    FROM unnest(rows) u WHERE u.dirty AND u.wakeup <> 0 AND u.k_lane IS NULL;
  END IF;
  IF trim_gone THEN
    DELETE FROM stile.trim WHERE ctid = ANY (ARRAY(
      SELECT t.ctid FROM unnest(rows) u CROSS JOIN LATERAL (
        SELECT k.ctid FROM stile.trim k
        WHERE k.ns = p_ns AND k.class = u.k_class AND k.at = u.k_trim_at AND k.id = u.id OFFSET 0) t
      WHERE u.dirty AND u.k_class <> 0 AND (u.k_class <> u.trim_class OR u.k_trim_at <> u.trim_at)));
  END IF;
  IF trim_new THEN
    INSERT INTO stile.trim (at, ns, class, id)
    SELECT u.trim_at, p_ns, u.trim_class, u.id FROM unnest(rows) u
    WHERE u.dirty AND u.trim_class <> 0 AND (u.k_class <> u.trim_class OR u.k_trim_at <> u.trim_at);
  END IF;
END $$;
