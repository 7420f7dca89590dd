-- A document.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.get_v1($1, $2)
