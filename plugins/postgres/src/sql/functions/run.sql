-- A batch of writes, each atomic alone, in one commit (R3).
-- SPDX-License-Identifier: Apache-2.0

-- A row that is not there yet. It is inserted whole by flush_v1.
CREATE FUNCTION stile.fresh_v1(p_ns integer, p_id bytea) RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
DECLARE
  r stile.row_v1;
BEGIN
  r.ns := p_ns;
  r.id := p_id;
  r.queue := '';
  r.number := 0;
  r.ttl := 0;
  r.alive := 0;
  r.budget := 0;
  r.due := 0;
  r.delivery := 0;
  r.position := 0;
  r.records := 0;
  r.written_at := 0;
  r.touched_at := 0;
  r.happened_at := 0;
  r.trim_at := 0;
  r.count := 0;
  r.answer_count := 0;
  r.wakeup := 0;
  r.trim_class := 0;
  r.granted_by := 0;
  r.answer_kind := 0;
  r.answer_flag := 0;
  r.enqueue_kind := 0;
  r.enqueue_state := 0;
  r.cancel_requested := false;
  r.cancel_removed := false;
  r.fresh := true;
  r.dirty := false;
  r.k_wakeup := 0;
  r.k_class := 0;
  r.k_trim_at := 0;
  RETURN r;
END $$;

-- Locks the rows of the ids, given in order and once each: who takes several rows takes them in this order, so that
-- nobody waits in a circle. LATERAL, here and everywhere: one look by key for each id, whatever a planner thinks of
-- tables that were empty a moment ago. An id without a row is locked by its hash, until the commit: who makes a row and
-- who finds none stand in one order with each other, and read the clock in it. Those that makes says may be made are
-- fresh.
CREATE FUNCTION stile.lock_v1(p_ns integer, ids bytea[], makes boolean[]) RETURNS stile.row_v1[]
LANGUAGE plpgsql AS $$
DECLARE
  rows stile.row_v1[] := array_fill(NULL::stile.row_v1, ARRAY[cardinality(ids)]);
  missing integer[];
  have integer := 0;
  x record;
BEGIN
  FOR x IN
    SELECT t.i, found_.r FROM unnest(ids) WITH ORDINALITY AS t(id, i)
      CROSS JOIN LATERAL (SELECT v AS r FROM stile.row_v1 v WHERE v.ns = p_ns AND v.id = t.id FOR UPDATE) found_
  LOOP
    rows[x.i] := x.r;
    have := have + 1;
  END LOOP;
  IF have = cardinality(ids) THEN RETURN rows; END IF;
  SELECT array_agg(i) INTO missing FROM generate_series(1, cardinality(ids)) AS i WHERE rows[i] IS NULL;
  PERFORM pg_advisory_xact_lock(p_ns, hash)
  FROM (SELECT DISTINCT hashtext(encode(ids[i], 'hex')) AS hash FROM unnest(missing) AS i ORDER BY 1 OFFSET 0) h;
  FOR x IN
    SELECT i, found_.r FROM unnest(missing) AS i
      CROSS JOIN LATERAL (SELECT v AS r FROM stile.row_v1 v WHERE v.ns = p_ns AND v.id = ids[i] FOR UPDATE) found_
  LOOP
    rows[x.i] := x.r;
  END LOOP;
  FOREACH have IN ARRAY missing LOOP
    IF makes[have] AND rows[have] IS NULL THEN rows[have] := stile.fresh_v1(p_ns, ids[have]); END IF;
  END LOOP;
  RETURN rows;
END $$;

-- The batch: one element of each array for each operation (fields.cpp says what they mean), ids and makes as in
-- lock_v1, p_row the place in ids of each operation's workflow, p_after the last operation before it that is of the
-- same workflow, or 0. flag 1: only after the one before it answered ok (R3).
CREATE FUNCTION stile.run_v1(
  p_ns integer, ids bytea[], makes boolean[], p_kind smallint[], p_flags integer[], p_row integer[], p_after integer[],
  p_op uuid[], p_subject bytea[], p_key bytea[], p_value bytea[], p_number bigint[], p_stamp uuid[], p_n1 bigint[],
  p_n2 bigint[], p_n3 bigint[], p_queue bytea[], p_receive uuid[], p_delivery bigint[])
RETURNS SETOF stile.answer_v1 LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rows stile.row_v1[];
  r stile.row_v1;
  o stile.operation_v1;
  out_ stile.answer_v1;
  p_floor bigint;
  manual bigint;
  p_epoch integer;
  now bigint;
  done stile.answer_v1[];
  is_done boolean[] := array_fill(false, ARRAY[cardinality(p_kind)]);
  is_ok boolean[] := is_done;
  pick boolean[];
  kind smallint;
  left_ integer := cardinality(p_kind);
BEGIN
  PERFORM stile.begin_v1();
  IF cardinality(ids) > 0 AND p_kind && '{5,13,16}' THEN
    PERFORM stile.lock_only_v1(p_ns, ids);
    SELECT f.floor, f.manual, f.epoch INTO p_floor, manual, p_epoch FROM stile.floor_v1(p_ns) f;
    now := stile.clock_v1(manual);
    -- The end of a pass is a record and an ack behind it.
    FOREACH kind IN ARRAY '{5,13,16}'::smallint[] LOOP
      CONTINUE WHEN kind <> ALL (p_kind);
      pick := ARRAY(
        SELECT t.of_kind = kind AND (t.after = 0 OR is_done[t.after]) AND (t.flags & 1 = 0 OR is_ok[t.n::integer - 1])
        FROM unnest(p_kind, p_flags, p_after) WITH ORDINALITY AS t(of_kind, flags, after, n) ORDER BY t.n);
      done := ARRAY(SELECT one FROM stile.same_v1(
        p_ns, kind, pick, p_flags, p_op, p_subject, p_key, p_value, p_number, p_stamp, p_n1, p_queue, p_receive,
        p_delivery, now, p_epoch, p_floor) one);
      RETURN QUERY SELECT * FROM unnest(done);
      RETURN QUERY SELECT * FROM stile.same_news_v1(p_ns, kind, p_subject, done, now);
      left_ := left_ - cardinality(done);
      FOREACH out_ IN ARRAY done LOOP
        is_done[out_.n] := true;
        is_ok[out_.n] := true;
      END LOOP;
    END LOOP;
  END IF;
  IF left_ = 0 THEN
    out_ := NULL;
    out_.n := 0;
    out_.flag := 0;
    out_.a := stile.place_v1();
    IF out_.a IS NOT NULL THEN RETURN NEXT out_; END IF;
    RETURN;
  END IF;
  IF cardinality(ids) > 0 THEN rows := stile.lock_v1(p_ns, ids, makes); END IF;
  SELECT f.floor, f.manual, f.epoch INTO p_floor, manual, p_epoch FROM stile.floor_v1(p_ns) f;
  now := stile.clock_v1(manual);
  FOR o IN
    SELECT t.n::integer, t.kind, t.flags, t.row, t.op, t.subject, t.key, t.value, t.number, t.stamp, t.n1, t.n2, t.n3,
           t.queue, t.receive, t.delivery
    FROM unnest(p_kind, p_flags, p_row, p_op, p_subject, p_key, p_value, p_number, p_stamp, p_n1, p_n2, p_n3, p_queue,
                p_receive, p_delivery) WITH ORDINALITY
      AS t(kind, flags, row, op, subject, key, value, number, stamp, n1, n2, n3, queue, receive, delivery, n)
  LOOP
    CONTINUE WHEN is_done[o.n];
    IF o.flags & 1 <> 0 AND NOT is_ok[o.n - 1] THEN
      out_ := ROW(o.n, 12, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    ELSIF o.row IS NULL THEN
      out_ := stile.document_v1(p_ns, o, manual);
    ELSE
      r := rows[o.row];
      r.status := 0;
      r.why := NULL;
      r.flag := NULL;
      r.a := NULL;
      r.b := NULL;
      r.c := NULL;
      r.d := NULL;
      r.val := NULL;
      IF r.epoch IS DISTINCT FROM p_epoch THEN r := stile.age_v1(r, p_epoch); END IF;
      IF r.wakeup = 0 AND r.records = 0 AND r.number = 0 AND r.finished_at IS NULL AND NOT r.cancel_requested
         AND o.kind IN (1, 6, 7, 11, 13) THEN
        r.touched_at := now;  -- a husk begins anew
      END IF;
      CASE o.kind
        WHEN 5 THEN r := stile.record_v1(r, o, now, p_floor);
        WHEN 13 THEN r := stile.wake_v1(r, o, now);
        WHEN 16, 17, 18, 19 THEN r := stile.answer_v1(r, o, now);
        WHEN 15 THEN r := stile.extend_v1(r, o, now);
        WHEN 6 THEN r := stile.supply_v1(r, o, now, p_floor);
        WHEN 7 THEN r := stile.append_v1(r, o, now, p_floor);
        WHEN 1 THEN r := stile.acquire_v1(r, o, now, p_floor);
        WHEN 2 THEN r := stile.renew_v1(r, o, now);
        WHEN 3 THEN r := stile.release_v1(r, o, now);
        WHEN 9 THEN r := stile.rebase_v1(r, o, now, p_floor);
        WHEN 10 THEN r := stile.discard_v1(r, o, now);
        WHEN 11 THEN r := stile.request_cancel_v1(r, o, now);
        WHEN 20 THEN r := stile.cancel_v1(r, o, now);
      END CASE;
      out_.n := o.n;
      out_.status := r.status;
      out_.why := r.why;
      out_.flag := r.flag;
      out_.a := r.a;
      out_.b := r.b;
      out_.c := r.c;
      out_.d := r.d;
      out_.stamp := CASE WHEN o.kind = 1 THEN r.stamp END;
      out_.val := r.val;
      IF r.dirty THEN rows[o.row] := r; END IF;
    END IF;
    is_ok[o.n] := out_.status = 0;
    RETURN NEXT out_;
  END LOOP;
  IF rows IS NULL THEN RETURN; END IF;
  PERFORM stile.flush_v1(p_ns, rows, now);
  RETURN QUERY SELECT * FROM stile.news_v1(p_ns, rows, now);
  out_ := NULL;
  out_.n := 0;
  out_.flag := 0;
  out_.a := stile.place_v1();
  IF out_.a IS NOT NULL THEN RETURN NEXT out_; END IF;
END $$;
