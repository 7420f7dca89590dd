-- Which of these workflows may have changed.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.watch_v1($1, $2, $3)
