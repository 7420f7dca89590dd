#!/usr/bin/env python3
"""The functions for an application's own transaction: from psql, from psycopg, from a trigger (R7).

Usage: application_test.py STILE [TEST...]: runs against a private server, in a temporary folder.
SPDX-License-Identifier: Apache-2.0
"""
import json
import signal
import unittest

import psycopg2

from support import Folder, call, config, main


class Application(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("application")
        cls.server = cls.folder.server().start()
        cls.config = config(cls.server, "prepare=auto", namespace="shop")
        cls.call("info")
        cls.connection = psycopg2.connect(cls.server.url)
        with cls.connection, cls.connection.cursor() as cursor:
            cursor.execute("CREATE TABLE orders (id text PRIMARY KEY)")

    @classmethod
    def tearDownClass(cls):
        cls.connection.close()
        cls.server.stop(signal.SIGQUIT)
        cls.folder.remove()

    @classmethod
    def call(cls, op, *members):
        return call(cls.config, op, *members)

    def states(self):
        return {w["workflow"]: w["state"] for w in self.call("list")["workflows"]}

    def test_a_row_and_its_workflow_commit_together(self):
        with self.connection, self.connection.cursor() as cursor:
            cursor.execute("INSERT INTO orders VALUES ('a-1')")
            cursor.execute("SELECT stile.start('shop', 'fulfil', 'a-1', %s)", (json.dumps({"total": 12}),))
            self.assertTrue(cursor.fetchone()[0])
        self.assertEqual(self.states()["a-1"], "ready")
        record = self.call("load", "workflow=a-1")["records"][0]
        self.assertEqual(record["key"], "!start")
        self.assertTrue(record["value"].startswith("j>fulfil;by="))
        self.assertTrue(record["value"].endswith(' {"total": 12}'))

    def test_what_is_rolled_back_never_was(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT stile.start('shop', 'fulfil', 'b-1')")
            cursor.execute("SELECT stile.signal('shop', 'b-1', 'approved', 'true')")
        self.connection.rollback()
        self.assertNotIn("b-1", self.states())
        self.assertEqual(self.call("load", "workflow=b-1")["records"], [])

    def test_a_second_start_and_another_signal_answer_false(self):
        with self.connection, self.connection.cursor() as cursor:
            cursor.execute("SELECT stile.start('shop', 'fulfil', 'c-1'), stile.start('shop', 'fulfil', 'c-1')")
            self.assertEqual(cursor.fetchone(), (True, False))
            cursor.execute("SELECT stile.signal('shop', 'c-1', 'by', '2'), stile.signal('shop', 'c-1', 'by', '1')")
            self.assertEqual(cursor.fetchone(), (True, False))

    def test_a_message_is_sent_once(self):
        with self.connection, self.connection.cursor() as cursor:
            for _ in range(2):
                cursor.execute("SELECT stile.send('shop', 'd-1', 'chat', '\"hi\"', 'm-1')")
                self.assertEqual(cursor.fetchone()[0], 1)
        self.assertEqual([r["value"] for r in self.call("load", "workflow=d-1")["records"]], ['j>chat "hi"'])

    def test_a_trigger_starts_a_workflow(self):
        self.server.sql("""
            CREATE FUNCTION begin_order() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM stile.start('shop', 'fulfil', NEW.id, to_json(NEW), delay => '1 hour'); RETURN NEW; END $$;
            CREATE TRIGGER begin_order AFTER INSERT ON orders FOR EACH ROW WHEN (NEW.id LIKE 'e-%')
            EXECUTE FUNCTION begin_order();
            INSERT INTO orders VALUES ('e-1'), ('e-2')""")
        self.assertEqual({i: s for i, s in self.states().items() if i[0] == "e"}, {"e-1": "delayed", "e-2": "delayed"})

    def test_cancel_asks_and_wakes(self):
        self.server.sql("SELECT stile.enqueue('shop', 'f-1', '1 hour')")
        self.server.sql("SELECT stile.cancel('shop', 'f-1')")
        workflow = [w for w in self.call("list")["workflows"] if w["workflow"] == "f-1"][0]
        self.assertEqual((workflow["state"], workflow["cancel_requested"]), ("ready", True))

    def test_bad_arguments_are_refused(self):
        for text in ("stile.start('shop', 'a kind', 'g')", "stile.start('shop', 'k', '')",
                     "stile.enqueue('shop', 'g', '-1 hour')", "stile.send('shop', 'g', 'in;box', '1')"):
            with self.assertRaises(psycopg2.DataError), self.connection, self.connection.cursor() as cursor:
                cursor.execute("SELECT " + text)
        self.assertNotIn("g", self.states())


if __name__ == "__main__":
    main()
