-- Removes every record but inbox messages above a position (B11).
-- in:  life, inbox_after
DELETE FROM stile_record WHERE life = :life AND (key IS NOT NULL OR position <= :inbox_after)
