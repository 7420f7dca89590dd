-- Of the wakeups of a lane that were put off and are due, the one that has waited longest (D9), among the first 100.
-- in:  ns, queue, lane, now
-- out: since, id
SELECT since, id FROM
  (SELECT since, id FROM stile_due
   WHERE ns = :ns AND queue = :queue AND lane = :lane AND due <= :now
   ORDER BY due LIMIT 100)
ORDER BY since LIMIT 1
