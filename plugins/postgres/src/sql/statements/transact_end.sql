-- Records what the effect gave.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.transact_end_v1($1, $2, $3, $4, $5, $6, $7)
