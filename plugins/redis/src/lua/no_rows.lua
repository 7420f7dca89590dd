-- no_rows: for scripts that look at no workflow.
--
-- SPDX-License-Identifier: Apache-2.0
local function flush() end
local function look_ahead() end
local function flush_counts() end
local function reused() return {INVALID, 'reused'} end
