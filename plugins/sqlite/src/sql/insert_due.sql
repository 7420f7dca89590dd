-- Puts a wakeup into its queue's lane.
-- in:  ns, queue, lane, due, since, id
INSERT INTO stile_due (ns, queue, lane, due, since, id) VALUES (:ns, :queue, :lane, :due, :since, :id)
