-- The number of a namespace, and whether its clock stands still.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.enter_v1($1, $2)
