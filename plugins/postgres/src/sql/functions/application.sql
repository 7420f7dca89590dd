-- Unfenced writes in the caller's own transaction (R7): from psql, a trigger, an ORM, any language. What they do
-- commits and rolls back with whatever else that transaction does.
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
RETURNS stile.answer_v1 LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
        ARRAY[p_kind]::smallint[], ARRAY[p_flags], ARRAY[CASE WHEN of_row THEN 1 END], ARRAY[0],
        ARRAY[encode(p_op, 'hex')::uuid], ARRAY[p_subject], ARRAY[p_key], ARRAY[p_value], ARRAY[NULL::bigint],
        ARRAY[NULL::uuid], ARRAY[p_n1], ARRAY[p_n2], ARRAY[p_n3], ARRAY[p_queue], ARRAY[NULL::uuid],
        ARRAY[NULL::bigint])
      LOOP
        IF x.n > 0 THEN out_ := x; ELSIF x.flag > 0 THEN PERFORM stile.ring_v1(p_ns, x.flag, x.val, x.a); END IF;
      END LOOP;
      EXIT;
    EXCEPTION WHEN serialization_failure THEN
      -- Another transaction made the same workflow meanwhile: now it is there. A snapshot that stays cannot see it.
      IF current_setting('transaction_isolation') <> 'read committed' THEN RAISE; END IF;
    END;
  END LOOP;
  RETURN out_;
END $$;

-- What follows is for people: starts, signals, messages as the C++ API writes them (JSON behind a form of two bytes).
-- json, not jsonb, which would change numbers and the order of keys. They run with the rights of the schema's owner:
-- who may call them needs no rights on the tables.

-- Starts a workflow of a kind. Answers whether it did: false, where that id was started before.
CREATE FUNCTION stile.start(namespace text, kind text, id text, input json DEFAULT 'null',
                            delay interval DEFAULT '0', queue text DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  op uuid := gen_random_uuid();
  after bigint := (extract(epoch FROM delay) * 1000000)::bigint;
  x stile.answer_v1;
BEGIN
  IF after < 0 THEN RAISE EXCEPTION 'delay is negative' USING ERRCODE = '22023'; END IF;
  IF kind !~ '^[^[:cntrl:][:space:];!][^[:cntrl:][:space:];]*$' OR octet_length(kind) > 64 THEN
    RAISE EXCEPTION 'a kind is 1 to 64 bytes without blanks, ; and control characters' USING ERRCODE = '22023';
  END IF;
  PERFORM stile.check_id_v1(id);
  x := stile.write_v1(
    convert_to(namespace, 'UTF8'), 6, 16, uuid_send(op), convert_to(id, 'UTF8'), '!start',
    convert_to('j>' || kind || CASE WHEN after > 0 THEN ';after=' || after ELSE '' END || ';by='
               || replace(op::text, '-', '') || ' ' || input, 'UTF8'),
    after, NULL, NULL, convert_to(coalesce(queue, kind), 'UTF8'));
  RETURN x.flag = 1;
END $$;

-- Ids are 1 to 512 bytes, as everywhere (B9).
CREATE FUNCTION stile.check_id_v1(id text) RETURNS void LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF id IS NULL OR octet_length(id) NOT BETWEEN 1 AND 512 THEN
    RAISE EXCEPTION 'an id is 1 to 512 bytes' USING ERRCODE = '22023';
  END IF;
END $$;

-- Answers the signal name, once. Answers whether this value stands: false, where another was given before.
CREATE FUNCTION stile.signal(namespace text, id text, name text, value json DEFAULT 'null')
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM stile.check_id_v1(id);
  PERFORM stile.check_id_v1('!signal/' || name);
  RETURN (stile.write_v1(convert_to(namespace, 'UTF8'), 6, 16, uuid_send(gen_random_uuid()), convert_to(id, 'UTF8'),
                         convert_to('!signal/' || name, 'UTF8'), convert_to('j=' || value, 'UTF8'), 0, NULL, NULL,
                         NULL)).flag = 1;
END $$;

-- Puts a message into an inbox. Answers its position: that of the first, where message_id was used before.
CREATE FUNCTION stile.send(namespace text, id text, inbox text, value json, message_id text DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM stile.check_id_v1(id);
  IF inbox !~ '^[^[:cntrl:][:space:];!][^[:cntrl:][:space:];]*$' OR octet_length(inbox) > 64 THEN
    RAISE EXCEPTION 'an inbox is 1 to 64 bytes without blanks, ; and control characters' USING ERRCODE = '22023';
  END IF;
  IF message_id IS NOT NULL THEN PERFORM stile.check_id_v1(message_id); END IF;
  RETURN (stile.write_v1(convert_to(namespace, 'UTF8'), 7, 16, uuid_send(gen_random_uuid()), convert_to(id, 'UTF8'),
                         convert_to(message_id, 'UTF8'), convert_to('j>' || inbox || ' ' || value, 'UTF8'), 0, NULL,
                         NULL, NULL)).a;
END $$;

-- Says that the workflow should run. Answers ready, delayed, coalesced, deferred or dead.
CREATE FUNCTION stile.enqueue(namespace text, id text, delay interval DEFAULT '0', queue text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  after bigint := (extract(epoch FROM delay) * 1000000)::bigint;
BEGIN
  PERFORM stile.check_id_v1(id);
  IF after < 0 THEN RAISE EXCEPTION 'delay is negative' USING ERRCODE = '22023'; END IF;
  IF octet_length(queue) > 64 THEN RAISE EXCEPTION 'a queue is at most 64 bytes' USING ERRCODE = '22023'; END IF;
  RETURN (ARRAY['ready', 'delayed', NULL, 'dead', NULL, NULL, 'coalesced', 'deferred'])[
    (stile.write_v1(convert_to(namespace, 'UTF8'), 13, 16, uuid_send(gen_random_uuid()), convert_to(id, 'UTF8'), NULL,
                    NULL, after, NULL, NULL, convert_to(queue, 'UTF8'))).d];
END $$;

-- Asks the workflow to stop: it sees that at its next step, and is woken for it.
CREATE FUNCTION stile.cancel(namespace text, id text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM stile.check_id_v1(id);
  PERFORM stile.write_v1(convert_to(namespace, 'UTF8'), 11, 0, uuid_send(gen_random_uuid()), convert_to(id, 'UTF8'),
                         NULL, NULL, NULL, NULL, NULL, NULL);
  PERFORM stile.enqueue(namespace, id);
END $$;
