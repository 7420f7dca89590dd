-- Is the effect to run?
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.transact_begin_v1($1, $2, $3, $4, $5, $6)
