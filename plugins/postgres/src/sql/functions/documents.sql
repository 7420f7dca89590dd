-- put and erase (K), and what they remember.
-- SPDX-License-Identifier: Apache-2.0

-- put (kind 22) or erase (23) of subject. value; n1 ttl (0 none, -1 keep); n2 the condition (0 any, 1 absent,
-- 2 version), n3 the version asked for. Answers put: a the version; erase: flag removed; conflict: a the version that
-- is there, val its value.
CREATE FUNCTION stile.document_v1(p_ns integer, o stile.operation_v1, p_manual bigint)
RETURNS stile.answer_v1 LANGUAGE plpgsql AS $$
DECLARE
  d stile.document;
  out_ stile.answer_v1;
  there boolean;
  made boolean := false;
  was bigint;
  was_gone bigint;
  gone bigint;
  now bigint;
BEGIN
  out_.n := o.n;
  out_.status := 0;
  LOOP
    SELECT * INTO d FROM stile.document WHERE ns = p_ns AND key = o.subject FOR UPDATE;
    EXIT WHEN FOUND;
    out_.flag := 0;
    IF o.n2 = 2 THEN out_.status := 6; RETURN out_; END IF;
    IF o.kind = 23 AND o.op IS NULL THEN RETURN out_; END IF;
    INSERT INTO stile.document (version, ns, key, value, erased_at)
    SELECT document_floor, p_ns, o.subject, '', 0 FROM stile.namespace WHERE ns = p_ns
    ON CONFLICT DO NOTHING RETURNING * INTO d;
    made := FOUND;
    EXIT WHEN made;
  END LOOP;
  now := stile.clock_v1(p_manual);
  IF o.op IS NOT NULL THEN
    was := d.answers[array_position(d.ops, o.op)];
    IF was IS NOT NULL THEN
      IF (was > 0) <> (o.kind = 22) THEN out_.status := 8; out_.why := 1; RETURN out_; END IF;
      out_.a := was;
      out_.flag := (was = -1)::integer;
      RETURN out_;
    END IF;
  END IF;
  there := d.erased_at IS NULL AND (d.expires_at IS NULL OR now < d.expires_at);
  IF (o.n2 = 1 AND there) OR (o.n2 = 2 AND NOT (there AND d.version = o.n3)) THEN
    out_.status := 6;
    IF there THEN
      out_.a := d.version;
      out_.val := d.value;
    END IF;
    RETURN out_;
  END IF;
  IF o.kind = 23 AND NOT there AND o.op IS NULL THEN out_.flag := 0; RETURN out_; END IF;
  was_gone := CASE WHEN made THEN NULL ELSE coalesce(d.erased_at, d.expires_at) END;
  IF o.kind = 22 THEN
    d.version := d.version + 1;
    d.value := o.value;
    d.erased_at := NULL;
    IF o.n1 >= 0 THEN
      d.expires_at := CASE WHEN o.n1 = 0 THEN NULL ELSE stile.later_v1(now, o.n1) END;
    ELSIF NOT there THEN
      d.expires_at := NULL;
    END IF;
    out_.a := d.version;
    was := d.version;
  ELSE
    d.value := '';
    d.expires_at := NULL;
    d.erased_at := now;
    out_.flag := there::integer;
    was := CASE WHEN there THEN -1 ELSE -2 END;
  END IF;
  IF cardinality(d.ops) = 8 THEN
    d.ops := d.ops[2:8];
    d.answers := d.answers[2:8];
  END IF;
  gone := coalesce(d.erased_at, d.expires_at);
  UPDATE stile.document SET version = d.version, expires_at = d.expires_at, erased_at = d.erased_at, value = d.value,
    ops = d.ops || o.op, answers = d.answers || was
  WHERE ns = p_ns AND key = o.subject;
  IF was_gone IS DISTINCT FROM gone THEN
    IF was_gone IS NOT NULL THEN
      DELETE FROM stile.gone_document WHERE ns = p_ns AND at = was_gone AND key = o.subject;
    END IF;
    IF gone IS NOT NULL THEN
      INSERT INTO stile.gone_document (at, ns, key) VALUES (gone, p_ns, o.subject);
    END IF;
  END IF;
  RETURN out_;
END $$;
