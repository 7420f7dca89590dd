#!/usr/bin/env python3
"""What a server does to those who use it, and what they are answered: rows of failures that were met in the field.

Usage: failures_test.py STILE [TEST...]: runs against private servers, in temporary folders.
SPDX-License-Identifier: Apache-2.0
"""
import signal
import subprocess
import unittest

from support import Folder, Psql, Store, call, config, main, wait_until

OURS = "application_name = 'stile-failures'"


class OnOneServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("failures")
        cls.server = cls.folder.server().start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop(signal.SIGQUIT)
        cls.folder.remove()

    def store(self, namespace=None, **more):
        text = config(self.server, "prepare=auto", "application_name=stile-failures", namespace=namespace)
        store = Store(text, **more)
        self.addCleanup(store.close)
        store.until("ok", "info")
        return store

    def psql(self):
        session = Psql(self.server)
        self.addCleanup(session.close)
        return session

    def enqueued(self, **more):
        store = self.store(**more)
        store.until("ok", "enqueue", workflow="w")
        return store

    def holding(self, table="workflow", text="id = 'w'"):
        """A transaction of somebody else that holds rows."""
        other = self.psql()
        other.run(f"BEGIN; SELECT 1 FROM stile.{table} WHERE {text} FOR UPDATE")
        return other

    def blocked(self):
        return self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != "0"

    def test_a_commit_is_waited_for_whatever_the_role_has_as_default(self):  # P04
        self.server.sql("ALTER ROLE postgres SET synchronous_commit TO off")
        try:
            self.server.reload(wal_writer_delay="'10s'")
            store = self.enqueued()
            flushed = "SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()"
            said = []
            for i in range(10):
                store.ask("append", workflow="w", value=str(i))
                said.append(self.server.sql(flushed))
            # What the server writes of its own accord is not waited for by anybody.
            self.assertGreaterEqual(said.count("t"), 7)
        finally:
            self.server.sql("ALTER ROLE postgres RESET synchronous_commit")

    def test_a_backend_that_is_ended_leaves_its_caller_in_doubt_and_no_longer(self):  # P01, P08
        store = self.enqueued()
        self.server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {OURS}")
        op = "00112233445566778899aabbccddee01"
        first = store.ask("append", workflow="w", value="x", op_id=op)
        self.assertIn(first["status"], ("unknown", "unavailable", "ok"))  # ok: it came to its end after that
        again = store.until("ok", "append", workflow="w", value="x", op_id=op)
        self.assertFalse(again["duplicate"])
        self.assertEqual(len(store.ask("load", workflow="w")["records"]), 1)

    def test_a_backend_that_crashes_takes_all_along_and_they_come_back(self):  # P40
        store = self.enqueued()
        pid = self.server.sql(f"SELECT min(pid) FROM pg_stat_activity WHERE {OURS}")
        recovered = "ready to accept connections"
        before = self.server.log().count(recovered)
        subprocess.run(["kill", "-9", pid], check=True)
        wait_until(lambda: self.server.log().count(recovered) > before, "the server has recovered")
        self.assertEqual(store.until("ok", "enqueue", workflow="w")["state"], "coalesced")

    def test_a_cancelled_statement_did_nothing(self):  # P11
        store = self.enqueued()
        other = self.holding()
        store.say("append", workflow="w", value="x")
        wait_until(self.blocked, "it waits for the row")
        waits = f"{OURS} AND wait_event_type = 'Lock'"
        self.server.sql(f"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE {waits}")
        self.assertEqual(store.hear()["status"], "unavailable")
        other.run("ROLLBACK")
        self.assertEqual(store.ask("load", workflow="w")["records"], [])

    def test_a_call_that_waits_for_a_row_ends_by_its_deadline(self):  # P10, R4
        store = self.enqueued(deadline="1s")
        other = self.holding()
        store.say("append", workflow="w", value="x")
        self.assertEqual(store.hear()["status"], "unknown")  # the row is held still
        other.run("ROLLBACK")
        # What was given up is not done later: the server sees that nobody waits for it any more.
        store.until("ok", "append", workflow="w", value="y")
        loaded = store.until("ok", "load", workflow="w")
        self.assertEqual([r["value"] for r in loaded["records"] if r["value"] != "x"], ["y"])

    def test_a_deadlock_is_begun_again(self):  # P09, P38
        store = self.store()
        for workflow in "ab":
            store.ask("enqueue", workflow=workflow)
        other = self.holding(text="id = 'b'")
        other.run("SET deadlock_timeout TO '10s'")  # it is the other one who notices
        store.say_batch(*({"op": "append", "workflow": workflow, "value": "x"} for workflow in "ab"))
        wait_until(self.blocked, "it waits for b")
        other.send("SELECT 1 FROM stile.workflow WHERE id = 'a' FOR UPDATE")
        other.hear()
        other.run("ROLLBACK")
        self.assertEqual([one["status"] for one in store.hear()], ["ok", "ok"])

    def test_operations_of_a_batch_fail_alone_and_in_their_order(self):  # P39, R3
        store = self.enqueued()
        append, load = ({"op": op, "workflow": "w"} for op in ("append", "load"))
        store.say_batch({**append, "value": "1"}, load, {"op": "get", "key": "absent"}, {**load, "after_ok": True},
                        {"op": "record", "workflow": "w", "fence": None, "key": "k", "value": "x"},
                        {**append, "value": "2", "after_ok": True}, {**append, "value": "3"}, load, load)
        answers = store.hear()
        self.assertEqual([one["status"] for one in answers],
                         ["ok", "ok", "not_found", "skipped", "fenced", "skipped", "ok", "ok", "ok"])
        self.assertEqual([len(answers[i]["records"]) for i in (1, 7, 8)], [1, 2, 2])

    def test_no_transaction_is_held_between_calls(self):  # P12
        self.enqueued()
        states = "SELECT DISTINCT state FROM pg_stat_activity WHERE " + OURS
        wait_until(lambda: self.server.sql(states) == "idle", "nothing is open")

    def test_what_is_held_by_others_is_passed_over_and_comes_when_it_is_free(self):  # P14
        store = self.enqueued()
        other = self.holding("due")
        self.assertEqual(store.ask("receive", lease="1m")["deliveries"], [])
        store.say("receive", lease="1m", wait="1h")
        other.run("ROLLBACK")
        self.assertEqual(len(store.hear()["deliveries"]), 1)

    def test_what_a_receive_in_doubt_hands_out_is_answered_when_it_is_asked_again(self):  # P01, R1
        store = self.enqueued(namespace="doubt")
        ns = self.server.sql("SELECT ns FROM stile.namespace WHERE name = 'doubt'")
        op = "00112233445566778899aabbccddee02"
        first = self.psql()  # the first send, which the server is still at when the second comes
        first.run(f"BEGIN; SELECT count(*) FROM stile.receive_v1({ns}, ARRAY[''::bytea], 1, 60000000, NULL, NULL, "
                  f"NULL, 1000000, '{op}', false)")
        store.say("receive", lease="1m", op_id=op, again=True)
        wait_until(self.blocked, "it waits for the first")
        first.run("COMMIT")
        deliveries = store.hear()["deliveries"]
        self.assertEqual([(one["workflow"], one["delivery_count"]) for one in deliveries], [("w", 1)])
        self.assertEqual(store.ask("ack", receipt=deliveries[0]["receipt"])["status"], "ok")

    def test_a_lease_counts_from_when_the_lock_was_had(self):  # P15
        store = self.enqueued()
        other = self.holding()
        store.say("acquire", workflow="w", ttl="1s", budget="1h")
        wait_until(self.blocked, "it waits for the row")
        held_at = int(other.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"))
        other.run("ROLLBACK")
        self.assertGreater(store.hear()["live_until"], held_at + 1_000_000)

    def test_the_default_isolation_of_a_database_is_not_ours(self):  # P17
        self.server.sql("ALTER DATABASE stile SET default_transaction_isolation TO 'serializable'")
        try:
            one, two = (self.store("shared") for _ in range(2))
            for i in range(20):
                one.say("append", workflow="w", value=str(i))
                two.say("append", workflow="w", value=str(i))
                self.assertEqual([one.hear()["status"], two.hear()["status"]], ["ok", "ok"])
        finally:
            self.server.sql("ALTER DATABASE stile RESET default_transaction_isolation")

    def test_hints_that_are_lost_delay_and_lose_nothing(self):  # P21
        one, two = (self.store("hints") for _ in range(2))
        one.say("receive", lease="1m", wait="1h")
        listens = "SELECT count(*) FROM stile.waiter WHERE queues IS NOT NULL"
        wait_until(lambda: self.server.sql(listens) == "1", "it listens")
        self.server.sql("SELECT pg_terminate_backend(pid) FROM stile.waiter")
        two.until("ok", "enqueue", workflow="w")
        self.assertEqual(len(one.hear()["deliveries"]), 1)

    def test_no_room_for_another_connection_is_unavailable_for_as_long(self):  # P26
        self.store()
        self.server.sql("CREATE ROLE narrow LOGIN CONNECTION LIMIT 0; GRANT postgres TO narrow")
        refused = call(config(self.server, user="narrow"), "info")
        self.assertIn("too many connections", refused["error"])
        self.server.sql("ALTER ROLE narrow CONNECTION LIMIT 5")
        self.assertEqual(call(config(self.server, user="narrow"), "info")["status"], "ok")

    def test_what_changes_is_in_no_index_of_the_row(self):  # P30
        columns = self.server.sql("SELECT string_agg(a.attname, ' ' ORDER BY a.attname) FROM pg_index i "
                                  "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) "
                                  "WHERE i.indrelid = 'stile.workflow'::regclass")
        self.assertEqual(columns, "id ns")

    def test_functions_of_others_are_not_called_in_ours(self):  # P34
        self.enqueued()
        self.server.sql("CREATE SCHEMA evil; CREATE FUNCTION evil.encode(bytea, text) RETURNS text LANGUAGE plpgsql AS "
                        "$$ BEGIN RAISE 'hijacked'; END $$; CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz "
                        "LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$")
        said = self.server.sql("SET search_path TO evil, pg_catalog; SELECT stile.enqueue('evil', 'w'), "
                               "stile.start('evil', 'kind', 'v'), stile.send('evil', 'w', 'chat', '1')")
        self.assertEqual(said, "ready|t|1")

    def running(self, lock):
        """An effect waits for this lock, which somebody holds; answered once it does, with who holds it."""
        held = self.psql()
        held.run(f"SELECT pg_advisory_lock({lock})")
        waits = f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = {lock} AND NOT granted"
        return held, lambda: wait_until(lambda: self.server.sql(waits) == "1", "the effect runs")

    def test_an_effect_holds_up_nobody_else(self):  # E7
        one, two = (self.store("effects") for _ in range(2))
        fence = one.until("ok", "acquire", workflow="w", ttl="1m", budget="1h")["fence"]
        held, runs = self.running(7)
        one.say("transact", workflow="w", fence=fence, key="k",
                effect={"language": "sql", "text": "SELECT 'x' FROM pg_advisory_xact_lock(7)"})
        runs()
        self.assertEqual(two.ask("renew", workflow="w", fence=fence, ttl="1m")["status"], "ok")
        self.assertEqual(two.ask("acquire", workflow="w", ttl="1s", budget="1s")["status"], "held")
        held.run("SELECT pg_advisory_unlock(7)")
        self.assertEqual(one.hear()["value"], "x")

    def test_what_a_frozen_holder_left_open_is_given_up_by_the_server(self):  # E8, P12
        self.server.sql("CREATE TABLE tally (n integer); INSERT INTO tally VALUES (0)")
        one, two = (self.store("frozen", deadline="1m") for _ in range(2))
        acquire = {"workflow": "w", "ttl": "6s", "budget": "1h"}
        effect = {"language": "sql", "text": "UPDATE tally SET n = n + 1 RETURNING n::text || pg_advisory_xact_lock(8)"}
        fence = one.until("ok", "acquire", **acquire)["fence"]
        held, runs = self.running(8)
        one.say("transact", workflow="w", fence=fence, key="k", effect=effect)
        runs()
        one.process.send_signal(signal.SIGSTOP)
        try:
            held.run("SELECT pg_advisory_unlock(8)")
            fence = two.until("ok", "acquire", **acquire)["fence"]
            two.until("ok", "renew", workflow="w", fence=fence, ttl="1m")
            # The row of the table is held by the one who is frozen, until the server ends that.
            self.assertEqual(two.ask("transact", workflow="w", fence=fence, key="k", effect=effect)["value"], "1")
        finally:
            one.process.send_signal(signal.SIGCONT)
        self.assertIn(one.hear()["status"], ("unknown", "unavailable", "fenced"))
        self.assertEqual(self.server.sql("SELECT n FROM tally"), "1")

    def test_a_read_only_database_is_read(self):  # P06
        store = self.enqueued()
        self.server.reload(default_transaction_read_only="on")
        try:
            store.until("read_only", "append", workflow="other", value="x")  # its session has heard of it
            self.assertEqual(store.until("ok", "load", workflow="w")["records"], [])
        finally:
            self.server.reload(default_transaction_read_only="off")
        self.assertEqual(store.until("ok", "append", workflow="w", value="x")["position"], 1)


if __name__ == "__main__":
    main()
