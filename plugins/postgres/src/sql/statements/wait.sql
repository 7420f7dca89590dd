-- Says that somebody waits here.
-- SPDX-License-Identifier: Apache-2.0
INSERT INTO stile.waiter (ns, channel, until, receives, watches)
VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $3, $4, $5)
ON CONFLICT (ns, channel) DO UPDATE SET until = excluded.until, receives = excluded.receives, watches = excluded.watches
