-- Tells those who wait.
-- SPDX-License-Identifier: Apache-2.0
SELECT stile.ring_v1($1, $2, $3, $4, $5)
