-- What must be known of a server before anything is asked of it; and, unless a pooler stands between (its process id
-- is not the one that libpq was told, $1), what this session keeps set. $2: synchronous_commit, where it is to be off.
-- SPDX-License-Identifier: Apache-2.0
SELECT pg_is_in_recovery(), to_regclass('stile.meta') IS NOT NULL, pg_backend_pid() = $1::integer AS direct,
  current_setting('fsync'), current_setting('server_version'), (SELECT system_identifier FROM pg_control_system()),
  CASE WHEN NOT pg_is_in_recovery()
    THEN ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END,
  CASE WHEN NOT pg_is_in_recovery() THEN (pg_current_wal_flush_lsn() - '0/0')::bigint END,
  current_setting('default_transaction_isolation'),
  CASE WHEN pg_backend_pid() = $1::integer THEN set_config('default_transaction_isolation', 'read committed', false)
    || set_config('jit', 'off', false) || set_config('client_connection_check_interval', '2000', false)
    || set_config('statement_timeout', '0', false) || set_config('lock_timeout', '0', false)
    || CASE WHEN $2::boolean THEN set_config('stile.synchronous_commit', 'off', false)
         || set_config('synchronous_commit', 'off', false) END END,
  set_config('synchronous_commit', 'on', true),
  CASE WHEN NOT pg_is_in_recovery() THEN (pg_current_wal_insert_lsn() - '0/0')::bigint END
