"""libstile.so from another language: the core behind the plugin's verb.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import subprocess
import threading
import time
import unittest

import stile_abi as abi


class Entry(unittest.TestCase):
    def test_one_symbol(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", os.environ["LIBSTILE"]], capture_output=True, text=True,
                                check=True).stdout
        self.assertEqual([line.split()[-1] for line in listed.splitlines()], ["stile_core_entry_v1"])

    def test_layouts_agree_with_the_pins(self):
        for struct, size in ((abi.Op, 96), (abi.Config, 136), (abi.Plugin, 200), (abi.Host, 72), (abi.PutRequest, 64),
                             (abi.GetResult, 48), (abi.ReceiveRequest, 80), (abi.Error, 24), (abi.Call, 24)):
            self.assertEqual(ctypes.sizeof(struct), size, struct)

    def test_another_revision_is_refused(self):
        core = abi.Core(abi_min=2 << 16, abi_max=2 << 16)
        self.assertFalse(core.entered)
        self.assertIn("1.0", core.refusal)


class Calls(unittest.TestCase):
    def setUp(self):
        self.core = abi.Core()
        self.addCleanup(self.core.stop)  # the last one: it must outlive its stores

    def opened(self, config, **options):
        store = abi.Store(self.core, config, **options)
        self.assertEqual(store.status, abi.OK, store.error)
        self.addCleanup(store.close)
        return store

    def session(self, config="memory:", **options):
        session = abi.Session(self.opened(config, **options))
        self.addCleanup(session.disconnect)
        return session

    def test_what_the_core_says_of_itself(self):
        table = self.core.table
        self.assertEqual((bytes(table.name), table.abi), (b"stile", abi.ABI_1_0))
        self.assertEqual(table.n_schemes, 1)

    def test_a_batch(self):
        session = self.session()
        value = bytes(range(256))
        stored, got, lost, skipped = ops = (abi.put("k", value), abi.get("k", must=abi.AFTER_OK),
                                            abi.put("k", "x", abi.IF_ABSENT), abi.get("k", must=abi.AFTER_OK))
        self.assertEqual(session.execute(*ops), 0)
        self.assertEqual([op.status for op in ops], [abi.OK, abi.OK, abi.CONFLICT, abi.SKIPPED])
        self.assertEqual(bytes(got.result.value), value)
        self.assertEqual(bytes(lost.result.version), bytes(stored.result.version))
        self.assertEqual(bytes(lost.result.value), value)
        self.assertTrue(skipped.error)

    def test_unknown_operations(self):
        session = self.session()
        unknown = abi.Operation(77, abi.GetRequest())
        fine = abi.get("k")
        session.execute(unknown, fine)
        self.assertEqual((unknown.status, fine.status), (abi.UNSUPPORTED, abi.NOT_FOUND))
        must = abi.put("k", "v", must=1 << 20)
        session.execute(must)
        self.assertEqual(must.status, abi.UNSUPPORTED)

    def test_sessions_share_a_store(self):
        store = self.opened("memory:")
        one, other = abi.Session(store), abi.Session(store)
        one.execute(abi.put("k", "v"))
        got = abi.get("k")
        other.execute(got)
        self.assertEqual(bytes(got.result.value), b"v")
        one.disconnect()
        other.disconnect()

    def test_namespaces_and_options(self):
        store = self.opened("memory://shared", ns="a", program="test", lanes="1", prepare="auto")
        beside = self.opened("memory://shared", ns="b")
        one, other = abi.Session(store), abi.Session(beside)
        one.execute(abi.put("k", "v"))
        got = abi.get("k")
        other.execute(got)
        self.assertEqual(got.status, abi.NOT_FOUND)
        one.disconnect()
        other.disconnect()

    def test_it_sends_again(self):
        session = self.session("chaos+memory:?chaos.seed=5&chaos.lose_reply=0.3&chaos.lose_request=0.2")
        for i in range(60):
            op = abi.put(f"k{i}", "v", abi.IF_ABSENT)
            session.execute(op)
            self.assertEqual(op.status, abi.OK, op.error)

    def test_a_deadline_ends_a_wait(self):
        session = self.session()
        waits = abi.receive(wait=3_600_000_000)
        begin = time.monotonic()
        session.execute(waits, seconds=0.2)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual((waits.status, waits.result.deliveries), (abi.OK, None))

    def test_interrupt(self):
        session = self.session()
        waits = abi.receive(wait=3_600_000_000)
        thread = threading.Thread(target=session.execute, args=(waits,), kwargs={"seconds": None})
        thread.start()
        while session.serial == 0:  # it has its number just before it begins
            pass
        session.interrupt()
        thread.join(30)
        self.assertFalse(thread.is_alive())
        self.assertEqual(waits.status, abi.INTERRUPTED)

    def test_threads_at_once(self):
        store = self.opened("memory:")

        def work(number, wrong):
            session = abi.Session(store)
            for i in range(100):
                one, got = abi.put(f"{number}-{i}", str(i)), abi.get(f"{number}-{i}")
                session.execute(one)
                session.execute(got)
                if bytes(got.result.value) != str(i).encode():
                    wrong.append((number, i))
            session.disconnect()

        wrong = []
        threads = [threading.Thread(target=work, args=(n, wrong)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_what_is_refused(self):
        for config, word in (("nope:", "nope"), ("memory:?nope=1", "nope"), ("", ""), ("memory:?clock=x", "clock")):
            store = abi.Store(self.core, config)
            self.assertEqual(store.status, abi.INVALID, config)
            self.assertTrue(store.error)
            self.assertIn(word, store.error)
        self.assertEqual(abi.Store(self.core, "memory:", scheme="memory").status, abi.INVALID)
        self.assertEqual(abi.Store(self.core, "memory:", lanes="many").status, abi.INVALID)

    def test_it_logs_to_its_host(self):
        session = self.session("trace+memory:")
        session.execute(abi.put("k", "v"))
        self.assertTrue(self.core.logged)


if __name__ == "__main__":
    unittest.main()
