-- record, supply, append, rebase, discard, request_cancel on a locked row (B, I, C8, A10).
-- SPDX-License-Identifier: Apache-2.0

-- A6. Only a live lease is kept alive.
CREATE FUNCTION stile.sign_of_life_v1(r stile.row_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
DECLARE
  until bigint;
BEGIN
  IF p_now < r.alive THEN
    until := least(stile.later_v1(p_now, r.ttl), r.budget);
    IF until > r.alive THEN r := stile.set_alive_v1(r, until, p_now); END IF;
  END IF;
  r.touched_at := p_now;
  r.dirty := true;
  RETURN r;
END $$;

-- Adds a record at the next place (A1, B3, A12), unless its key is there: then flag is NULL and nothing happened.
-- Answers flag 1, a position, b written_at.
CREATE FUNCTION stile.add_record_v1(r stile.row_v1, o stile.operation_v1, p_key bytea, p_now bigint, p_floor bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
BEGIN
  r.a := CASE WHEN r.position <> 0 THEN r.position ELSE greatest(p_floor, r.base) END + 1;
  r.b := greatest(p_now, r.written_at);
  IF r.life IS NULL THEN r.life := nextval('stile.life'); END IF;
  INSERT INTO stile.record (life, position, written_at, kind, op, key, value)
  VALUES (r.life, r.a, r.b, o.kind, o.op, p_key, o.value)
  ON CONFLICT (life, key) WHERE key IS NOT NULL DO NOTHING;
  IF NOT FOUND THEN
    r.flag := NULL;
    RETURN r;
  END IF;
  r.position := r.a;
  r.written_at := r.b;
  r.records := r.records + 1;
  r.flag := 1;
  RETURN r;
END $$;

-- Tells which record of the key stands: flag first, a position, b written_at, val where it is not the caller's bytes
-- (B2). status 8 where another kind of operation wrote it under this op_id; NULL where this very operation did (R1).
CREATE FUNCTION stile.standing_v1(r stile.row_v1, o stile.operation_v1) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
DECLARE
  s record;
BEGIN
  SELECT position, written_at, kind, op, value INTO s FROM stile.record WHERE life = r.life AND key = o.key;
  IF NOT FOUND THEN r.flag := NULL; RETURN r; END IF;
  IF s.op = o.op THEN
    IF s.kind <> o.kind THEN r.status := 8; r.why := 1; RETURN r; END IF;
    r.status := NULL;
  END IF;
  r.a := s.position;
  r.b := s.written_at;
  r.flag := (s.value = o.value OR r.status IS NULL)::integer;
  IF s.value <> o.value THEN r.val := s.value; END IF;
  RETURN r;
END $$;

-- B1-B5, A4-A6. What add_record_v1 and sign_of_life_v1 do is written out for the case that nearly always is.
CREATE FUNCTION stile.record_v1(r stile.row_v1, o stile.operation_v1, p_now bigint, p_floor bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
DECLARE
  current boolean := coalesce(r.number = o.number AND r.stamp = o.stamp, false);
  until bigint;
BEGIN
  IF current THEN
    r.a := CASE WHEN r.position <> 0 THEN r.position ELSE greatest(p_floor, r.base) END + 1;
    r.b := greatest(p_now, r.written_at);
    IF r.life IS NULL THEN r.life := nextval('stile.life'); END IF;
    INSERT INTO stile.record (life, position, written_at, kind, op, key, value)
    VALUES (r.life, r.a, r.b, 5, o.op, o.key, o.value)
    ON CONFLICT (life, key) WHERE key IS NOT NULL DO NOTHING;
    IF FOUND THEN
      r.position := r.a;
      r.written_at := r.b;
      r.records := r.records + 1;
      r.flag := 1;
      IF p_now < r.alive THEN
        until := least(p_now + r.ttl, r.budget, 253402300799999999);
        IF until > r.alive THEN
          IF r.since IS NOT NULL THEN r := stile.set_alive_v1(r, until, p_now); END IF;
          r.alive := until;
        END IF;
      END IF;
      r.touched_at := p_now;
      r.dirty := true;
      RETURN r;
    END IF;
  ELSIF o.op IS NULL OR r.life IS NULL THEN
    r.status := 1;
    RETURN r;
  END IF;
  r := stile.standing_v1(r, o);
  IF r.status IS NULL THEN  -- sent again: nothing changes, not even the lease (A6)
    r.status := 0;
    RETURN r;
  END IF;
  IF r.status <> 0 THEN RETURN r; END IF;
  IF NOT current OR r.flag IS NULL THEN r.status := 1; RETURN r; END IF;
  RETURN stile.sign_of_life_v1(r, p_now);
END $$;

-- The end of supply and append, which is one commit with the enqueue inside (flag 16; W9). A replay tells what was
-- enqueued; where a newer enqueue took its place in memory, what is there now.
CREATE FUNCTION stile.end_outside_v1(r stile.row_v1, o stile.operation_v1, replay boolean, p_now bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
BEGIN
  r.d := 0;
  r.c := 0;
  IF NOT replay THEN
    r.touched_at := p_now;
    r.dirty := true;
    IF o.flags & 16 = 0 THEN RETURN r; END IF;
    RETURN stile.wake_v1(r, o, p_now);
  END IF;
  IF o.flags & 16 = 0 THEN RETURN r; END IF;
  IF o.op = r.enqueue_op AND o.kind = r.enqueue_kind THEN
    r.d := r.enqueue_state;
    r.c := r.enqueue_at;
  ELSE
    r.d := (ARRAY[1, 7, 8, 4])[r.wakeup + 1];
    r.c := CASE r.wakeup WHEN 0 THEN p_now WHEN 1 THEN r.due WHEN 2 THEN least(r.pend, r.due) ELSE 0 END;
  END IF;
  RETURN r;
END $$;

-- B7. Answers as record, and d the state, c visible_at.
CREATE FUNCTION stile.supply_v1(r stile.row_v1, o stile.operation_v1, p_now bigint, p_floor bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
DECLARE
  replay boolean := false;
BEGIN
  r := stile.add_record_v1(r, o, o.key, p_now, p_floor);
  IF r.flag IS NULL THEN
    r := stile.standing_v1(r, o);
    IF r.status <> 0 THEN RETURN r; END IF;
    replay := r.status IS NULL
      OR coalesce(o.flags & 16 <> 0 AND o.op = r.enqueue_op AND o.kind = r.enqueue_kind, false);
    r.status := 0;
  END IF;
  RETURN stile.end_outside_v1(r, o, replay, p_now);
END $$;

-- I1-I5. key: the message_id or NULL, then the op_id serves as one. Answers flag duplicate, a position, and as supply.
CREATE FUNCTION stile.append_v1(r stile.row_v1, o stile.operation_v1, p_now bigint, p_floor bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
DECLARE
  name bytea := coalesce(o.key, uuid_send(o.op));
  kind_of_name smallint := CASE WHEN o.key IS NULL THEN 1 ELSE 0 END;
  m record;
  replay boolean;
BEGIN
  IF name IS NOT NULL AND r.life IS NOT NULL THEN
    SELECT position, op INTO m FROM stile.message WHERE life = r.life AND kind = kind_of_name AND id = name;
    IF FOUND THEN
      replay := coalesce(m.op = o.op, false);
      r.flag := (NOT replay)::integer;
      r.a := m.position;
      replay := replay OR coalesce(o.flags & 16 <> 0 AND o.op = r.enqueue_op AND o.kind = r.enqueue_kind, false);
      RETURN stile.end_outside_v1(r, o, replay, p_now);
    END IF;
  END IF;
  r := stile.add_record_v1(r, o, NULL, p_now, p_floor);
  IF name IS NOT NULL THEN
    INSERT INTO stile.message (life, position, kind, op, id) VALUES (r.life, r.a, kind_of_name, o.op, name);
  END IF;
  r.flag := 0;
  RETURN stile.end_outside_v1(r, o, false, p_now);
END $$;

-- B11. n1: inbox entries above it stay. Answers a position, b written_at, c removed.
CREATE FUNCTION stile.rebase_v1(r stile.row_v1, o stile.operation_v1, p_now bigint, p_floor bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  IF o.op IS NOT NULL AND r.life IS NOT NULL THEN
    r := stile.standing_v1(r, o);
    IF r.status = 8 THEN RETURN r; END IF;
    r.val := NULL;
    IF r.status IS NULL THEN
      r.status := 0;
      r.c := 0;
      RETURN r;
    END IF;
  END IF;
  IF (r.number = o.number AND r.stamp = o.stamp) IS NOT TRUE THEN r.status := 1; RETURN r; END IF;
  DELETE FROM stile.record WHERE life = r.life AND (key IS NOT NULL OR position <= o.n1);
  GET DIAGNOSTICS gone = ROW_COUNT;
  r.records := r.records - gone;
  r := stile.add_record_v1(r, o, o.key, p_now, p_floor);
  r.c := gone;
  RETURN stile.sign_of_life_v1(r, p_now);
END $$;

-- A10, C6. flag 2 cancel. Answers c removed. The row keeps in base what the life used; trim raises the floor by it.
CREATE FUNCTION stile.discard_v1(r stile.row_v1, o stile.operation_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  r.c := 0;
  IF r.id IS NULL THEN RETURN r; END IF;
  IF o.op = r.discard_op THEN r.c := r.discard_removed; RETURN r; END IF;
  r.c := r.records;
  r.base := greatest(r.base, r.number, r.position);
  IF r.life IS NOT NULL THEN INSERT INTO stile.gone (life, ns) VALUES (r.life, r.ns); END IF;
  r.life := NULL;
  r := stile.free_lease_v1(r, p_now);
  r.number := 0;
  r.stamp := NULL;
  r.granted_by := 0;
  r.ttl := 0;
  r.position := 0;
  r.records := 0;
  r.written_at := 0;
  r.finished_at := NULL;
  r.cancel_requested := false;
  r.touched_at := p_now;
  IF o.flags & 2 <> 0 THEN
    r := stile.remove_wakeup_v1(r, p_now);
    r.queue := '';
  END IF;
  r.discard_op := o.op;
  r.discard_removed := r.c;
  r.dirty := true;
  RETURN r;
END $$;

-- C8.
CREATE FUNCTION stile.request_cancel_v1(r stile.row_v1, o stile.operation_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF o.op = r.request_op THEN RETURN r; END IF;
  r.cancel_requested := true;
  r.request_op := o.op;
  r.touched_at := p_now;
  r.dirty := true;
  RETURN r;
END $$;
