-- What a commit is worth telling those who wait.
-- SPDX-License-Identifier: Apache-2.0

-- News of rows that were worked on, where anybody waits: n 0, flag 1: a wakeup of the queue val is due in a; flag 2:
-- the workflow val has a new record, or went.
CREATE FUNCTION stile.news_v1(p_ns integer, rows stile.row_v1[], p_now bigint) RETURNS SETOF stile.answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  x record;
BEGIN
  SELECT bool_or(queues IS NOT NULL) AS receives, bool_or(watches) AS watches INTO x FROM stile.waiter WHERE ns = p_ns;
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
-- Of a wakeup two processes are told that live and receive its queue, whoever they are, and of one that is not due yet
-- three, who are to keep its time (W5): one that does not want it passes it on. What is due in more than three seconds
-- is found by all in time, since nobody sleeps for longer without a look.
CREATE FUNCTION stile.ring_v1(p_ns integer, what integer, subject bytea, span bigint, p_but text DEFAULT '')
RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  payload text := what || ':' || greatest(span, 0) || ':' || encode(subject, 'hex');
  now bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
BEGIN
  IF what <> 1 THEN
    RETURN (SELECT count(pg_notify(channel, payload)) FROM stile.waiter
            WHERE ns = p_ns AND channel <> p_but AND until > now AND (what <> 2 OR watches));
  END IF;
  IF span > 3000000 THEN RETURN 0; END IF;
  RETURN (SELECT count(pg_notify(channel, payload)) FROM (
    SELECT channel FROM stile.waiter
    WHERE ns = p_ns AND channel <> p_but AND until > now AND subject = ANY (queues)
      AND EXISTS (SELECT 1 FROM pg_stat_get_activity(pid))
    ORDER BY random() LIMIT CASE WHEN span > 0 THEN 3 ELSE 2 END) chosen);
END $$;
