-- enqueue, cancel and the four answers on a locked row (C, D, W).
-- SPDX-License-Identifier: Apache-2.0

-- enqueue, and the wakeup part of supply and append (W1-W3, W10, D7): n1 when, flag 32 an instant, queue or NULL; of
-- enqueue flag 2 revive. Answers d the state, c visible_at; remembers them under the op_id.
CREATE FUNCTION stile.wake_v1(r stile.row_v1, o stile.operation_v1, p_now bigint)
RETURNS stile.row_v1 LANGUAGE plpgsql AS $$
DECLARE
  at bigint := CASE WHEN o.flags & 32 <> 0 THEN greatest(o.n1, p_now)
                    ELSE least(p_now + o.n1, 253402300799999999) END;
BEGIN
  IF o.kind = 13 AND o.op = r.enqueue_op THEN
    IF r.enqueue_kind <> 13 THEN r.status := 8; r.why := 1; RETURN r; END IF;
    r.d := r.enqueue_state;
    r.c := r.enqueue_at;
    RETURN r;
  END IF;
  IF r.wakeup = 3 AND (o.kind <> 13 OR o.flags & 2 = 0) THEN
    r.d := 4;
    r.c := 0;
  ELSIF r.wakeup = 2 THEN
    IF o.queue IS NOT NULL THEN r.next_queue := o.queue; END IF;
    r.pend := least(r.pend, at);
    r.d := 8;
    r.c := r.pend;
  ELSE
    IF o.queue IS NOT NULL THEN r.queue := o.queue; END IF;
    IF r.wakeup = 1 THEN
      IF r.since IS NOT NULL THEN r.since := least(r.since, at); ELSE r.due := least(r.due, at); END IF;
      r.d := 7;
    ELSE
      r.wakeup := 1;
      r.due := at;
      r.since := NULL;
      r.count := 0;
      r.d := CASE WHEN at <= p_now THEN 1 ELSE 2 END;
    END IF;
    r.c := r.due;
  END IF;
  r.enqueue_op := o.op;
  r.enqueue_kind := o.kind;
  r.enqueue_state := r.d;
  r.enqueue_at := r.c;
  r.dirty := true;
  RETURN r;
END $$;

-- No wakeup, whatever it was (C1, C2).
CREATE FUNCTION stile.remove_wakeup_v1(r stile.row_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF r.wakeup = 2 THEN r.cancelled_at := p_now; END IF;
  IF r.next_queue IS NOT NULL THEN r.queue := r.next_queue; END IF;
  r.next_queue := NULL;
  r.pend := NULL;
  r.since := NULL;
  r.wakeup := 0;
  r.due := 0;
  r.count := 0;
  r.error := NULL;
  RETURN r;
END $$;

-- C1-C7. Answers flag: there was one.
CREATE FUNCTION stile.cancel_v1(r stile.row_v1, o stile.operation_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF r.id IS NULL THEN r.flag := 0; RETURN r; END IF;
  IF o.op = r.cancel_op THEN r.flag := r.cancel_removed::integer; RETURN r; END IF;
  r.cancel_removed := r.wakeup <> 0;
  r.cancel_op := o.op;
  r.flag := r.cancel_removed::integer;
  r := stile.remove_wakeup_v1(r, p_now);
  r.dirty := true;
  RETURN r;
END $$;

-- Back to waiting, at the earlier of a time and the enqueue that was kept (W3, W10).
CREATE FUNCTION stile.back_to_waiting_v1(r stile.row_v1, at bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  r.due := least(r.pend, at);
  IF r.next_queue IS NOT NULL THEN r.queue := r.next_queue; END IF;
  r.next_queue := NULL;
  r.pend := NULL;
  r.since := NULL;
  r.wakeup := 1;
  RETURN r;
END $$;

-- ack, snooze, nack, reject: the receipt is judged first, then the fence, then finished (D8). flags: 2 finished, 4 has
-- a fence, 8 release, 32 an instant; n1 when or delay; value the error or NULL. Answers, now and when sent again (D6,
-- R1): ack: flag requeued. snooze: a visible_at. nack: a visible_at, flag the count. reject: flag the state.
CREATE FUNCTION stile.answer_v1(r stile.row_v1, o stile.operation_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
BEGIN
  IF o.op = r.answer_op THEN
    IF r.answer_kind <> o.kind THEN r.status := 8; r.why := 1; RETURN r; END IF;
    r.a := r.answer_at;
    r.flag := CASE WHEN o.kind = 18 THEN r.answer_count ELSE r.answer_flag END;
    RETURN r;
  END IF;
  r.status := CASE WHEN coalesce(r.receive <> o.receive OR r.delivery <> o.delivery, true) THEN 2
                   WHEN r.wakeup = 2 THEN 0
                   WHEN p_now < r.cancelled_at + 600000000 THEN 3 ELSE 2 END;  -- D2, C2
  IF r.status <> 0 THEN RETURN r; END IF;
  IF o.flags & 4 <> 0 AND (r.number = o.number AND r.stamp = o.stamp) IS NOT TRUE THEN r.status := 1; RETURN r; END IF;
  IF o.flags & 6 = 2 AND r.number <> 0 THEN r.status := 8; r.why := 2; RETURN r; END IF;
  r.answer_op := o.op;
  r.answer_kind := o.kind;
  r.answer_at := NULL;
  r.answer_count := 0;
  r.answer_flag := 0;
  IF o.kind = 16 THEN
    r.count := 0;
    r.error := NULL;
    IF o.flags & 2 <> 0 THEN r.finished_at := coalesce(r.finished_at, p_now); END IF;
    IF r.pend IS NOT NULL THEN
      r.answer_flag := 1;
      r := stile.back_to_waiting_v1(r, NULL);
    ELSE
      r.wakeup := 0;
      r.due := 0;
      r.since := NULL;
      IF r.next_queue IS NOT NULL THEN r.queue := r.next_queue; r.next_queue := NULL; END IF;
    END IF;
  ELSIF o.kind = 19 THEN
    IF o.value IS NOT NULL THEN r.error := nullif(o.value, ''); END IF;
    IF r.pend IS NOT NULL THEN
      r.count := 0;
      r.answer_flag := 9;
      r := stile.back_to_waiting_v1(r, NULL);
    ELSE
      r.answer_flag := 4;
      IF r.next_queue IS NOT NULL THEN r.queue := r.next_queue; r.next_queue := NULL; END IF;
      r.since := NULL;
      r.wakeup := 3;
      r.due := 0;
    END IF;
  ELSE
    IF o.kind = 17 THEN
      r.count := 0;
      r.error := NULL;
    ELSIF o.value IS NOT NULL THEN
      r.error := nullif(o.value, '');
    END IF;
    r := stile.back_to_waiting_v1(r, CASE WHEN o.flags & 32 <> 0 THEN greatest(o.n1, p_now)
                                          ELSE least(p_now + o.n1, 253402300799999999) END);
    r.answer_at := r.due;
    r.answer_count := r.count;
  END IF;
  r.touched_at := p_now;
  IF o.flags & 8 <> 0 THEN
    IF r.since IS NOT NULL THEN r := stile.free_lease_v1(r, p_now); END IF;
    r.alive := 0;
    r.budget := 0;
  END IF;
  r.dirty := true;
  r.a := r.answer_at;
  r.flag := CASE WHEN o.kind = 18 THEN r.answer_count ELSE r.answer_flag END;
  RETURN r;
END $$;

-- D3: n1 the delivery's lease; with a fence (flag 4) n2 ttl and n3 budget or NULL. Answers a visible_at, b live_until,
-- c budget_until, flag cancel_requested.
CREATE FUNCTION stile.extend_v1(r stile.row_v1, o stile.operation_v1, p_now bigint) RETURNS stile.row_v1
LANGUAGE plpgsql AS $$
DECLARE
  until bigint := stile.later_v1(p_now, o.n1);
BEGIN
  r.status := CASE WHEN coalesce(r.receive <> o.receive OR r.delivery <> o.delivery, true) THEN 2
                   WHEN r.wakeup = 2 THEN 0
                   WHEN p_now < r.cancelled_at + 600000000 THEN 3 ELSE 2 END;  -- D2, C2
  IF r.status <> 0 THEN RETURN r; END IF;
  IF o.flags & 4 <> 0 THEN
    IF (r.number = o.number AND r.stamp = o.stamp) IS NOT TRUE THEN r.status := 1; RETURN r; END IF;
    IF o.n3 IS NULL AND p_now >= r.budget THEN r.status := 4; RETURN r; END IF;
    r := stile.renew_lease_v1(r, o.n2, o.n3, p_now);
  END IF;
  IF r.since IS NOT NULL AND r.due > p_now AND p_now < r.alive THEN
    r.since := greatest(r.since, until);
    r.due := greatest(r.due, r.since);
  ELSE
    r.since := NULL;
    r.due := greatest(r.due, until);
  END IF;
  r.a := coalesce(r.since, r.due);
  r.b := r.alive;
  r.c := r.budget;
  r.flag := r.cancel_requested::integer;
  r.dirty := true;
  RETURN r;
END $$;
