-- Moves a clock that stands still.
-- SPDX-License-Identifier: Apache-2.0
UPDATE stile.namespace SET manual_clock = manual_clock + $2 WHERE ns = $1 AND manual_clock <= 253402300799999999 - $2
RETURNING manual_clock
