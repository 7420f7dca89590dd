-- The workflows of a lane.
-- in:  ns, queue, lane
-- out: id
SELECT id FROM stile_due WHERE ns = :ns AND queue = :queue AND lane = :lane
