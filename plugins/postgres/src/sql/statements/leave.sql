-- Nobody waits here any more.
-- SPDX-License-Identifier: Apache-2.0
DELETE FROM stile.waiter WHERE channel = $1
