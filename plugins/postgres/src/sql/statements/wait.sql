-- Says that somebody waits here.
-- SPDX-License-Identifier: Apache-2.0
INSERT INTO stile.waiter (ns, channel, until, pid, watches, queues)
VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $3, pg_backend_pid(), $4, $5)
ON CONFLICT (ns, channel) DO UPDATE SET until = excluded.until, pid = excluded.pid, watches = excluded.watches,
  queues = excluded.queues
