-- The tables of schema 6, the first released. Times are Unix microseconds, ids and values blobs, what is none is NULL.
-- SPDX-License-Identifier: Apache-2.0

-- What holds for the whole file: schema, epoch, identity, inode, next_life.
CREATE TABLE stile_meta (
  name  TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;

-- One row a namespace: what forgotten ids leave behind (A1, K2), and its clock where that stands still (A14).
CREATE TABLE stile_namespace (
  ns             INTEGER PRIMARY KEY,
  name           BLOB NOT NULL UNIQUE,
  floor          INTEGER NOT NULL DEFAULT 0,
  document_floor INTEGER NOT NULL DEFAULT 0,
  manual_clock   INTEGER
);

-- One row a workflow: its lease, its wakeup, what it remembers (R1). life names its records; NULL until the first. core
-- holds whatever no statement asks for (packed.hpp), tail the last records (tail.hpp).
CREATE TABLE stile_workflow (
  ns               INTEGER NOT NULL,
  id               BLOB NOT NULL,
  life             INTEGER,
  number           INTEGER NOT NULL,
  records          INTEGER NOT NULL,
  finished_at      INTEGER NOT NULL,
  wakeup           INTEGER NOT NULL,
  cancel_requested INTEGER NOT NULL,
  queue            BLOB,
  next_queue       BLOB,
  error            BLOB,
  core             BLOB NOT NULL,
  tail             BLOB,
  PRIMARY KEY (ns, id)
) WITHOUT ROWID;

-- Every wakeup, once. lane: 0 waiting, 1 waiting and put off, 2 in flight, 3 in flight and put off, 4 dead.
CREATE TABLE stile_due (
  ns    INTEGER NOT NULL,
  queue BLOB NOT NULL,
  lane  INTEGER NOT NULL,
  due   INTEGER NOT NULL,
  id    BLOB NOT NULL,
  since INTEGER NOT NULL,  -- after the key: before it, SQLite 3.40's integrity_check takes one for the other
  PRIMARY KEY (ns, queue, lane, due, id)
) WITHOUT ROWID;

-- What trim may look at, and from when on (T1, T2, T6).
CREATE TABLE stile_trim (
  ns    INTEGER NOT NULL,
  class INTEGER NOT NULL,
  at    INTEGER NOT NULL,
  id    BLOB NOT NULL,
  PRIMARY KEY (ns, class, at, id)
) WITHOUT ROWID;

-- Records, but the last of each workflow, which are in stile_workflow.tail: runs of them, in the bytes they had there
-- (packed_records.hpp), up to the position last. They are written at the end of the table, whosever they are, so that
-- those of one transaction share its pages; what must stand in order is small.
CREATE TABLE stile_record (
  id      INTEGER PRIMARY KEY,
  life    INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  records BLOB NOT NULL
);
CREATE UNIQUE INDEX stile_record_last ON stile_record (life, last);

-- Where the record of each key stands, but of those in a tail. The key of an inbox message says its position itself.
CREATE TABLE stile_key (
  life     INTEGER NOT NULL,
  key      BLOB NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (life, key)
) WITHOUT ROWID;

-- Where each message went (I3); outlives its record (B11). kind: 0 a message_id, 1 the op_id.
CREATE TABLE stile_message (
  life     INTEGER NOT NULL,
  kind     INTEGER NOT NULL,
  id       BLOB NOT NULL,
  position INTEGER NOT NULL,
  op       BLOB,
  PRIMARY KEY (life, kind, id)
) WITHOUT ROWID;

-- Lives that are over; trim erases their records and messages in pieces (B13).
CREATE TABLE stile_gone (life INTEGER PRIMARY KEY);

-- Larger values of documents. A row of a table WITHOUT ROWID is a key of its b-tree. Whoever passes by compares it, and
-- SQLite reads all of it for that: one value of 16 MiB made every write near it read 16 MiB. So there only small values
-- stand in the row itself; aside says where any other lies.
CREATE TABLE stile_value (id INTEGER PRIMARY KEY, value BLOB NOT NULL);

-- Documents, and husks of erased ones. ops: the last eight writes, 32 bytes each, oldest first (K3).
CREATE TABLE stile_document (
  ns         INTEGER NOT NULL,
  key        BLOB NOT NULL,
  version    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  erased_at  INTEGER NOT NULL,
  ops        BLOB NOT NULL,
  value      BLOB NOT NULL,
  aside      INTEGER,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID;
CREATE TRIGGER stile_document_erased AFTER DELETE ON stile_document WHEN old.aside IS NOT NULL
BEGIN
  DELETE FROM stile_value WHERE id = old.aside;
END;

-- When documents went or will go, for trim.
CREATE TABLE stile_gone_document (
  ns  INTEGER NOT NULL,
  at  INTEGER NOT NULL,
  key BLOB NOT NULL,
  PRIMARY KEY (ns, at, key)
) WITHOUT ROWID;
