-- Removes what is finished and left over.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.trim_v1($1, $2, $3)
