-- Moves a clock that stands still.
-- SPDX-License-Identifier: Apache-2.0
SELECT stile.advance_v1($1, $2)
