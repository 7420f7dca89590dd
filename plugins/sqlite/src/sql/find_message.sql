-- Where a message went.
-- in:  life, kind, id
-- out: position, op
SELECT position, op FROM stile_message WHERE life = :life AND kind = :kind AND id = :id
