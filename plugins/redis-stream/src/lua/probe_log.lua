  -- probe_log: for probe. The commands of the log; each key is one of the tries before and after it.
  --
  -- SPDX-License-Identifier: Apache-2.0
  {'XADD', key, '*', 'f', ''}, {'XGROUP', 'CREATE', key, 'g', '0'}, {'XLEN', key}, {'XRANGE', key, '-', '+'},
  {'XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '1', 'STREAMS', key, '>'}, {'XPENDING', key, 'g'},
  {'XCLAIM', key, 'g', 'c', '0', '0-1'}, {'XACK', key, 'g', '0-1'}, {'XINFO', 'GROUPS', key},
  {'XTRIM', key, 'MAXLEN', '0'},
