-- acquire, renew, release on a locked row (A).
-- SPDX-License-Identifier: Apache-2.0

-- The fence in o is the current pair (A4) where r.number = o.number AND r.stamp = o.stamp: a row that has none, by a
-- discard or a new epoch, has no stamp. It is written out wherever it is needed, as is what else a batch does for each
-- operation: passing a row to a function and back costs more than most of what these functions do.

-- Moves the end of the lease; what was put off until it moves along (D9).
CREATE FUNCTION stile.set_alive_v1(r stile.row_v1, p_alive bigint, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF r.since IS NOT NULL AND r.due > p_now THEN
    IF p_now < r.alive THEN r.due := greatest(p_alive, r.since); ELSE r.since := NULL; END IF;
  END IF;
  r.alive := p_alive;
  RETURN r;
END $$;

-- The lease ends here; its fence stays (A8). What was put off for it is due again.
CREATE FUNCTION stile.free_lease_v1(r stile.row_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF r.since IS NOT NULL AND r.due > p_now AND p_now < r.alive THEN r.due := greatest(r.since, p_now); END IF;
  r.alive := 0;
  r.budget := 0;
  RETURN r;
END $$;

-- A delivery in flight is ready again, its receipt stale, its count kept (A13, S2).
CREATE FUNCTION stile.take_back_v1(r stile.row_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
DECLARE
  waits boolean := r.since IS NOT NULL AND r.due > p_now AND p_now < r.alive;
  again bigint := least(r.pend, p_now);
  place bigint := r.since;
BEGIN
  IF r.wakeup <> 2 THEN RETURN r; END IF;
  IF r.next_queue IS NOT NULL THEN r.queue := r.next_queue; END IF;
  r.next_queue := NULL;
  r.pend := NULL;
  r.since := NULL;
  r.wakeup := 1;
  r.due := again;
  r.receive := NULL;
  r.cancelled_at := NULL;
  IF waits THEN
    r.since := least(place, again);
    r.due := greatest(r.alive, r.since);
  END IF;
  RETURN r;
END $$;

-- A1, A2, A9, A13. n1 ttl, n2 budget, flag 2 force. Answers a live_until, b budget_until, c the number, flag
-- cancel_requested; held: a live_until, b the time.
CREATE FUNCTION stile.acquire_v1(r stile.row_v1, o stile.operation_v1, p_now bigint, p_floor bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
BEGIN
  IF p_now < r.alive AND o.op = r.stamp THEN
    IF r.granted_by <> 1 THEN r.status := 8; r.why := 1; RETURN r; END IF;
  ELSIF p_now < r.alive AND o.flags & 2 = 0 THEN
    r.status := 5;
    r.a := r.alive;
    r.b := p_now;
    RETURN r;
  ELSE
    r.number := CASE WHEN r.number <> 0 THEN r.number ELSE greatest(p_floor, r.base) END + 1;
    r.stamp := coalesce(o.op, gen_random_uuid());
    r.granted_by := 1;
    r.ttl := o.n1;
    r.budget := stile.later_v1(p_now, o.n2);
    r := stile.set_alive_v1(r, least(stile.later_v1(p_now, o.n1), r.budget), p_now);
    IF o.flags & 2 <> 0 THEN r := stile.take_back_v1(r, p_now); END IF;
    r.dirty := true;
  END IF;
  r.a := r.alive;
  r.b := r.budget;
  r.c := r.number;
  r.flag := r.cancel_requested::integer;
  RETURN r;
END $$;

-- The part of renew and extend that is about the lease (A7): p_budget NULL leaves the budget's end.
CREATE FUNCTION stile.renew_lease_v1(r stile.row_v1, p_ttl bigint, p_budget bigint, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
DECLARE
  until bigint;
BEGIN
  IF p_budget IS NOT NULL THEN r.budget := greatest(r.budget, stile.later_v1(p_now, p_budget)); END IF;
  r.ttl := p_ttl;
  until := least(stile.later_v1(p_now, p_ttl), r.budget);
  IF until > r.alive THEN r := stile.set_alive_v1(r, until, p_now); END IF;
  r.dirty := true;
  RETURN r;
END $$;

-- A7. n1 ttl, n2 budget or NULL. Answers as acquire.
CREATE FUNCTION stile.renew_v1(r stile.row_v1, o stile.operation_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF (r.number = o.number AND r.stamp = o.stamp) IS NOT TRUE THEN r.status := 1; RETURN r; END IF;
  IF o.n2 IS NULL AND p_now >= r.budget THEN r.status := 4; RETURN r; END IF;
  r := stile.renew_lease_v1(r, o.n1, o.n2, p_now);
  r.a := r.alive;
  r.b := r.budget;
  r.flag := r.cancel_requested::integer;
  RETURN r;
END $$;

-- A8.
CREATE FUNCTION stile.release_v1(r stile.row_v1, o stile.operation_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF (r.number = o.number AND r.stamp = o.stamp) IS NOT TRUE THEN r.status := 1; RETURN r; END IF;
  IF r.alive <> 0 OR r.budget <> 0 THEN
    r := stile.free_lease_v1(r, p_now);
    r.dirty := true;
  END IF;
  RETURN r;
END $$;
