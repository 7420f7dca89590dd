-- Changes when another connection has committed.
-- in:
-- out: version
PRAGMA data_version
