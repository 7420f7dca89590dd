-- Counts.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.stats_v1($1, $2)
