-- transact: an effect and its record, together or not at all (E). No lock of the workflow is held while the effect runs
-- (E7): transact_begin_v1 looks, the effect runs in the same transaction, transact_end_v1 locks and looks again.
-- SPDX-License-Identifier: Apache-2.0

-- Answers status NULL: run the effect, b its ttl. Else what transact answers: flag ran, a position, b written_at, val
-- the value; flag 0 means that the key is recorded by another (E2), and transact_end_v1 must still be called.
CREATE FUNCTION stile.transact_begin_v1(p_ns integer, p_id bytea, p_number bigint, p_stamp uuid, p_key bytea, p_op uuid)
RETURNS stile.answer_v1 LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  w record;
  s record;
  out_ stile.answer_v1;
BEGIN
  SELECT w_.life, w_.number, w_.ttl, CASE WHEN w_.epoch = m.epoch THEN w_.stamp END AS stamp INTO w
  FROM stile.workflow w_, stile.meta m WHERE w_.ns = p_ns AND w_.id = p_id;
  IF FOUND THEN
    SELECT position, written_at, kind, op, value INTO s FROM stile.record WHERE life = w.life AND key = p_key;
    IF FOUND AND s.op = p_op THEN
      out_.status := CASE WHEN s.kind = 8 THEN 0 ELSE 8 END;
      out_.why := 1;
      out_.flag := 1;
      out_.a := s.position;
      out_.b := s.written_at;
      out_.val := s.value;
      RETURN out_;
    END IF;
  END IF;
  IF (w.number <> 0 AND w.number = p_number AND w.stamp = p_stamp) IS NOT TRUE THEN
    out_.status := 1;
  ELSIF s.position IS NOT NULL THEN
    out_.status := 0;
    out_.flag := 0;
  END IF;
  out_.b := w.ttl;
  RETURN out_;
END $$;

-- p_value NULL: no effect ran. Answers status, flag ran, a position, b written_at, val the value that stands; with an
-- effect that ran and flag 0 another's record won meanwhile: the transaction is to be rolled back, and this called
-- again without value (E5). status NULL: there is no such record (any more). c: how many may wait for a record.
CREATE FUNCTION stile.transact_end_v1(p_ns integer, p_id bytea, p_number bigint, p_stamp uuid, p_key bytea,
                                      p_value bytea, p_op uuid)
RETURNS stile.answer_v1 LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rows stile.row_v1[];
  r stile.row_v1;
  o stile.operation_v1;
  s record;
  out_ stile.answer_v1;
  p_floor bigint;
  manual bigint;
  p_epoch integer;
  now bigint;
BEGIN
  PERFORM stile.begin_v1();
  rows := stile.lock_v1(p_ns, ARRAY[p_id], ARRAY[false]);
  r := rows[1];
  SELECT f.floor, f.manual, f.epoch INTO p_floor, manual, p_epoch FROM stile.floor_v1(p_ns) f;
  IF r.epoch <> p_epoch THEN r := stile.age_v1(r, p_epoch); END IF;
  now := stile.clock_v1(manual);
  o.kind := 8;
  o.op := p_op;
  o.key := p_key;
  o.value := p_value;
  o.number := p_number;
  o.stamp := p_stamp;
  out_.status := 0;
  IF (r.number = o.number AND r.stamp = o.stamp) IS NOT TRUE THEN out_.status := 1; RETURN out_; END IF;
  IF p_value IS NOT NULL THEN
    r := stile.add_record_v1(r, o, p_key, now, p_floor);
    IF r.flag IS NULL THEN out_.flag := 0; RETURN out_; END IF;
    out_.flag := 1;
    out_.a := r.a;
    out_.b := r.b;
  ELSE
    SELECT position, written_at, value INTO s FROM stile.record WHERE life = r.life AND key = p_key;
    IF NOT FOUND THEN out_.status := NULL; RETURN out_; END IF;
    out_.flag := 0;
    out_.a := s.position;
    out_.b := s.written_at;
    out_.val := s.value;
  END IF;
  r := stile.sign_of_life_v1(r, now);
  rows[1] := r;
  PERFORM stile.flush_v1(p_ns, rows, now);
  out_.c := (SELECT count(*) FROM stile.waiter WHERE ns = p_ns AND watches);
  RETURN out_;
END $$;
