-- Small things that most functions need.
-- SPDX-License-Identifier: Apache-2.0

-- The lane of stile.due for a wakeup.
CREATE FUNCTION stile.lane_v1(wakeup smallint, since bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN wakeup = 3 THEN 2 WHEN since IS NOT NULL THEN 1 ELSE 0 END)::smallint
$$;

-- The store's clock: that of the server when it is asked, never that of the transaction's start (A3, P15), or the one
-- of the namespace that stands still (A14).
CREATE FUNCTION stile.now_v1(p_ns integer) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT coalesce((SELECT manual_clock FROM stile.namespace WHERE ns = p_ns),
                  (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
$$;

-- now + span, at most the end of the year 9999 (W8).
CREATE FUNCTION stile.later_v1(p_now bigint, span bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT least(p_now + span, 253402300799999999)
$$;
