-- What the functions of version 1 pass to each other.
-- SPDX-License-Identifier: Apache-2.0

-- A row of stile.workflow while operations work on it: the row, where it lies, where its indexes have it, and what the
-- operation that worked on it last answers. Its columns are named one by one: a later schema may add to the table.
CREATE VIEW stile.row_v1 AS SELECT
  life, number, base, ttl, alive, budget, due, since, pend, delivery, cancelled_at, position, records, written_at,
  finished_at, touched_at, happened_at, trim_at, answer_at, enqueue_at, discard_removed, ns, epoch, count, answer_count,
  wakeup, trim_class, granted_by, answer_kind, answer_flag, enqueue_kind, enqueue_state, cancel_requested,
  cancel_removed, stamp, receive, answer_op, enqueue_op, cancel_op, request_op, discard_op, id, queue, next_queue,
  error,
  -- where it lies
  ctid AS tid, false AS fresh, false AS dirty,
  -- its key in due, its key in trim
  CASE WHEN wakeup = 0 THEN NULL ELSE stile.lane_v1(wakeup, since) END AS k_lane, wakeup AS k_wakeup, due AS k_due,
  since AS k_since, queue AS k_queue, trim_class AS k_class, trim_at AS k_trim_at,
  -- the answer
  NULL::smallint AS status, NULL::smallint AS why, NULL::integer AS flag, NULL::bigint AS a, NULL::bigint AS b,
  NULL::bigint AS c, NULL::bigint AS d, NULL::bytea AS val
FROM stile.workflow;

-- One operation of a batch. What each member means depends on kind (fields.cpp).
CREATE TYPE stile.operation_v1 AS (
  n integer, kind smallint, flags integer, row integer, op uuid, subject bytea, key bytea, value bytea, number bigint,
  stamp uuid, n1 bigint, n2 bigint, n3 bigint, queue bytea, receive uuid, delivery bigint
);

-- The answer to operation n. n = 0: not an answer but news for those who wait (flag 1: a wakeup of the queue val is
-- due in a; flag 2: the workflow val has a new record, or went), or (flag 0) what place_v1 says in a.
CREATE TYPE stile.answer_v1 AS (
  n integer, status smallint, why smallint, flag integer, a bigint, b bigint, c bigint, d bigint, stamp uuid,
  val bytea
);

-- What receive and load answer. what 0: the end: flag 1 more, 2 cancel_requested, 4 finished, of receive 16 others wait
-- for what more there is; a the time, b when something is due, c the fence's number, of receive what place_v1 says.
-- what 1: a delivery, after its records: flags the same and 8 with its fence; a visible_at, b the receipt's number, c
-- and v the fence, d live_until, e budget_until, u the receipt's nonce, val the error. what 2: a record: a position, b
-- written_at, id its key (NULL: that of an inbox message), val its value.
CREATE TYPE stile.received_v1 AS (
  what smallint, flag integer, count integer, a bigint, b bigint, c bigint, d bigint, e bigint, u uuid, v uuid,
  id bytea, queue bytea, val bytea
);
