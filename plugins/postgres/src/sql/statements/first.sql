-- What must be known of a server before anything is asked of it; and, unless a pooler stands between (its process id
-- is not the one that libpq was told, $1), what this session keeps set.
-- SPDX-License-Identifier: Apache-2.0
SELECT pg_is_in_recovery(), to_regclass('stile.meta') IS NOT NULL, pg_backend_pid() = $1::integer AS direct,
  current_setting('fsync'), current_setting('server_version'),
  (SELECT system_identifier FROM pg_control_system()), (SELECT timeline_id FROM pg_control_checkpoint()),
  CASE WHEN pg_backend_pid() = $1::integer THEN set_config('default_transaction_isolation', 'read committed', false)
    || set_config('default_transaction_read_only', 'off', false) || set_config('jit', 'off', false)
    || set_config('client_connection_check_interval', '2000', false) || set_config('statement_timeout', '0', false)
    || set_config('lock_timeout', '0', false) END,
  current_setting('default_transaction_isolation')
