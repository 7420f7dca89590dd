-- The tables of schema 1, the first released. Times are Unix microseconds, ids and values bytea, what is none is NULL.
-- `stile.` stands for the schema of the option: prepare writes its name there.
-- SPDX-License-Identifier: Apache-2.0

-- What holds for the whole schema. server and timeline are those the epoch was last compared with; identity is drawn
-- anew with each epoch (S2).
CREATE TABLE stile.meta (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  version  integer NOT NULL,
  epoch    integer NOT NULL,
  identity uuid NOT NULL,
  server   bigint NOT NULL,
  timeline integer NOT NULL
);

-- One row a namespace: what forgotten ids leave behind (A1, K2), and its clock where that stands still (A14).
CREATE TABLE stile.namespace (
  ns             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  floor          bigint NOT NULL DEFAULT 0,
  document_floor bigint NOT NULL DEFAULT 0,
  manual_clock   bigint,
  name           bytea NOT NULL UNIQUE
) WITH (fillfactor = 50);

-- The clock that does not go back (A12): the latest second that was used, times 2^28, and by how many seconds the
-- store is ahead of a server's clock that was stepped back. A sequence, since that is memory which all sessions share
-- at once, whatever becomes of their transactions. Nobody draws from it.
CREATE SEQUENCE stile.clock AS bigint MINVALUE 0 START WITH 0;

-- A life names the records of a workflow between two discards, so that a workflow of any size goes in one step (B13).
CREATE SEQUENCE stile.life AS bigint CACHE 32;

-- One row a workflow: its lease, its wakeup, what it remembers (R1). No changing column is indexed, so that every
-- update is HOT; due and trim are the indexes.
CREATE TABLE stile.workflow (
  life            bigint,                       -- NULL: no record yet
  number          bigint NOT NULL DEFAULT 0,    -- of the fence; 0 = never granted, or discarded since
  base            bigint,                       -- used by an earlier life of this row: number, position go on above it
  ttl             bigint NOT NULL DEFAULT 0,
  alive           bigint NOT NULL DEFAULT 0,    -- the lease is live while now < alive
  budget          bigint NOT NULL DEFAULT 0,
  due             bigint NOT NULL DEFAULT 0,    -- when the wakeup can be delivered (again)
  since           bigint,                       -- put off (D9): the time by which it keeps its place
  pend            bigint,                       -- the earliest enqueue kept while in flight (W3)
  delivery        bigint NOT NULL DEFAULT 0,    -- rises with every delivery; second part of the receipt's nonce
  cancelled_at    bigint,                       -- when cancel took the receipt away (C2)
  position        bigint NOT NULL DEFAULT 0,    -- of the last record
  records         bigint NOT NULL DEFAULT 0,
  written_at      bigint NOT NULL DEFAULT 0,    -- of the last record
  finished_at     bigint,
  touched_at      bigint NOT NULL DEFAULT 0,    -- last accepted write or answer (T2)
  happened_at     bigint NOT NULL DEFAULT 0,    -- last change of any kind
  trim_at         bigint NOT NULL DEFAULT 0,    -- with trim_class: its place in trim
  answer_at       bigint,                       -- visible_at of the last answer
  enqueue_at      bigint,                       -- visible_at of the last enqueue
  discard_removed bigint,
  ns              integer NOT NULL,
  epoch           integer NOT NULL,             -- of the last write: lease and receipt of an older one are void (S2)
  count           integer NOT NULL DEFAULT 0,   -- deliveries since the last ack or snooze (D5)
  answer_count    integer NOT NULL DEFAULT 0,
  wakeup          smallint NOT NULL DEFAULT 0,  -- 0 none, 1 waiting, 2 in flight, 3 dead
  trim_class      smallint NOT NULL DEFAULT 0,  -- 0 none, 1 finished, 2 finished and leased, 3 leftover
  granted_by      smallint NOT NULL DEFAULT 0,  -- the kind of operation that stamp is the op_id of
  answer_kind     smallint NOT NULL DEFAULT 0,
  answer_flag     smallint NOT NULL DEFAULT 0,  -- ack: requeued; reject: the state
  enqueue_kind    smallint NOT NULL DEFAULT 0,
  enqueue_state   smallint NOT NULL DEFAULT 0,
  cancel_requested boolean NOT NULL DEFAULT false,
  cancel_removed  boolean NOT NULL DEFAULT false,
  stamp           uuid,
  receive         uuid,                         -- first part of the receipt's nonce
  answer_op       uuid,
  enqueue_op      uuid,
  cancel_op       uuid,
  request_op      uuid,
  discard_op      uuid,
  id              bytea NOT NULL,
  queue           bytea NOT NULL DEFAULT '',
  next_queue      bytea,                        -- named while in flight, takes effect with the answer (W10)
  error           bytea,
  PRIMARY KEY (ns, id)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- Every wakeup once. lane: 0 by its time, 1 put off, 2 dead.
CREATE TABLE stile.due (
  due    bigint NOT NULL,
  since  bigint,
  ns     integer NOT NULL,
  lane   smallint NOT NULL,
  wakeup smallint NOT NULL,
  queue  bytea NOT NULL,
  id     bytea NOT NULL,
  PRIMARY KEY (ns, queue, lane, due, id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- What trim may look at, and from when on (T1, T2, T6).
CREATE TABLE stile.trim (
  at    bigint NOT NULL,
  ns    integer NOT NULL,
  class smallint NOT NULL,
  id    bytea NOT NULL,
  PRIMARY KEY (ns, class, at, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- Records. The key of an inbox message says its position, so it is not stored.
CREATE TABLE stile.record (
  life       bigint NOT NULL,
  position   bigint NOT NULL,
  written_at bigint NOT NULL,
  kind       smallint NOT NULL,
  op         uuid,
  key        bytea,
  value      bytea NOT NULL,
  PRIMARY KEY (life, position)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
CREATE UNIQUE INDEX record_key ON stile.record (life, key) WHERE key IS NOT NULL;

-- Where each message went (I3); outlives its record (B11). kind: 0 a message_id, 1 the op_id.
CREATE TABLE stile.message (
  life     bigint NOT NULL,
  position bigint NOT NULL,
  kind     smallint NOT NULL,
  op       uuid,
  id       bytea NOT NULL,
  PRIMARY KEY (life, kind, id)
);

-- Lives that are over; trim erases what hangs on them in pieces (B13).
CREATE TABLE stile.gone (life bigint NOT NULL, ns integer NOT NULL, PRIMARY KEY (ns, life));

-- Documents, and husks of erased ones. ops and answers: the last eight writes (K3); an answer is the version of a put,
-- -1 for an erase that removed something, -2 for one that met nothing.
CREATE TABLE stile.document (
  version    bigint NOT NULL,
  expires_at bigint,
  erased_at  bigint,
  ns         integer NOT NULL,
  ops        uuid[] NOT NULL DEFAULT '{}',
  answers    bigint[] NOT NULL DEFAULT '{}',
  key        bytea NOT NULL,
  value      bytea NOT NULL,
  PRIMARY KEY (ns, key)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 1);

-- When documents went or will go, for trim.
CREATE TABLE stile.gone_document (
  at  bigint NOT NULL,
  ns  integer NOT NULL,
  key bytea NOT NULL,
  PRIMARY KEY (ns, at, key)
);

-- Which processes wait, so that nobody is told where nobody listens: hints only, gone after a crash. pid: of the
-- session that listens. queues: NULL where nobody receives.
CREATE UNLOGGED TABLE stile.waiter (
  ns      integer NOT NULL,
  channel text NOT NULL,
  until   bigint NOT NULL,
  pid     integer NOT NULL,
  watches boolean NOT NULL,
  queues  bytea[],
  PRIMARY KEY (ns, channel)
) WITH (fillfactor = 50);
