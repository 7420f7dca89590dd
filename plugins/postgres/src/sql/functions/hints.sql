-- What a commit is worth telling those who wait.
-- SPDX-License-Identifier: Apache-2.0

-- An accepted write is durable before its answer, whatever the role or the database has as its default (B8, P04).
CREATE FUNCTION stile.durably_v1() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

-- News of rows that were worked on, where anybody waits: n 0, flag 1: a wakeup of the queue val is due in a; flag 2:
-- the workflow val has a new record, or went.
CREATE FUNCTION stile.news_v1(p_ns integer, rows stile.row_v1[], p_now bigint) RETURNS SETOF stile.answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  x record;
BEGIN
  SELECT bool_or(receives) AS receives, bool_or(watches) AS watches INTO x FROM stile.waiter WHERE ns = p_ns;
  IF x.receives THEN
    RETURN QUERY SELECT 0, 0::smallint, 0::smallint, 1, min(u.due) - p_now, NULL::bigint, NULL::bigint, NULL::bigint,
      NULL::uuid, u.queue
    FROM unnest(rows) u
    WHERE u.dirty AND u.wakeup IN (1, 2)
      AND (u.k_lane IS NULL OR u.due < u.k_due OR u.queue <> u.k_queue OR u.since IS DISTINCT FROM u.k_since)
    GROUP BY u.queue;
  END IF;
  IF x.watches THEN
    RETURN QUERY SELECT 0, 0::smallint, 0::smallint, 2, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint,
      NULL::uuid, u.id
    FROM unnest(rows) u WHERE u.dirty;
  END IF;
END $$;

-- Tells those who wait, but p_but: of a wakeup (what 1) in span, of a record (2), that a clock was moved (3). The
-- payload is what, the span, and for whom in hexadecimal; the server merges those that repeat within a transaction.
CREATE FUNCTION stile.ring_v1(p_ns integer, what integer, subject bytea, span bigint, p_but text DEFAULT '')
RETURNS bigint LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(pg_notify(channel, what || ':' || greatest(span, 0) || ':' || encode(subject, 'hex')))
  FROM stile.waiter
  WHERE ns = p_ns AND channel <> p_but AND until > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    AND CASE what WHEN 1 THEN receives WHEN 2 THEN watches ELSE true END
$$;
