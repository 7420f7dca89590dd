-- Operations of one kind, each of another workflow, that meet what they nearly always meet: whole statements in place
-- of a loop. What they do is what the functions for one row do; an operation that meets anything else is left to those,
-- and answered by them. pick: which operations of the batch are meant.
-- SPDX-License-Identifier: Apache-2.0

-- Locks the rows of the ids, as lock_v1 does, and hands out none.
CREATE FUNCTION stile.lock_only_v1(p_ns integer, ids bytea[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  have bytea[] := ARRAY(
    SELECT w.id FROM unnest(ids) AS t(id)
      CROSS JOIN LATERAL (SELECT k.id FROM stile.workflow k WHERE k.ns = p_ns AND k.id = t.id FOR UPDATE) w);
BEGIN
  IF cardinality(have) = cardinality(ids) THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(p_ns, hash)
  FROM (SELECT DISTINCT hashtext(encode(t.id, 'hex')) AS hash FROM unnest(ids) AS t(id) WHERE t.id <> ALL (have)
        ORDER BY 1 OFFSET 0) h;
  PERFORM 1 FROM unnest(ids) AS t(id)
    CROSS JOIN LATERAL (SELECT k.id FROM stile.workflow k WHERE k.ns = p_ns AND k.id = t.id FOR UPDATE) w
  WHERE t.id <> ALL (have);
END $$;

-- Another transaction, which began with an older look at the tables, may have made a workflow meanwhile.
CREATE FUNCTION stile.all_made_v1(wanted bigint, made bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF made < wanted THEN
    RAISE EXCEPTION 'another transaction made one of these workflows meanwhile' USING ERRCODE = '40001';
  END IF;
  RETURN true;
END $$;

-- ack (answer_v1): in flight, not put off, nothing kept meanwhile.
CREATE FUNCTION stile.same_ack_v1(p_ns integer, pick boolean[], p_flags integer[], p_op uuid[], p_subject bytea[],
                                  p_number bigint[], p_stamp uuid[], p_receive uuid[], p_delivery bigint[],
                                  p_now bigint, p_epoch integer)
RETURNS SETOF stile.answer_v1 LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH o AS MATERIALIZED (
    SELECT t.n, t.op, w.*, CASE WHEN t.flags & 2 <> 0 THEN coalesce(w.finished, p_now) ELSE w.finished END AS finishes,
      CASE WHEN t.flags & 8 <> 0 THEN 0 ELSE w.alive END AS lives,
      CASE WHEN t.flags & 8 <> 0 THEN 0 ELSE w.budget END AS budgets
    FROM unnest(pick, p_flags, p_op, p_subject, p_number, p_stamp, p_receive, p_delivery)
        WITH ORDINALITY AS t(pick, flags, op, subject, number, stamp, receive, delivery, n)
      CROSS JOIN LATERAL (
        SELECT k.ctid AS tid, k.id, k.queue, k.due, k.finished_at AS finished, k.alive, k.budget, k.happened_at,
          k.records = 0 AND NOT k.cancel_requested AS empty
        FROM stile.workflow k
        WHERE k.ns = p_ns AND k.id = t.subject AND k.receive = t.receive AND k.delivery = t.delivery AND k.wakeup = 2
          AND k.since IS NULL AND k.pend IS NULL AND k.next_queue IS NULL AND k.epoch = p_epoch AND k.trim_class = 0
          AND (t.flags & 4 = 0 OR (k.number = t.number AND k.stamp = t.stamp))
          AND NOT (t.flags & 6 = 2 AND k.number <> 0) AND k.answer_op IS DISTINCT FROM t.op
        OFFSET 0) w
    WHERE t.pick
  ), c AS MATERIALIZED (
    SELECT o.*, (CASE WHEN finishes IS NOT NULL THEN CASE WHEN p_now < lives THEN 2 ELSE 1 END
                      WHEN empty THEN 3 ELSE 0 END)::smallint AS class
    FROM o
  ), p AS MATERIALIZED (
    SELECT c.*, CASE class WHEN 1 THEN p_now WHEN 2 THEN lives
      WHEN 3 THEN least(greatest(happened_at, p_now, lives) + 600000000, 253402300799999999) ELSE 0 END AS place
    FROM c
  ), u AS (
    UPDATE stile.workflow w SET
      wakeup = 0, due = 0, count = 0, error = NULL, finished_at = p.finishes, alive = p.lives, budget = p.budgets,
      answer_op = p.op, answer_kind = 16, answer_at = NULL, answer_count = 0, answer_flag = 0, touched_at = p_now,
      happened_at = greatest(w.happened_at, p_now), trim_class = p.class, trim_at = p.place
    FROM p WHERE w.ctid = p.tid
  ), d AS (
    DELETE FROM stile.due WHERE ctid = ANY (ARRAY(
      SELECT l.ctid FROM p CROSS JOIN LATERAL (
        SELECT k.ctid FROM stile.due k
        WHERE k.ns = p_ns AND k.queue = p.queue AND k.lane = 0 AND k.due = p.due AND k.id = p.id OFFSET 0) l))
  ), t AS (
    INSERT INTO stile.trim (at, ns, class, id) SELECT place, p_ns, class, id FROM p WHERE class <> 0
  )
  SELECT p.n::integer, 0::smallint, NULL::smallint, 0, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint,
    NULL::uuid, NULL::bytea FROM p;
END $$;

-- record (record_v1): under the current fence, of a key that is new.
CREATE FUNCTION stile.same_record_v1(p_ns integer, pick boolean[], p_op uuid[], p_subject bytea[], p_key bytea[],
                                     p_value bytea[], p_number bigint[], p_stamp uuid[], p_now bigint, p_epoch integer,
                                     p_floor bigint)
RETURNS SETOF stile.answer_v1 LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH o AS MATERIALIZED (
    SELECT t.n, t.op, t.key, t.value, w.*
    FROM unnest(pick, p_op, p_subject, p_key, p_value, p_number, p_stamp)
        WITH ORDINALITY AS t(pick, op, subject, key, value, number, stamp, n)
      CROSS JOIN LATERAL (
        SELECT k.ctid AS tid, coalesce(k.life, nextval('stile.life')) AS life, greatest(p_now, k.written_at) AS written,
          CASE WHEN k.position <> 0 THEN k.position ELSE greatest(p_floor, k.base) END + 1 AS place,
          CASE WHEN p_now < k.alive THEN greatest(k.alive, least(p_now + k.ttl, k.budget, 253402300799999999))
               ELSE k.alive END AS lives
        FROM stile.workflow k
        WHERE k.ns = p_ns AND k.id = t.subject AND k.number = t.number AND k.stamp = t.stamp AND k.epoch = p_epoch
          AND k.since IS NULL AND k.finished_at IS NULL AND k.trim_class = 0
          AND (k.life IS NULL OR NOT EXISTS (SELECT 1 FROM stile.record s WHERE s.life = k.life AND s.key = t.key))
        OFFSET 0) w
    WHERE t.pick
  ), u AS (
    UPDATE stile.workflow w SET life = o.life, position = o.place, records = w.records + 1, written_at = o.written,
      alive = o.lives, touched_at = p_now, happened_at = greatest(w.happened_at, p_now)
    FROM o WHERE w.ctid = o.tid
  ), r AS (
    INSERT INTO stile.record (life, position, written_at, kind, op, key, value)
    SELECT life, place, written, 5, op, key, value FROM o
  )
  SELECT o.n::integer, 0::smallint, NULL::smallint, 1, o.place, o.written, NULL::bigint, NULL::bigint, NULL::uuid,
    NULL::bytea FROM o;
END $$;

-- enqueue (wake_v1): of a workflow that is not there, or that has no wakeup. val of an answer is its queue.
CREATE FUNCTION stile.same_enqueue_v1(p_ns integer, pick boolean[], p_flags integer[], p_op uuid[],
                                      p_subject bytea[], p_n1 bigint[], p_queue bytea[], p_now bigint, p_epoch integer)
RETURNS SETOF stile.answer_v1 LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH o AS MATERIALIZED (
    SELECT t.n, t.op, t.subject, w.tid, coalesce(t.queue, w.queue, '') AS queue,
      CASE WHEN t.flags & 32 <> 0 THEN greatest(t.n1, p_now) ELSE least(p_now + t.n1, 253402300799999999) END AS due
    FROM unnest(pick, p_flags, p_op, p_subject, p_n1, p_queue)
        WITH ORDINALITY AS t(pick, flags, op, subject, n1, queue, n)
      LEFT JOIN LATERAL (
        SELECT k.ctid AS tid, k.queue, k.wakeup = 0 AND k.trim_class = 0 AND k.epoch = p_epoch
          AND k.enqueue_op IS DISTINCT FROM t.op
          AND (k.records <> 0 OR k.number <> 0 OR k.finished_at IS NOT NULL OR k.cancel_requested) AS usual
        FROM stile.workflow k WHERE k.ns = p_ns AND k.id = t.subject OFFSET 0) w ON true
    WHERE t.pick AND (w.tid IS NULL OR w.usual)
  ), u AS (
    UPDATE stile.workflow w SET wakeup = 1, due = o.due, count = 0, queue = o.queue, enqueue_op = o.op,
      enqueue_kind = 13, enqueue_state = CASE WHEN o.due <= p_now THEN 1 ELSE 2 END, enqueue_at = o.due,
      happened_at = greatest(w.happened_at, p_now)
    FROM o WHERE w.ctid = o.tid
  ), m AS (
    INSERT INTO stile.workflow (ns, id, epoch, wakeup, due, queue, enqueue_op, enqueue_kind, enqueue_state, enqueue_at,
      touched_at, happened_at)
    SELECT p_ns, o.subject, p_epoch, 1, o.due, o.queue, o.op, 13, CASE WHEN o.due <= p_now THEN 1 ELSE 2 END, o.due,
      p_now, p_now
    FROM o WHERE o.tid IS NULL
    ON CONFLICT DO NOTHING RETURNING id
  ), d AS (
    INSERT INTO stile.due (due, ns, lane, wakeup, queue, id)
    SELECT o.due, p_ns, 0, 1, o.queue, o.subject FROM o
  ), checked AS (
    SELECT stile.all_made_v1((SELECT count(*) FROM o WHERE tid IS NULL), (SELECT count(*) FROM m)) AS fine
  )
  SELECT o.n::integer, 0::smallint, NULL::smallint, NULL::integer, NULL::bigint, NULL::bigint, o.due,
    CASE WHEN o.due <= p_now THEN 1 ELSE 2 END::bigint, NULL::uuid, o.queue
  FROM o, checked WHERE checked.fine;
END $$;

-- receive (claim_v1, deliver_v1): what is due of one queue and was not put off. taken: what was delivered; rows: what
-- was locked, and is left to others; both NULL where nothing is due.
CREATE FUNCTION stile.same_receive_v1(
  p_ns integer, p_queue bytea, p_take integer, p_begun bigint, nonce uuid, p_lease bigint, p_ttl bigint,
  p_budget bigint, p_floor bigint, p_epoch integer, p_manual bigint,
  OUT taken bytea[], OUT rows stile.row_v1[], OUT now bigint) LANGUAGE plpgsql AS $$
DECLARE
  places tid[];
  ids bytea[];
BEGIN
  WITH claimed AS MATERIALIZED (
    SELECT ctid AS place, id, due FROM stile.due WHERE ns = p_ns AND queue = p_queue AND lane = 0 AND due <= p_begun
    ORDER BY due, id LIMIT p_take FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(c.place ORDER BY c.due, c.id), array_agg(c.id ORDER BY c.due, c.id) INTO places, ids
  FROM claimed c CROSS JOIN LATERAL (
    SELECT k.id FROM stile.workflow k WHERE k.ns = p_ns AND k.id = c.id FOR UPDATE SKIP LOCKED) x;
  IF ids IS NULL THEN RETURN; END IF;
  now := greatest(stile.clock_v1(p_manual), p_begun);
  WITH o AS MATERIALIZED (
    SELECT t.n, t.place, t.id, w.*
    FROM unnest(places, ids) WITH ORDINALITY AS t(place, id, n)
      CROSS JOIN LATERAL (
        SELECT k.ctid AS tid FROM stile.workflow k
        WHERE k.ns = p_ns AND k.id = t.id AND k.wakeup IN (1, 2) AND k.since IS NULL AND k.epoch = p_epoch
          AND (p_ttl IS NULL OR now >= k.alive)
        OFFSET 0) w
  ), u AS (
    UPDATE stile.workflow w SET
      number = CASE WHEN p_ttl IS NULL THEN w.number
                    ELSE CASE WHEN w.number <> 0 THEN w.number ELSE greatest(p_floor, w.base) END + 1 END,
      stamp = CASE WHEN p_ttl IS NULL THEN w.stamp ELSE nonce END,
      granted_by = CASE WHEN p_ttl IS NULL THEN w.granted_by ELSE 14 END,
      ttl = CASE WHEN p_ttl IS NULL THEN w.ttl ELSE p_ttl END,
      budget = CASE WHEN p_ttl IS NULL THEN w.budget ELSE least(now + p_budget, 253402300799999999) END,
      alive = CASE WHEN p_ttl IS NULL THEN w.alive ELSE least(now + least(p_ttl, p_budget), 253402300799999999) END,
      delivery = CASE WHEN w.delivery <> 0 THEN w.delivery ELSE p_floor END + 1, count = w.count + 1, receive = nonce,
      wakeup = 2, due = least(now + p_lease, 253402300799999999), pend = NULL, cancelled_at = NULL,
      happened_at = greatest(w.happened_at, now)
    FROM o WHERE w.ctid = o.tid
  ), d AS (
    UPDATE stile.due k SET due = least(now + p_lease, 253402300799999999), wakeup = 2, since = NULL
    FROM o WHERE k.ctid = o.place
  )
  SELECT array_agg(o.id ORDER BY o.n) INTO taken FROM o;
  IF cardinality(taken) = cardinality(ids) THEN RETURN; END IF;
  SELECT array_agg(w.r ORDER BY t.n) INTO rows
  FROM unnest(ids) WITH ORDINALITY AS t(id, n)
    CROSS JOIN LATERAL (SELECT v AS r FROM stile.row_v1 v WHERE v.ns = p_ns AND v.id = t.id) w
  WHERE taken IS NULL OR t.id <> ALL (taken);
END $$;

-- How many bytes the first records of these workflows have, p_limit of each.
CREATE FUNCTION stile.sizes_v1(p_ns integer, ids bytea[], p_limit integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT coalesce(sum(s.size), 0) FROM unnest(ids) AS t(id)
    CROSS JOIN LATERAL (SELECT k.life FROM stile.workflow k WHERE k.ns = p_ns AND k.id = t.id OFFSET 0) w
    CROSS JOIN LATERAL (SELECT coalesce(octet_length(key), 26) + octet_length(value) AS size FROM stile.record
                        WHERE life = w.life ORDER BY position LIMIT p_limit) s);
END $$;

-- Deliveries with all their records (tell_v1).
CREATE FUNCTION stile.same_tell_v1(p_ns integer, ids bytea[], with_fence boolean, p_limit integer)
RETURNS SETOF stile.received_v1 LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH o AS MATERIALIZED (
    SELECT t.n, w.* FROM unnest(ids) WITH ORDINALITY AS t(id, n) CROSS JOIN LATERAL (
      SELECT k.id, k.queue, k.life, k.records, k.count, k.due, k.delivery, k.number, k.alive, k.budget, k.receive,
        k.stamp, k.error, k.cancel_requested::integer * 2 + (k.finished_at IS NOT NULL)::integer * 4
          + with_fence::integer * 8 + coalesce(k.records > p_limit, false)::integer AS flag
      FROM stile.workflow k WHERE k.ns = p_ns AND k.id = t.id OFFSET 0) w
  )
  SELECT y.what, y.flag, y.count, y.a, y.b, y.c, y.d, y.e, y.u, y.v, y.id, y.queue, y.val
  FROM (
    SELECT o.n, 1::smallint AS what, o.flag, o.count, o.due AS a, o.delivery AS b, o.number AS c, o.alive AS d,
      o.budget AS e, o.receive AS u, o.stamp AS v, o.id, o.queue, o.error AS val
    FROM o
    UNION ALL
    SELECT o.n, 2::smallint, NULL, NULL, s.position, s.written_at, NULL, NULL, NULL, NULL, NULL, s.key, NULL, s.value
    FROM o CROSS JOIN LATERAL (SELECT position, written_at, key, value FROM stile.record
                               WHERE life = o.life ORDER BY position LIMIT p_limit) s
    WHERE p_limit IS NOT NULL AND o.records > 0
  ) y
  ORDER BY y.n, y.what DESC, y.a;
END $$;

-- Whichever of the three kind is.
CREATE FUNCTION stile.same_v1(
  p_ns integer, p_kind smallint, pick boolean[], p_flags integer[], p_op uuid[], p_subject bytea[], p_key bytea[],
  p_value bytea[], p_number bigint[], p_stamp uuid[], p_n1 bigint[], p_queue bytea[], p_receive uuid[],
  p_delivery bigint[], p_now bigint, p_epoch integer, p_floor bigint)
RETURNS SETOF stile.answer_v1 LANGUAGE plpgsql AS $$
BEGIN
  IF p_kind = 5 THEN
    RETURN QUERY SELECT * FROM stile.same_record_v1(p_ns, pick, p_op, p_subject, p_key, p_value, p_number, p_stamp,
                                                    p_now, p_epoch, p_floor);
  ELSIF p_kind = 13 THEN
    RETURN QUERY SELECT * FROM stile.same_enqueue_v1(p_ns, pick, p_flags, p_op, p_subject, p_n1, p_queue, p_now,
                                                     p_epoch);
  ELSE
    RETURN QUERY SELECT * FROM stile.same_ack_v1(p_ns, pick, p_flags, p_op, p_subject, p_number, p_stamp, p_receive,
                                                 p_delivery, p_now, p_epoch);
  END IF;
END $$;

-- News of what the three did, as news_v1 tells them.
CREATE FUNCTION stile.same_news_v1(p_ns integer, p_kind smallint, p_subject bytea[], done stile.answer_v1[],
                                   p_now bigint)
RETURNS SETOF stile.answer_v1 LANGUAGE plpgsql AS $$
DECLARE
  x record;
BEGIN
  IF p_kind = 16 THEN RETURN; END IF;
  SELECT bool_or(queues IS NOT NULL) AS receives, bool_or(watches) AS watches INTO x FROM stile.waiter WHERE ns = p_ns;
  IF p_kind = 13 AND x.receives THEN
    RETURN QUERY SELECT 0, 0::smallint, 0::smallint, 1, min(u.c) - p_now, NULL::bigint, NULL::bigint, NULL::bigint,
      NULL::uuid, u.val
    FROM unnest(done) u GROUP BY u.val;
  ELSIF p_kind = 5 AND x.watches THEN
    RETURN QUERY SELECT 0, 0::smallint, 0::smallint, 2, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint,
      NULL::uuid, p_subject[u.n]
    FROM unnest(done) u;
  END IF;
END $$;
