-- One write, in the transaction of the caller.
-- SPDX-License-Identifier: Apache-2.0
SELECT status FROM stile.write_v1($1::bytea, $2::integer, $3::integer, $4::bytea, $5::bytea, $6::bytea, $7::bytea,
  $8::bigint, $9::bigint, $10::bigint, $11::bytea)
