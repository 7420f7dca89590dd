-- Moves a clock that stands still (A14).
-- in:  manual_clock, ns
UPDATE stile_namespace SET manual_clock = :manual_clock WHERE ns = :ns
