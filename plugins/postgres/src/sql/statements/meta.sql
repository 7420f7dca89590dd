-- What is there of the schema.
-- SPDX-License-Identifier: Apache-2.0
SELECT version, epoch, identity, server, timeline FROM stile.meta
