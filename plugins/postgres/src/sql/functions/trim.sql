-- trim: removes what is finished and what is left over, in bounded steps (T).
-- SPDX-License-Identifier: Apache-2.0

-- Up to p_take rows whose place in that class of trim has come, locked without waiting for anybody.
CREATE FUNCTION stile.trimmable_v1(p_ns integer, p_class smallint, p_until bigint, p_take bigint)
RETURNS stile.row_v1[] LANGUAGE sql AS $$
  WITH claimed AS MATERIALIZED (
    SELECT id FROM stile.trim WHERE ns = p_ns AND class = p_class AND at <= p_until
    ORDER BY at, id LIMIT p_take FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(x.r) FROM claimed c CROSS JOIN LATERAL (
    SELECT v AS r FROM stile.row_v1 v WHERE v.ns = p_ns AND v.id = c.id FOR UPDATE SKIP LOCKED) x
$$;

-- Forgets the rows that are dirty; what other rows' place in trim was said too early, and they are moved. The floor is
-- raised in the same commit (A1).
CREATE FUNCTION stile.forget_v1(p_ns integer, rows stile.row_v1[], p_now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  high bigint;
  gone bigint;
  kept stile.row_v1[];
  r stile.row_v1;
BEGIN
  SELECT max(greatest(u.number, u.position, u.delivery, u.base)), count(*) INTO high, gone
  FROM unnest(rows) u WHERE u.dirty;
  IF gone > 0 THEN
    UPDATE stile.namespace SET floor = high WHERE ns = p_ns AND floor < high;
    INSERT INTO stile.gone (life, ns) SELECT u.life, p_ns FROM unnest(rows) u WHERE u.dirty AND u.life IS NOT NULL;
    DELETE FROM stile.trim WHERE ctid = ANY (ARRAY(
      SELECT t.ctid FROM unnest(rows) u CROSS JOIN LATERAL (
        SELECT k.ctid FROM stile.trim k
        WHERE k.ns = p_ns AND k.class = u.k_class AND k.at = u.k_trim_at AND k.id = u.id OFFSET 0) t
      WHERE u.dirty));
    DELETE FROM stile.workflow w USING unnest(rows) u WHERE u.dirty AND w.ctid = u.tid;
    -- Who watches one of them is told in this transaction: trims are few, and have no news to answer.
    IF EXISTS (SELECT 1 FROM stile.waiter WHERE ns = p_ns AND watches) THEN
      PERFORM stile.ring_v1(p_ns, 2, u.id, 0) FROM unnest(rows) u WHERE u.dirty;
    END IF;
  END IF;
  IF gone < cardinality(rows) THEN
    FOREACH r IN ARRAY rows LOOP
      CONTINUE WHEN r.dirty;
      r.dirty := true;
      r.trim_at := 9223372036854775807;  -- moved to wherever it belongs now
      kept := kept || r;
    END LOOP;
    PERFORM stile.flush_v1(p_ns, kept, p_now, false);
  END IF;
  RETURN gone;
END $$;

-- Documents that went ten minutes ago (K3, T6). Answers how many were looked at.
CREATE FUNCTION stile.forget_documents_v1(p_ns integer, p_until bigint, p_take bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  x record;
  high bigint := 0;
  looked bigint := 0;
BEGIN
  FOR x IN
    WITH claimed AS MATERIALIZED (
      SELECT at, key FROM stile.gone_document WHERE ns = p_ns AND at <= p_until
      ORDER BY at, key LIMIT p_take FOR UPDATE SKIP LOCKED
    )
    SELECT c.at, c.key, d.version FROM claimed c CROSS JOIN LATERAL (
      SELECT version FROM stile.document WHERE ns = p_ns AND key = c.key FOR UPDATE SKIP LOCKED) d
  LOOP
    looked := looked + 1;
    high := greatest(high, x.version);
    DELETE FROM stile.document WHERE ns = p_ns AND key = x.key;
    DELETE FROM stile.gone_document WHERE ns = p_ns AND at = x.at AND key = x.key;
  END LOOP;
  IF high > 0 THEN UPDATE stile.namespace SET document_floor = high WHERE ns = p_ns AND document_floor < high; END IF;
  RETURN looked;
END $$;

-- Up to p_take records and message ids of lives that are over (B13). Answers how many went.
CREATE FUNCTION stile.erase_remains_v1(p_ns integer, p_take bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  dead bigint;
  gone bigint;
  total bigint := 0;
BEGIN
  LOOP
    EXIT WHEN total >= p_take;
    SELECT life INTO dead FROM stile.gone WHERE ns = p_ns ORDER BY life LIMIT 1 FOR UPDATE SKIP LOCKED;
    EXIT WHEN NOT FOUND;
    DELETE FROM stile.record WHERE ctid = ANY (ARRAY(SELECT ctid FROM stile.record WHERE life = dead
                                                     ORDER BY position LIMIT p_take - total));
    GET DIAGNOSTICS gone = ROW_COUNT;
    total := total + gone;
    EXIT WHEN total >= p_take;
    DELETE FROM stile.message WHERE ctid = ANY (ARRAY(SELECT ctid FROM stile.message WHERE life = dead
                                                      ORDER BY kind, id LIMIT p_take - total));
    GET DIAGNOSTICS gone = ROW_COUNT;
    total := total + gone;
    EXIT WHEN total >= p_take;
    DELETE FROM stile.gone WHERE ns = p_ns AND life = dead;
    total := total + 1;
  END LOOP;
  RETURN total;
END $$;

-- T1-T6. At most 10 times p_limit things are looked at. Answers whether there is more, and how many workflows went.
CREATE FUNCTION stile.trim_v1(p_ns integer, older_than bigint, p_limit bigint, OUT more boolean, OUT removed bigint)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rows stile.row_v1[];
  r stile.row_v1;
  f record;
  work bigint := least(p_limit * 10, 5000);  -- T5: nobody waits long for what one call holds
  take bigint := least(p_limit, 1000);
  now bigint;
  class smallint;
BEGIN
  PERFORM stile.begin_v1();
  SELECT * INTO f FROM stile.floor_v1(p_ns);
  now := stile.clock_v1(f.manual);
  removed := 0;
  more := false;
  FOREACH class IN ARRAY ARRAY[2, 1, 3]::smallint[] LOOP
    LOOP
      EXIT WHEN work <= 0;
      rows := stile.trimmable_v1(p_ns, class, CASE class WHEN 1 THEN now - older_than ELSE now END,
                                 CASE class WHEN 1 THEN least(work, take - removed) ELSE least(work, 1000) END);
      EXIT WHEN rows IS NULL;
      FOR i IN 1 .. cardinality(rows) LOOP
        r := rows[i];
        IF r.epoch <> f.epoch THEN r := stile.age_v1(r, f.epoch); END IF;
        work := work - 1;
        r.dirty := CASE class
          WHEN 1 THEN r.finished_at IS NOT NULL AND r.wakeup = 0 AND now >= r.alive AND r.touched_at <= now - older_than
          WHEN 3 THEN r.wakeup = 0 AND r.records = 0 AND r.finished_at IS NULL AND NOT r.cancel_requested
            AND stile.later_v1(greatest(r.happened_at, r.alive), 600000000) <= now
          ELSE false END;
        rows[i] := r;
      END LOOP;
      IF class = 1 THEN
        removed := removed + stile.forget_v1(p_ns, rows, now);
        EXIT WHEN removed >= take;
      ELSE
        PERFORM stile.forget_v1(p_ns, rows, now);
      END IF;
    END LOOP;
  END LOOP;
  IF removed >= take THEN
    more := EXISTS (SELECT 1 FROM stile.trim t WHERE t.ns = p_ns AND t.class = 1 AND t.at <= now - older_than);
  END IF;
  DELETE FROM stile.waiter WHERE until < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 60000000;
  IF work > 0 THEN work := work - stile.forget_documents_v1(p_ns, now - 600000000, work); END IF;
  IF work > 0 THEN work := work - stile.erase_remains_v1(p_ns, work); END IF;
  more := more OR work <= 0;
END $$;
