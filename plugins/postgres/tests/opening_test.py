#!/usr/bin/env python3
"""Opening: what is refused, with the fix in the text; roles that may do no more than they need; poolers.

Usage: opening_test.py STILE [TEST...]: runs against private servers, in temporary folders.
SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import signal
import socket
import subprocess
import threading
import unittest

from support import Folder, Store, call, config, end_with_us, free_port, main, owner, wait_until


class Opening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("opening")
        cls.server = cls.folder.server().start()
        call(config(cls.server, "prepare=auto"), "info")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop(signal.SIGQUIT)
        cls.folder.remove()

    def refused(self, store, *words):
        answer = call(store, "enqueue", "workflow=w")
        self.assertNotEqual(answer["status"], "ok", answer)
        for word in words:
            self.assertIn(word, answer["error"])
        return answer

    def test_what_is_not_postgres(self):
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()

            def serve():
                try:
                    while True:
                        with listening.accept()[0] as one:
                            one.recv(100)
                            one.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                except OSError:
                    pass
            threading.Thread(target=serve, daemon=True).start()
            self.refused(config(self.server, port=listening.getsockname()[1]), "PostgreSQL server that listens")

    def test_nobody_there(self):
        self.refused(config(self.server, port=free_port()), "Connection refused")

    def test_a_database_that_is_not_there(self):
        self.refused(config(self.server).replace("/stile?", "/absent?"), 'database "absent" does not exist', "createdb")

    def test_a_role_that_is_not_there(self):
        self.refused(config(self.server, user="absent"), 'role "absent" does not exist')

    def test_a_standby(self):
        standby = self.folder.server("standby").follow(self.server).start()
        try:
            self.refused(config(standby), "standby", "target_session_attrs")
        finally:
            standby.stop(signal.SIGQUIT)

    def test_a_server_that_does_not_sync(self):
        self.server.reload(fsync="off")
        try:
            self.refused(config(self.server), "fsync=on")
        finally:
            self.server.reload(fsync="on")

    def test_a_schema_that_is_not_there(self):
        answer = self.refused(config(self.server, "schema=absent"), "prepare")
        self.assertEqual(answer["status"], "unprepared")

    def test_a_schema_of_a_newer_version(self):  # S1, P33
        store = config(self.server, "schema=newer")
        self.assertTrue(call(store, "prepare")["migrated"])
        self.server.sql("UPDATE newer.meta SET version = 2")
        self.assertEqual(call(store, "enqueue", "workflow=w")["status"], "ok")
        self.server.sql("UPDATE newer.meta SET version = 3")
        self.refused(store, "version 3", "update")

    def test_a_name_that_is_no_schema(self):
        for name in ("Upper", "pg_mine", "a-b", "1st"):
            self.refused(config(self.server, "schema=" + name), "schema must be")

    def test_many_processes_prepare_at_once(self):  # S1
        store = config(self.server, "schema=together")
        every = []
        threads = [threading.Thread(target=lambda: every.append(call(store, "prepare"))) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual([one["status"] for one in every], ["ok"] * 6)
        self.assertEqual(sum(one["migrated"] for one in every), 1)

    def test_who_works_needs_no_right_to_create(self):
        here = os.path.dirname(os.path.realpath(__file__))
        with open(here + "/../roles.sql", encoding="utf-8") as file:
            text = file.read()
        self.server.sql("CREATE ROLE worker LOGIN; CREATE ROLE client LOGIN;" + text)
        worker = config(self.server, user="worker", namespace="roles")
        self.assertEqual(call(worker, "enqueue", "workflow=w")["status"], "ok")
        got = call(worker, "receive", "lease=1m", "acquire.ttl=1m", "acquire.budget=1m")
        self.assertEqual(len(got["deliveries"]), 1)
        self.assertEqual(call(worker, "trim", "older_than=1d")["status"], "ok")
        refused = call(config(self.server, "schema=mine", user="worker"), "prepare")
        self.assertEqual(refused["status"], "denied", refused)
        # Who only starts and signals sees nothing.
        client = [self.server.bin + "/psql", "-XAtq", "-h", self.server.folder, "-p", str(self.server.port), "-U",
                  "client", "stile", "-c"]

        def said(text):
            done = subprocess.run(client + [text], capture_output=True, text=True)
            return done.stdout + done.stderr
        self.assertEqual(said("SELECT stile.start('roles', 'kind', 'v'), stile.signal('roles', 'v', 'go'), "
                              "stile.send('roles', 'v', 'chat', '1'), stile.enqueue('roles', 'v')"),
                         "t|t|3|coalesced\n")
        for table in ("record", "workflow", "document"):
            self.assertIn("permission denied", said(f"SELECT * FROM stile.{table}"))
        written = said("SELECT stile.write_v1('', 22, 0, NULL, 'k', NULL, 'v', 0, 0, NULL, NULL)")
        self.assertIn("permission denied", written)
        self.refused(config(self.server, user="client", namespace="roles"), "permission denied", "role")


class Poolers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("poolers")
        cls.server = cls.folder.server().start()
        call(config(cls.server, "prepare=auto"), "info")
        cls.poolers = {mode: cls.pooler(mode) for mode in ("transaction", "statement")}

    @classmethod
    def tearDownClass(cls):
        for process, _ in cls.poolers.values():
            process.kill()
            process.wait()
        cls.server.stop(signal.SIGQUIT)
        cls.folder.remove()

    @classmethod
    def pooler(cls, mode):
        path, port = f"{cls.folder.path}/{mode}.ini", free_port()
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"[databases]\nstile = host=127.0.0.1 port={cls.server.port} user=postgres\n[pgbouncer]\n"
                       f"listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\npool_mode = {mode}\n"
                       f"unix_socket_dir =\ndefault_pool_size = 4\nmax_client_conn = 200\n")
        with open(path + ".log", "ab") as log:
            program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
            process = subprocess.Popen([program, path], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                       preexec_fn=end_with_us, **owner())

        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        wait_until(answers, "the pooler answers")
        return process, port

    def behind(self, mode, *options, **more):
        return config(self.server, *options, port=self.poolers[mode][1], **more)

    def test_statement_mode_is_refused(self):
        answer = call(self.behind("statement"), "info")
        self.assertNotEqual(answer["status"], "ok")
        self.assertIn("pool_mode", answer["error"])

    def test_what_a_session_would_have_to_keep_is_refused(self):
        answer = call(self.behind("transaction", "synchronous_commit=off"), "info")
        self.assertNotEqual(answer["status"], "ok")
        self.assertIn("connect directly", answer["error"])

    def test_a_default_isolation_that_is_not_ours_is_refused(self):
        self.server.sql("ALTER DATABASE stile SET default_transaction_isolation TO 'repeatable read'")
        try:
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                            "AND datname = 'stile'")
            answer = call(self.behind("transaction"), "info")
            self.assertNotEqual(answer["status"], "ok")
            self.assertIn("read committed", answer["error"])
        finally:
            self.server.sql("ALTER DATABASE stile RESET default_transaction_isolation")
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                            "AND datname = 'stile'")

    def test_transaction_mode_works_with_hints_past_it(self):  # P22, P25
        store = self.behind("transaction", f"hint_port={self.server.port}", namespace="bouncer")
        one, two = Store(store), Store(store)
        one.until("ok", "info")
        two.until("ok", "info")
        one.say("receive", lease="1m", wait="1h")
        wait_until(lambda: self.server.sql("SELECT count(*) FROM stile.waiter") != "0", "it listens")
        two.until("ok", "enqueue", workflow="w")
        delivery = one.hear()["deliveries"][0]
        self.assertEqual(one.ask("ack", receipt=delivery["receipt"])["status"], "ok")
        one.close()
        two.close()

    def test_without_hints_wakeups_come_within_the_fallback(self):
        store = self.behind("transaction", namespace="deaf")
        one, two = Store(store), Store(store)
        one.until("ok", "info")
        two.until("ok", "info")
        one.say("receive", lease="1m", wait="1h")
        looked = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%receive_v1%' AND pid <> pg_backend_pid()"
        wait_until(lambda: self.server.sql(looked) != "0", "it has looked")
        two.until("ok", "enqueue", workflow="w")
        self.assertEqual(len(one.hear()["deliveries"]), 1)
        one.close()
        two.close()


if __name__ == "__main__":
    main()
