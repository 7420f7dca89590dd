-- The head of a lane: what is due earliest.
-- in:  ns, queue, lane
-- out: due, since, id
SELECT due, since, id FROM stile_due
WHERE ns = :ns AND queue = :queue AND lane = :lane
ORDER BY due LIMIT 1
