-- Workflows by id.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.list_v1($1, $2, $3, $4, $5, $6, $7, $8)
