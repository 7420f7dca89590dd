-- Every wakeup that is in flight, of all namespaces.
-- out: ns, id
SELECT ns, id FROM stile_due WHERE lane IN (2, 3)
