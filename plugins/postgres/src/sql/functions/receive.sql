-- receive: hands out what is due, earliest first (D, W7, W10, R1).
-- SPDX-License-Identifier: Apache-2.0

-- Takes up to p_take of what is due in one queue, put off or not, and locks both its places: never waiting, for an
-- answer holds the row and wants the place. MATERIALIZED, so that no plan takes more than that (P13).
CREATE FUNCTION stile.claim_v1(p_ns integer, p_queue bytea, p_take integer, p_now bigint) RETURNS stile.row_v1[]
LANGUAGE plpgsql AS $$
DECLARE
  rows stile.row_v1[];
BEGIN
  WITH live AS MATERIALIZED (
    SELECT id, due AS place FROM stile.due WHERE ns = p_ns AND queue = p_queue AND lane = 0 AND due <= p_now
    ORDER BY due, id LIMIT p_take FOR UPDATE SKIP LOCKED
  ), put_off AS MATERIALIZED (
    SELECT id, since AS place FROM stile.due WHERE ns = p_ns AND queue = p_queue AND lane = 1 AND due <= p_now
    ORDER BY since, id LIMIT p_take FOR UPDATE SKIP LOCKED
  ), claimed AS MATERIALIZED (
    SELECT id, place FROM (SELECT * FROM live UNION ALL SELECT * FROM put_off) both_ ORDER BY place, id LIMIT p_take
  )
  SELECT array_agg(x.r ORDER BY c.place, c.id) INTO rows
  FROM claimed c CROSS JOIN LATERAL (
    SELECT v AS r FROM stile.row_v1 v WHERE v.ns = p_ns AND v.id = c.id FOR UPDATE SKIP LOCKED) x;
  RETURN rows;
END $$;

-- A delivery, its records before it where p_limit says so. left_: bytes that may still be given.
CREATE FUNCTION stile.tell_v1(r stile.row_v1, with_fence boolean, p_limit integer, INOUT left_ bigint,
                              OUT told stile.received_v1[])
LANGUAGE plpgsql AS $$
DECLARE
  x record;
  given integer := 0;
  last bigint := 0;
  flags integer := r.cancel_requested::integer * 2 + (r.finished_at IS NOT NULL)::integer * 4 + with_fence::integer * 8;
BEGIN
  IF p_limit IS NOT NULL AND r.records > 0 THEN
    FOR x IN SELECT position, written_at, key, value, coalesce(octet_length(key), 26) + octet_length(value) AS size
             FROM stile.record WHERE life = r.life ORDER BY position LIMIT p_limit
    LOOP
      EXIT WHEN x.size > left_;
      left_ := left_ - x.size;
      last := x.position;
      told := told || ROW(2, NULL, NULL, x.position, x.written_at, NULL, NULL, NULL, NULL, NULL, x.key, NULL,
                          x.value)::stile.received_v1;
    END LOOP;
    IF last < r.position THEN flags := flags + 1; END IF;
  END IF;
  told := told || ROW(1, flags, r.count, coalesce(r.since, r.due), r.delivery, r.number, r.alive, r.budget, r.receive,
                      r.stamp, r.id, r.queue, r.error)::stile.received_v1;
END $$;

-- p_ttl NULL: without the workflow's lease; p_limit NULL: without records. again: the deliveries of the first send with
-- this op_id that are still current, if there are any.
CREATE FUNCTION stile.receive_v1(
  p_ns integer, queues bytea[], p_max integer, p_lease bigint, p_ttl bigint, p_budget bigint, p_limit integer,
  max_bytes bigint, p_op uuid, again boolean)
RETURNS SETOF stile.received_v1 LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  nonce uuid := coalesce(p_op, gen_random_uuid());
  rows stile.row_v1[];
  given stile.row_v1[];
  r stile.row_v1;
  told stile.received_v1[];
  p_floor bigint;
  manual bigint;
  p_epoch integer;
  begun bigint;
  now bigint;
  q bytea;
  left_ integer := p_max;
  left_bytes bigint := max_bytes;
  put_off integer := 0;
  more boolean := false;
  taken bytea[];
  names bytea[];
BEGIN
  PERFORM stile.begin_v1();
  -- One that was sent before may still be at work: what it hands out is seen after it.
  IF p_op IS NOT NULL THEN PERFORM pg_advisory_xact_lock(hashtextextended(p_op::text, p_ns)); END IF;
  SELECT f.floor, f.manual, f.epoch INTO p_floor, manual, p_epoch FROM stile.floor_v1(p_ns) f;
  IF again THEN
    FOR r IN SELECT v.* FROM stile.due d JOIN stile.row_v1 v ON v.ns = p_ns AND v.id = d.id
             WHERE d.ns = p_ns AND d.wakeup = 2 AND d.lane < 2 AND v.wakeup = 2 AND v.receive = nonce
               AND v.epoch = p_epoch
    LOOP
      SELECT * INTO left_bytes, told FROM stile.tell_v1(r, p_ttl IS NOT NULL AND r.stamp = nonce AND r.granted_by = 14,
                                                        p_limit, left_bytes);
      RETURN QUERY SELECT * FROM unnest(told);
      left_ := 0;
    END LOOP;
    IF left_ = 0 THEN
      RETURN QUERY SELECT 0::smallint, 0, NULL::integer, stile.clock_v1(manual), NULL::bigint, NULL::bigint,
        NULL::bigint, NULL::bigint, NULL::uuid, NULL::uuid, NULL::bytea, NULL::bytea, NULL::bytea;
      RETURN;
    END IF;
  END IF;
  -- What this call hands out or puts off is due after it began: nothing is met twice (D10).
  begun := stile.clock_v1(manual);
  <<look>>
  FOREACH q IN ARRAY queues LOOP
    LOOP
      IF EXISTS (SELECT 1 FROM stile.due WHERE ns = p_ns AND queue = q AND lane = 1 AND due <= begun) THEN
        rows := stile.claim_v1(p_ns, q, least(left_, 1000), begun);
        now := greatest(stile.clock_v1(manual), begun);
      ELSE
        SELECT * INTO taken, rows, now
        FROM stile.same_receive_v1(p_ns, q, least(left_, 1000), begun, nonce, p_lease, p_ttl, p_budget, p_floor,
                                   p_epoch, manual);
        IF taken IS NOT NULL THEN
          names := names || taken;
          left_ := left_ - cardinality(taken);
          EXIT WHEN left_ = 0;
          CONTINUE WHEN rows IS NULL;
        END IF;
      END IF;
      EXIT WHEN rows IS NULL;
      FOR i IN 1 .. cardinality(rows) LOOP
        r := rows[i];
        IF r.epoch <> p_epoch THEN r := stile.age_v1(r, p_epoch); END IF;
        IF p_ttl IS NOT NULL AND now < r.alive THEN
          IF put_off = 100 THEN more := true; EXIT; END IF;
          put_off := put_off + 1;
          r.since := coalesce(r.since, r.due);
          r.due := r.alive;
        ELSE
          r := stile.deliver_v1(r, nonce, p_lease, p_ttl, p_budget, now, p_floor);
          given := given || r;
          left_ := left_ - 1;
        END IF;
        r.dirty := true;
        rows[i] := r;
      END LOOP;
      PERFORM stile.flush_v1(p_ns, rows, now);
      EXIT look WHEN more;
      EXIT WHEN left_ = 0;
    END LOOP;
    IF left_ = 0 THEN
      more := EXISTS (SELECT 1 FROM stile.due WHERE ns = p_ns AND queue = q AND lane = 0 AND due <= begun)
           OR EXISTS (SELECT 1 FROM stile.due WHERE ns = p_ns AND queue = q AND lane = 1 AND due <= begun);
      EXIT;
    END IF;
  END LOOP;
  IF names IS NOT NULL THEN
    IF p_limit IS NULL OR stile.sizes_v1(p_ns, names, p_limit) <= left_bytes THEN
      RETURN QUERY SELECT * FROM stile.same_tell_v1(p_ns, names, p_ttl IS NOT NULL, p_limit);
      left_bytes := left_bytes - CASE WHEN p_limit IS NULL THEN 0 ELSE stile.sizes_v1(p_ns, names, p_limit) END;
    ELSE
      given := ARRAY(SELECT w.r FROM unnest(names) WITH ORDINALITY AS t(id, n) CROSS JOIN LATERAL (
                       SELECT v AS r FROM stile.row_v1 v WHERE v.ns = p_ns AND v.id = t.id) w ORDER BY t.n) || given;
    END IF;
  END IF;
  FOR i IN 1 .. coalesce(cardinality(given), 0) LOOP
    SELECT * INTO left_bytes, told FROM stile.tell_v1(given[i], p_ttl IS NOT NULL, p_limit, left_bytes);
    RETURN QUERY SELECT * FROM unnest(told);
  END LOOP;
  RETURN QUERY SELECT 0::smallint,
    more::integer + CASE WHEN more AND EXISTS (
      SELECT 1 FROM stile.waiter w WHERE w.ns = p_ns AND w.queues && receive_v1.queues) THEN 16 ELSE 0 END,
    NULL::integer, stile.clock_v1(manual),
    CASE WHEN given IS NULL AND names IS NULL THEN (
      SELECT min(first.due) FROM unnest(queues) AS u(q) CROSS JOIN (VALUES (0), (1)) AS l(lane)
      CROSS JOIN LATERAL (SELECT d.due FROM stile.due d WHERE d.ns = p_ns AND d.queue = u.q
                            AND d.lane = l.lane ORDER BY d.due LIMIT 1) AS first) END,
    stile.place_v1(), NULL::bigint, NULL::bigint, NULL::uuid, NULL::uuid, NULL::bytea, NULL::bytea, NULL::bytea;
END $$;

-- One delivery (D2, D5, D9): the row is not leased, or no lease is asked for.
CREATE FUNCTION stile.deliver_v1(r stile.row_v1, nonce uuid, p_lease bigint, p_ttl bigint, p_budget bigint,
                                 p_now bigint, p_floor bigint) RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
BEGIN
  IF p_ttl IS NOT NULL THEN
    r.number := CASE WHEN r.number <> 0 THEN r.number ELSE greatest(p_floor, r.base) END + 1;
    r.stamp := nonce;
    r.granted_by := 14;
    r.ttl := p_ttl;
    r.budget := stile.later_v1(p_now, p_budget);
    r.alive := least(stile.later_v1(p_now, p_ttl), r.budget);
  END IF;
  r.delivery := CASE WHEN r.delivery <> 0 THEN r.delivery ELSE p_floor END + 1;
  r.count := r.count + 1;
  r.receive := nonce;
  r.wakeup := 2;
  r.due := stile.later_v1(p_now, p_lease);
  r.since := NULL;
  r.pend := NULL;
  r.cancelled_at := NULL;
  RETURN r;
END $$;
