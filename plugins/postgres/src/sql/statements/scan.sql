-- Keys of documents.
-- SPDX-License-Identifier: Apache-2.0
SELECT * FROM stile.scan_v1($1, $2, $3, $4, $5)
