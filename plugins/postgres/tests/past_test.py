#!/usr/bin/env python3
"""Servers that may have lost what they acknowledged: replaced primaries, backups that were put back, standbys that
were not waited for.

Usage: past_test.py STILE [TEST...]: runs private servers, in temporary folders.
SPDX-License-Identifier: Apache-2.0
"""
import shutil
import signal
import subprocess
import unittest

from support import Folder, Store, call, config, main, owner, wait_until


class Past(unittest.TestCase):
    def setUp(self):
        self.folder = Folder("past")
        self.addCleanup(self.folder.remove)

    def server(self, name="server"):
        server = self.folder.server(name)
        self.addCleanup(lambda: (server.process and server.thaw(), server.stop(signal.SIGQUIT)))
        return server

    def store(self, text, **more):
        store = Store(text, **more)
        self.addCleanup(store.close)
        return store

    def granted(self, store):
        granted = store.until("ok", "acquire", workflow="w", ttl="10m", budget="1h")
        store.ask("enqueue", workflow="q")
        receipt = store.ask("receive", lease="10m")["deliveries"][0]["receipt"]
        return granted["fence"], receipt

    def assert_void(self, store, fence, receipt):
        self.assertEqual(store.ask("record", workflow="w", fence=fence, key="k", value="x")["status"], "fenced")
        self.assertEqual(store.ask("ack", receipt=receipt)["status"], "stale")
        again = store.ask("receive", lease="10m")["deliveries"]
        self.assertEqual([(one["workflow"], one["delivery_count"]) for one in again], [("q", 2)])
        self.assertGreater(int(store.ask("acquire", workflow="w", ttl="1m", budget="1m")["fence"].split(".")[0]),
                           int(fence.split(".")[0]))

    def test_a_restart_that_lost_nothing_begins_no_epoch(self):
        server = self.server().start()
        store = self.store(config(server, "prepare=auto"))
        fence, receipt = self.granted(store)
        epoch = store.ask("info")["epoch"]
        for end in (server.stop, server.kill):
            end()
            server.start()
            self.assertEqual(store.until("ok", "info")["epoch"], epoch)
        self.assertEqual(store.until("ok", "record", workflow="w", fence=fence, key="k", value="x")["position"], 1)
        self.assertEqual(store.ask("ack", receipt=receipt)["status"], "ok")

    def test_a_folder_that_is_put_back_begins_an_epoch(self):  # P36
        server = self.server().start()
        store = self.store(config(server, "prepare=auto"))
        fence, receipt = self.granted(store)
        epoch = store.ask("info")["epoch"]
        server.stop()
        subprocess.run(["cp", "-a", server.data, server.data + ".backup"], check=True)
        server.start()
        self.assertEqual(store.until("ok", "append", workflow="w", value="lost")["position"], 1)
        server.stop()
        shutil.rmtree(server.data)
        subprocess.run(["mv", server.data + ".backup", server.data], check=True)
        server.start()
        self.assertNotEqual(store.until("ok", "info")["epoch"], epoch)
        self.assert_void(store, fence, receipt)

    def test_a_dump_that_is_restored_begins_an_epoch(self):  # P36
        one, two = self.server("one").start(), self.server("two").start()
        store = self.store(config(one, "prepare=auto", namespace="dump"))
        fence, receipt = self.granted(store)
        dump = one.run("pg_dump", "-h", one.folder, "-p", str(one.port), "-U", "postgres", "stile")
        two.sql(dump)
        other = self.store(config(two, namespace="dump"))
        self.assertNotEqual(other.until("ok", "info")["epoch"], store.ask("info")["epoch"])
        self.assert_void(other, fence, receipt)

    def test_a_primary_that_was_replaced_is_refused(self):  # P03, P07
        old = self.server("old").start()
        new = self.server("new").follow(old).start()
        hosts = config(old, "prepare=auto").replace(str(old.port), f"{old.port},127.0.0.1:{new.port}")
        store = self.store(hosts, deadline="2s")
        self.assertEqual(store.until("ok", "enqueue", workflow="w")["state"], "ready")
        written = old.sql("SELECT pg_current_wal_insert_lsn()")
        replayed = f"SELECT pg_last_wal_replay_lsn() >= '{written}'"
        wait_until(lambda: new.sql(replayed) == "t", "the standby has followed")
        old.kill()
        new.promote()
        store.until("ok", "append", workflow="w", value="x")
        new.stop()
        old.start()
        wait_until(lambda: "replaced" in store.ask("append", workflow="w", value="y").get("error", ""),
                   "it is told that the server was replaced")
        self.assertEqual(old.sql("SELECT count(*) FROM stile.record"), "0")

    def test_a_wait_for_a_standby_that_is_cancelled_leaves_it_unknown(self):  # P05
        primary = self.server("primary").start()
        standby = self.server("standby").follow(primary).start()
        store = self.store(config(primary, "prepare=auto", "application_name=stile-past"))
        store.until("ok", "enqueue", workflow="w")
        primary.reload(synchronous_standby_names="'*'", wal_sender_timeout="'0'")
        wait_until(lambda: primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1",
                   "the standby is waited for")
        standby.freeze()
        op = "00112233445566778899aabbccddee05"
        store.say("append", workflow="w", value="x", op_id=op)
        waiting = ("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' "
                   "AND application_name = 'stile-past'")
        wait_until(lambda: primary.sql(waiting) == "1", "the commit waits for the standby")
        primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        self.assertEqual(store.hear()["status"], "unknown")
        standby.thaw()
        self.assertFalse(store.until("ok", "append", workflow="w", value="x", op_id=op)["duplicate"])
        self.assertEqual(len(store.ask("load", workflow="w")["records"]), 1)


if __name__ == "__main__":
    main()
