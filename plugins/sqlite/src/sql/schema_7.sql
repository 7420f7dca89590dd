-- The step from schema 6 to 7: operations that other programs wrote in transactions of their own (R7).
-- SPDX-License-Identifier: Apache-2.0

-- What render says, in the order in which it was committed. Whoever next begins a transaction here does it, before
-- anything else, as of the time it was said: so the contract is judged in one place, and not again in SQL.
CREATE TABLE stile_said (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  said_at     INTEGER NOT NULL DEFAULT
    ((CAST(strftime('%s', 'now') AS INTEGER) * 1000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER)) * 1000),
  namespace   BLOB NOT NULL,
  kind        INTEGER NOT NULL,
  op_id       BLOB,
  subject     BLOB NOT NULL,
  key         BLOB,
  value       BLOB,
  enqueue_at  INTEGER,
  is_instant  INTEGER,
  queue       BLOB,
  flag        INTEGER,
  version     BLOB,
  ttl         INTEGER
);
