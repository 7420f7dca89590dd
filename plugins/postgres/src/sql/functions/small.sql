-- Small things that most functions need.
-- SPDX-License-Identifier: Apache-2.0

-- The lane of stile.due for a wakeup.
CREATE FUNCTION stile.lane_v1(wakeup smallint, since bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN wakeup = 3 THEN 2 WHEN since IS NOT NULL THEN 1 ELSE 0 END)::smallint
$$;

-- The store's clock: that of the server when it is asked, never that of the transaction's start (A3, P15), or the one
-- of the namespace that stands still (A14).
CREATE FUNCTION stile.clock_v1(p_manual bigint) RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT coalesce(p_manual, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
$$;

-- What a write must know of its namespace, asked for after its locks. A clock that stands still is held until the
-- commit, so that what was done before it moved is seen by those after.
CREATE FUNCTION stile.floor_v1(p_ns integer, OUT floor bigint, OUT manual bigint) LANGUAGE plpgsql AS $$
BEGIN
  SELECT n.floor, n.manual_clock INTO floor, manual FROM stile.namespace n WHERE n.ns = p_ns;
  IF manual IS NOT NULL THEN
    SELECT n.floor, n.manual_clock INTO floor, manual FROM stile.namespace n WHERE n.ns = p_ns FOR KEY SHARE;
  END IF;
END $$;

-- The time for who only reads: when its statement began, which is before its snapshot was taken, so that whatever
-- happened after that time is seen.
CREATE FUNCTION stile.now_v1(p_ns integer) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce((SELECT manual_clock FROM stile.namespace WHERE ns = p_ns),
                  (extract(epoch FROM statement_timestamp()) * 1000000)::bigint)
$$;

-- now + span, at most the end of the year 9999 (W8).
CREATE FUNCTION stile.later_v1(p_now bigint, span bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT least(p_now + span, 253402300799999999)
$$;

-- Moves a clock that stands still; NULL where it would pass the year 9999.
CREATE FUNCTION stile.advance_v1(p_ns integer, span bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  stands bigint;
BEGIN
  SELECT manual_clock INTO stands FROM stile.namespace WHERE ns = p_ns FOR UPDATE;
  IF stands > 253402300799999999 - span THEN RETURN NULL; END IF;
  UPDATE stile.namespace SET manual_clock = stands + span WHERE ns = p_ns;
  RETURN stands + span;
END $$;
