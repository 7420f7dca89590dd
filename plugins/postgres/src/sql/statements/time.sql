-- The time of the store, and its epoch.
-- SPDX-License-Identifier: Apache-2.0
SELECT stile.now_v1($1), m.epoch, m.identity FROM stile.meta m
