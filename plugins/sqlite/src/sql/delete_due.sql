-- Takes a wakeup out of its queue's lane.
-- in:  ns, queue, lane, due, id
DELETE FROM stile_due WHERE ns = :ns AND queue = :queue AND lane = :lane AND due = :due AND id = :id
