-- Small things that most functions need.
-- SPDX-License-Identifier: Apache-2.0

-- The lane of stile.due for a wakeup.
CREATE FUNCTION stile.lane_v1(wakeup smallint, since bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN wakeup = 3 THEN 2 WHEN since IS NOT NULL THEN 1 ELSE 0 END)::smallint
$$;

-- The store's clock: that of the server when it is asked, never that of the transaction's start (A3, P15), or the one
-- of the namespace that stands still (A14). It never goes back by a second or more (A12): what is known of it is read
-- before the server's clock, which is therefore later, unless that was stepped.
CREATE FUNCTION stile.clock_v1(p_manual bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  known bigint;
  now bigint;
  second bigint;
  ahead bigint;
BEGIN
  IF p_manual IS NOT NULL THEN RETURN p_manual; END IF;
  SELECT last_value INTO known FROM stile.clock;
  now := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  second := now / 1000000;
  IF known = second << 28 THEN RETURN now; END IF;  -- as nearly always
  ahead := known & 268435455;
  known := known >> 28;
  IF second + ahead < known THEN
    -- Past all that was used, and on from there at the usual pace.
    ahead := least(known + 1 - second, 268435455);
  ELSIF second > known THEN
    ahead := 0;  -- it has caught up
  END IF;
  IF second + ahead <> known OR ahead = 0 THEN PERFORM setval('stile.clock', second + ahead << 28 | ahead); END IF;
  RETURN now + ahead * 1000000;
END $$;

-- What a write must know of its namespace and of the store, asked for after its locks. A clock that stands still is
-- held until the commit, so that what was done before it moved is seen by those after.
CREATE FUNCTION stile.floor_v1(p_ns integer, OUT floor bigint, OUT manual bigint, OUT epoch integer)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT n.floor, n.manual_clock, m.epoch INTO floor, manual, epoch
  FROM stile.namespace n, stile.meta m WHERE n.ns = p_ns;
  IF manual IS NOT NULL THEN
    SELECT n.floor, n.manual_clock INTO floor, manual FROM stile.namespace n WHERE n.ns = p_ns FOR KEY SHARE;
  END IF;
END $$;

-- The time for who only reads: when its statement began, which is before its snapshot was taken, so that whatever
-- happened after that time is seen.
CREATE FUNCTION stile.now_v1(p_ns integer) RETURNS bigint LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT manual_clock FROM stile.namespace WHERE ns = p_ns),
                  (SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::bigint
                     + (last_value & 268435455) * 1000000 FROM stile.clock))
$$;

-- now + span, at most the end of the year 9999 (W8).
CREATE FUNCTION stile.later_v1(p_now bigint, span bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT least(p_now + span, 253402300799999999)
$$;

-- Moves a clock that stands still; NULL where it would pass the year 9999.
CREATE FUNCTION stile.advance_v1(p_ns integer, span bigint) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  stands bigint;
BEGIN
  SELECT manual_clock INTO stands FROM stile.namespace WHERE ns = p_ns FOR UPDATE;
  IF stands > 253402300799999999 - span THEN RETURN NULL; END IF;
  UPDATE stile.namespace SET manual_clock = stands + span WHERE ns = p_ns;
  RETURN stands + span;
END $$;
