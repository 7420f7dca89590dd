-- Who may do what, for a schema "stile" that its owner has prepared (stile prepare CONFIG). Run as that owner, with
-- names of your own for the roles: worker runs workflows, client starts and signals them, from its own transactions.
-- SPDX-License-Identifier: Apache-2.0
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA stile FROM PUBLIC;

GRANT USAGE ON SCHEMA stile TO worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA stile TO worker;
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA stile TO worker;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA stile TO worker;

-- These five run with their owner's rights, so that a client needs none on the tables.
GRANT USAGE ON SCHEMA stile TO client;
GRANT EXECUTE ON FUNCTION
  stile.start(text, text, text, json, interval, text), stile.signal(text, text, text, json),
  stile.send(text, text, text, json, text), stile.enqueue(text, text, interval, text), stile.cancel(text, text)
TO client;
