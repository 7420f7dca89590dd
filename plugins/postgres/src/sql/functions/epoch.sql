-- What every write begins with: its durability, and the epoch (S2).
-- SPDX-License-Identifier: Apache-2.0

-- The timeline that this server writes: another one than before where it was promoted, or restored from a backup. That
-- of the control file is the last checkpoint's, which may be one behind. NULL on a standby, which takes no writes.
CREATE FUNCTION stile.timeline_v1() RETURNS integer LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN NOT pg_is_in_recovery()
    THEN ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END
$$;

-- A place in the log that the commit of this transaction brings to disk, so that a server whose log ends before it has
-- lost what was acknowledged. NULL where nothing was written.
CREATE FUNCTION stile.place_v1() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NOT NULL
    THEN (pg_current_wal_insert_lsn() - '0/0')::bigint END
$$;

-- The part of a new epoch that is about one row: neither lease nor receipt is good any more.
CREATE FUNCTION stile.age_v1(r stile.row_v1, p_epoch integer) RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
BEGIN
  IF r.epoch IS NOT NULL THEN
    r.alive := 0;
    r.budget := 0;
    r.stamp := NULL;
    r.receive := NULL;
    r.cancelled_at := NULL;
  END IF;
  r.epoch := p_epoch;
  RETURN r;
END $$;

-- Begins an epoch: what was in flight or put off is ready, with its count; the rest is done where a row is next worked
-- on. p_server: the system's identifier, where that was asked for. p_seen: only if the epoch is that one still.
CREATE FUNCTION stile.begin_epoch_v1(p_server bigint, p_seen integer) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  m stile.meta;
  rows stile.row_v1[];
  r stile.row_v1;
  of_ns integer;
  after bytea;
  now bigint;
BEGIN
  SELECT * INTO m FROM stile.meta FOR UPDATE;
  IF m.epoch <> p_seen THEN RETURN m.epoch; END IF;
  m.epoch := m.epoch + 1;
  UPDATE stile.meta SET epoch = m.epoch, identity = gen_random_uuid(), timeline = stile.timeline_v1(),
    server = coalesce(p_server, server);
  FOR of_ns IN SELECT ns FROM stile.namespace ORDER BY ns LOOP
    after := '';
    LOOP
      SELECT array_agg(x.r ORDER BY d.id) INTO rows
      FROM (SELECT id FROM stile.due WHERE ns = of_ns AND (wakeup = 2 OR lane = 1) AND id > after
            ORDER BY id LIMIT 1000) d
        CROSS JOIN LATERAL (SELECT v AS r FROM stile.row_v1 v WHERE v.ns = of_ns AND v.id = d.id FOR UPDATE) x;
      EXIT WHEN rows IS NULL;
      after := (rows[cardinality(rows)]).id;
      now := stile.clock_v1((SELECT manual_clock FROM stile.namespace WHERE ns = of_ns));
      FOR i IN 1 .. cardinality(rows) LOOP
        r := stile.age_v1(rows[i], m.epoch);
        IF r.wakeup = 2 THEN
          r := stile.take_back_v1(r, now);
        ELSIF r.since IS NOT NULL THEN
          r.due := least(r.due, greatest(r.since, now));
        END IF;
        r.dirty := true;
        rows[i] := r;
      END LOOP;
      PERFORM stile.flush_v1(of_ns, rows, now);
    END LOOP;
  END LOOP;
  RETURN m.epoch;
END $$;

-- An accepted write is durable before its answer, whatever the role or the database has as its default (B8, P04), but
-- where this session was told otherwise; and it is of the epoch of the server that it is done on.
CREATE FUNCTION stile.begin_v1() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  m record;
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local')
     AND current_setting('stile.synchronous_commit', true) IS DISTINCT FROM 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  SELECT epoch, timeline INTO m FROM stile.meta;
  IF m.timeline <> stile.timeline_v1() THEN PERFORM stile.begin_epoch_v1(NULL, m.epoch); END IF;
END $$;
