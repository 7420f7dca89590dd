-- The records of a workflow.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.load_v1($1, $2, $3, $4, $5, $6)
