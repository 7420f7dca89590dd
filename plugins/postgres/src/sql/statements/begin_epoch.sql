-- Begins an epoch, unless it is another one than $2 already.
-- SPDX-License-Identifier: Apache-2.0
SELECT stile.begin_epoch_v1($1, $2)
