-- Hands out what is due.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.receive_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
