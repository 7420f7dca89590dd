-- Counts the wakeups of a queue, or of all with an empty range of names, by lane.
-- in:  now, ns, queue
-- out: lane, how many are due, how many are not, the least due and the least since of those due, the next due above now
SELECT lane, count(*) FILTER (WHERE due <= :now), count(*) FILTER (WHERE due > :now),
  min(due) FILTER (WHERE due <= :now), min(since) FILTER (WHERE due <= :now), min(due) FILTER (WHERE due > :now)
FROM stile_due WHERE ns = :ns AND queue = :queue
GROUP BY lane
