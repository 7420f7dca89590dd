#!/usr/bin/env python3
"""stile doctor: notices an index that was lost or damaged, and rebuilds it from the rows.

Environment: as own_test.py.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import subprocess
import unittest

from stores import STILE, OnServer


class Doctor(OnServer):
    def examine(self, *more):
        run = subprocess.run([STILE, "doctor", "--json", *more, self.config("clock=manual")], capture_output=True,
                             text=True, check=False)
        self.assertIn(run.returncode, (0, 32), run.stderr)
        told = json.loads(run.stdout)
        self.assertEqual(run.returncode == 0, told["found"] == told["mended"])
        return told

    def found(self):
        return self.examine()["found"]

    def see(self, store):
        stats = store.call("stats")
        return store.call("list")["workflows"], stats, store.call("scan", prefix="")["documents"]

    def populated(self):
        """One of each: ready, delayed, in flight, put off, dead, finished, with records only; documents."""
        store = self.open(options="prepare=auto&clock=manual")
        for workflow in ("flying", "buried", "finished"):
            store.call("enqueue", workflow=workflow, queue="q")
            fence = self.leased(store, workflow)
            receipt = store.call("receive", lease="1h", queues=["q"])["deliveries"][0]["receipt"]
            store.call("record", workflow=workflow, fence=fence, key="k", value="v" * 700)
            if workflow == "buried":
                store.call("reject", receipt=receipt, error="no")
            elif workflow == "finished":
                store.call("ack", receipt=receipt, fence=fence, release=True, finished=True)
        self.leased(store, "held")
        store.call("enqueue", workflow="held")
        store.call("receive", lease="1h", acquire={"ttl": "1h", "budget": "1h"})  # puts it off
        store.call("enqueue", workflow="ready", queue="q")
        store.call("enqueue", workflow="delayed", delay="1h")
        store.call("supply", workflow="idle", key="k", value="v")
        store.call("put", key="d", value="v")
        store.call("put", key="e", value="v", ttl="1h")
        return store

    def test_a_store_in_order(self):
        self.populated()
        self.assertEqual(self.found(), 0)

    def test_each_index_is_rebuilt(self):
        store = self.populated()
        before = self.see(store)
        for name in ("ids", "queues", "t1", "dk", "de", "q:", "q:q", "f:q", "p:", "x:q"):
            self.assertEqual(self.ask("DEL", self.tag() + ":" + name), "1", name)
            self.assertGreater(self.found(), 0, name)
            told = self.examine("--repair")
            self.assertEqual(told["found"], told["mended"], told)
            self.assertEqual(self.found(), 0, name)
            self.assertEqual(self.see(store), before, name)
        got = store.call("receive", lease="1h", queues=["q"])["deliveries"]
        self.assertEqual([d["workflow"] for d in got], ["ready"])

    def test_what_no_row_bears_out_goes(self):
        store = self.populated()
        before = self.see(store)
        for name, member in (("q:q", "nobody"), ("f:q", "ready"), ("q:other", "ready"), ("t2", "idle"),
                             ("ids", "nobody"), ("de", "d")):
            self.ask("ZADD", self.tag() + ":" + name, "1", member)
            self.assertGreater(self.found(), 0, name)
            self.examine("--repair")
            self.assertEqual(self.found(), 0, name)
            self.assertEqual(self.see(store), before, name)

    def test_counts_are_counted_again(self):
        store = self.populated()
        before = self.see(store)
        self.ask("HDEL", self.tag() + ":m", "counts")
        self.assertGreater(self.found(), 0)
        self.examine("--repair")
        self.assertEqual((self.found(), self.see(store)), (0, before))

    def test_lost_records_are_told_and_stay(self):
        self.populated()
        self.ask("DEL", self.tag() + ":r:flying")
        told = self.examine("--repair")
        self.assertEqual((told["found"], told["mended"]), (1, 0))
        self.assertIn("lost records", told["findings"][0]["what"])

    def test_looking_changes_nothing(self):
        self.populated()
        self.ask("DEL", self.tag() + ":ids")
        self.ask("ZADD", self.tag() + ":q:q", "1", "nobody")
        before = {key: self.ask("DUMP", key) for key in sorted(self.ask("KEYS", self.tag() + "*"))}
        self.examine()
        after = {key: self.ask("DUMP", key) for key in sorted(self.ask("KEYS", self.tag() + "*"))}
        self.assertEqual(before, after)

    def test_whatever_was_done_nothing_is_wrong(self):
        seed = int(os.environ.get("STILE_TEST_SEED", random.randrange(1 << 30)))
        draw = random.Random(seed)
        store = self.open(options="prepare=auto&clock=manual")
        receipts, fences = {}, {}

        def one_of(*steps):
            store.send(draw.choice(steps))
            return store.answer()

        for step in range(300):
            workflow, queue = f"w{draw.randrange(9)}", draw.choice(["", "q"])
            what = draw.randrange(9)
            if what < 2:
                one_of({"op": "enqueue", "workflow": workflow, "queue": queue, "delay": draw.choice(["0s", "2s"]),
                        "revive": draw.random() < 0.3})
            elif what < 5:
                got = store.call("receive", lease=draw.choice(["1s", "1h"]), max=2, queues=["q", ""],
                                 acquire={"ttl": "2s", "budget": "5s"})["deliveries"]
                receipts.update({d["workflow"]: d["receipt"] for d in got})
                fences.update({d["workflow"]: d["fence"] for d in got})
            elif what < 7 and receipts:
                workflow = draw.choice(sorted(receipts))
                of = {"receipt": receipts.pop(workflow), "fence": fences[workflow], "release": draw.random() < 0.5}
                one_of({"op": "ack", "finished": True, **of}, {"op": "snooze", "delay": "1s", **of},
                       {"op": "nack", **of}, {"op": "reject", **of})
            elif what == 7:
                one_of({"op": "cancel", "workflow": workflow}, {"op": "discard", "workflow": workflow},
                       {"op": "acquire", "workflow": workflow, "ttl": "2s", "budget": "2s", "force": True},
                       {"op": "supply", "workflow": workflow, "key": f"k{step}", "value": "v" * draw.randrange(300)},
                       {"op": "append", "workflow": workflow, "value": "v", "enqueue": {"queue": queue}},
                       {"op": "put", "key": workflow, "value": "v", "ttl": draw.choice([0, "3s"])},
                       {"op": "erase", "key": workflow}, {"op": "trim", "older_than": 0})
            else:
                store.call("advance", by=draw.choice(["100ms", "3s", "20m"]))
            if step % 30 == 29:
                told = self.examine()
                self.assertEqual(told["found"], 0, f"STILE_TEST_SEED={seed}, step {step}: {told}")


if __name__ == "__main__":
    unittest.main()
