-- Unfenced writes in the caller's own transaction (R7): from psql, a trigger, an ORM, any language. What they do commits
-- and rolls back with whatever else that transaction does.
-- SPDX-License-Identifier: Apache-2.0

-- The number of a namespace, made where it is new. manual: its clock stands still until it is advanced (A14).
CREATE FUNCTION stile.namespace_v1(p_name bytea, manual boolean DEFAULT false) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_ integer;
BEGIN
  LOOP
    SELECT ns INTO found_ FROM stile.namespace WHERE name = p_name;
    IF FOUND THEN RETURN found_; END IF;
    INSERT INTO stile.namespace (name, manual_clock) VALUES (p_name, CASE WHEN manual THEN stile.clock_v1(NULL) END)
    ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- The same, and whether its clock stands still.
CREATE FUNCTION stile.enter_v1(p_name bytea, manual boolean, OUT number integer, OUT still boolean) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  number := stile.namespace_v1(p_name, manual);
  SELECT manual_clock IS NOT NULL INTO still FROM stile.namespace WHERE ns = number;
END $$;

-- One write, as render says it: the members are those of run_v1.
CREATE FUNCTION stile.write_v1(p_namespace bytea, p_kind integer, p_flags integer, p_op bytea, p_subject bytea,
                               p_key bytea, p_value bytea, p_n1 bigint, p_n2 bigint, p_n3 bigint, p_queue bytea)
RETURNS stile.answer_v1 LANGUAGE plpgsql AS $$
DECLARE
  p_ns integer := stile.namespace_v1(p_namespace);
  of_row boolean := p_kind NOT IN (22, 23);
  x stile.answer_v1;
  out_ stile.answer_v1;
BEGIN
  LOOP
    BEGIN
      FOR x IN SELECT * FROM stile.run_v1(
        p_ns, CASE WHEN of_row THEN ARRAY[p_subject] ELSE '{}' END,
        CASE WHEN of_row THEN ARRAY[p_kind IN (6, 7, 11, 13)] ELSE '{}' END,
        ARRAY[p_kind]::smallint[], ARRAY[p_flags], ARRAY[CASE WHEN of_row THEN 1 END],
        ARRAY[encode(p_op, 'hex')::uuid], ARRAY[p_subject], ARRAY[p_key], ARRAY[p_value], ARRAY[NULL::bigint],
        ARRAY[NULL::uuid], ARRAY[p_n1], ARRAY[p_n2], ARRAY[p_n3], ARRAY[p_queue], ARRAY[NULL::uuid],
        ARRAY[NULL::bigint])
      LOOP
        IF x.n = 0 THEN PERFORM stile.ring_v1(p_ns, x.flag, x.val, x.a); ELSE out_ := x; END IF;
      END LOOP;
      EXIT;
    EXCEPTION WHEN serialization_failure THEN
      -- Another transaction made the same workflow meanwhile: now it is there. A snapshot that stays cannot see it.
      IF current_setting('transaction_isolation') <> 'read committed' THEN RAISE; END IF;
    END;
  END LOOP;
  RETURN out_;
END $$;
