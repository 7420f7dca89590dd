-- no_log: what the common room's files would tell a log of wakeups. This plugin keeps none.
--
-- SPDX-License-Identifier: Apache-2.0
local function log_save() end
local function log_delivered() end
local function log_trim() return 0, false, true end
