-- What reads only: load, watch, get, scan, list, stats. STABLE: each sees one moment.
-- SPDX-License-Identifier: Apache-2.0

-- B3, B6. p_key NULL: the records above p_after.
CREATE FUNCTION stile.load_v1(p_ns integer, p_id bytea, p_after bigint, p_limit integer, max_bytes bigint, p_key bytea)
RETURNS SETOF stile.received_v1 LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  w record;
  x record;
  out_ stile.received_v1;
  given integer := 0;
  bytes bigint := 0;
  last bigint := p_after;
BEGIN
  SELECT life, number, position, records, cancel_requested, finished_at INTO w
  FROM stile.workflow WHERE ns = p_ns AND id = p_id;
  IF FOUND AND w.records > 0 THEN
    out_.what := 2;
    FOR x IN
      SELECT position, written_at, key, value FROM stile.record
      WHERE life = w.life AND p_key IS NULL AND position > p_after ORDER BY position LIMIT p_limit
    LOOP
      bytes := bytes + coalesce(octet_length(x.key), 26) + octet_length(x.value);
      EXIT WHEN bytes > max_bytes AND given > 0;
      given := given + 1;
      last := x.position;
      out_.a := x.position;
      out_.b := x.written_at;
      out_.id := x.key;
      out_.val := x.value;
      RETURN NEXT out_;
    END LOOP;
    IF p_key IS NOT NULL THEN
      SELECT position, written_at, key, value INTO x FROM stile.record
      WHERE life = w.life AND key = p_key;
      IF NOT FOUND AND octet_length(p_key) = 26 AND substr(p_key, 1, 6) = 'inbox:'
         AND encode(substr(p_key, 7), 'escape') ~ '^00[0-9]{18}$' THEN
        SELECT position, written_at, key, value INTO x FROM stile.record
        WHERE life = w.life AND position = encode(substr(p_key, 7), 'escape')::bigint AND key IS NULL;
      END IF;
      IF FOUND THEN
        out_.a := x.position;
        out_.b := x.written_at;
        out_.id := x.key;
        out_.val := x.value;
        RETURN NEXT out_;
      END IF;
    END IF;
  END IF;
  out_ := NULL;
  out_.what := 0;
  out_.c := coalesce(w.number, 0);
  out_.flag := coalesce((p_key IS NULL AND w.records > 0 AND last < w.position)::integer, 0)
    + coalesce(w.cancel_requested::integer, 0) * 2 + (w.finished_at IS NOT NULL)::integer * 4;
  RETURN NEXT out_;
END $$;

-- B14: the places, from 0, of those that may have changed.
CREATE FUNCTION stile.watch_v1(p_ns integer, ids bytea[], afters bigint[]) RETURNS SETOF bigint LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
  SELECT t.i - 1 FROM unnest(ids, afters) WITH ORDINALITY AS t(id, seen, i)
    LEFT JOIN stile.workflow w ON w.ns = p_ns AND w.id = t.id
  WHERE coalesce(w.position, 0) <> t.seen ORDER BY 1
$$;

CREATE FUNCTION stile.get_v1(p_ns integer, p_key bytea)
RETURNS TABLE (version bigint, expires_at bigint, value bytea) LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off AS $$
  SELECT d.version, coalesce(d.expires_at, 0), d.value FROM stile.document d
  WHERE d.ns = p_ns AND d.key = p_key AND d.erased_at IS NULL
    AND (d.expires_at IS NULL OR stile.now_v1(p_ns) < d.expires_at)
$$;

-- K7: keys from p_from (or above p_after) below p_to (NULL: no end), one more than p_limit where there are.
CREATE FUNCTION stile.scan_v1(p_ns integer, p_from bytea, p_after bytea, p_to bytea, p_limit integer)
RETURNS TABLE (key bytea, version bigint, expires_at bigint) LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT d.key, d.version, coalesce(d.expires_at, 0) FROM stile.document d, stile.now_v1(p_ns) AS now
  WHERE d.ns = p_ns AND d.key >= p_from AND d.key > p_after AND (p_to IS NULL OR d.key < p_to) AND d.erased_at IS NULL
    AND (d.expires_at IS NULL OR now < d.expires_at)
  ORDER BY d.key LIMIT p_limit::bigint + 1
$$;

-- S4, K7. Known workflows by id; state 0, queue NULL, idle_for NULL: any.
CREATE FUNCTION stile.list_v1(p_ns integer, p_from bytea, p_after bytea, p_to bytea, p_limit integer, p_state integer,
                              p_queue bytea, p_idle_for bigint)
RETURNS TABLE (id bytea, queue bytea, error bytea, state integer, due_at bigint, records bigint, number bigint,
               live_until bigint, finished_at bigint, written_at bigint, count integer, cancel_requested integer)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT w.id, w.queue, w.error, s.state, CASE WHEN w.wakeup IN (1, 2) THEN w.due ELSE 0 END, w.records, w.number,
    CASE WHEN now < l.alive THEN l.alive ELSE 0 END, coalesce(w.finished_at, 0),
    CASE WHEN w.records <> 0 THEN w.written_at ELSE 0 END, w.count, w.cancel_requested::integer
  FROM stile.workflow w, stile.meta m, stile.now_v1(p_ns) AS now
    CROSS JOIN LATERAL (SELECT CASE WHEN w.epoch = m.epoch THEN w.alive ELSE 0 END AS alive) AS l
    CROSS JOIN LATERAL (SELECT CASE w.wakeup WHEN 1 THEN CASE WHEN w.due <= now THEN 1 ELSE 2 END WHEN 2 THEN 3
      WHEN 3 THEN 4 ELSE CASE WHEN w.finished_at IS NOT NULL THEN 5 ELSE 6 END END AS state) AS s
  WHERE w.ns = p_ns AND w.id >= p_from AND w.id > p_after AND (p_to IS NULL OR w.id < p_to)
    AND (w.wakeup <> 0 OR w.records <> 0 OR w.number <> 0 OR w.finished_at IS NOT NULL OR w.cancel_requested)
    AND (p_state = 0 OR s.state = p_state) AND (p_queue IS NULL OR w.queue = p_queue)
    AND (p_idle_for IS NULL OR (s.state = 6 AND now >= l.alive AND w.touched_at <= now - p_idle_for))
  ORDER BY w.id LIMIT p_limit::bigint + 1
$$;

-- S4. p_queue NULL: all queues.
CREATE FUNCTION stile.stats_v1(p_ns integer, p_queue bytea)
RETURNS TABLE (ready bigint, delayed bigint, in_flight bigint, dead bigint, workflows bigint, finished bigint,
               records bigint, documents bigint, stored_bytes bigint, oldest_ready bigint, next_due bigint, now bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT d.ready, d.delayed, d.in_flight, d.dead, w.workflows, w.finished, w.records, k.documents,
    w.records * 120 + w.workflows * 300 + k.bytes, d.oldest, d.next, t.now
  FROM (SELECT stile.now_v1(p_ns) AS now) AS t
    CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE wakeup = 1 AND due <= t.now) AS ready,
      count(*) FILTER (WHERE wakeup = 1 AND due > t.now) AS delayed, count(*) FILTER (WHERE wakeup = 2) AS in_flight,
      count(*) FILTER (WHERE wakeup = 3) AS dead,
      min(coalesce(since, due)) FILTER (WHERE wakeup = 1 AND due <= t.now) AS oldest,
      min(due) FILTER (WHERE wakeup IN (1, 2) AND due > t.now) AS next
      FROM stile.due WHERE ns = p_ns AND (p_queue IS NULL OR queue = p_queue)) AS d
    CROSS JOIN LATERAL (SELECT count(*) AS workflows, count(finished_at) AS finished,
      coalesce(sum(x.records), 0)::bigint AS records
      FROM stile.workflow x WHERE ns = p_ns AND (wakeup <> 0 OR x.records <> 0 OR number <> 0
        OR finished_at IS NOT NULL OR cancel_requested)) AS w
    CROSS JOIN LATERAL (SELECT count(*) AS documents, coalesce(sum(octet_length(value)), 0)::bigint AS bytes
      FROM stile.document WHERE ns = p_ns AND erased_at IS NULL AND (expires_at IS NULL OR t.now < expires_at)) AS k
$$;
