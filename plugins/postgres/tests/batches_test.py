#!/usr/bin/env python3
"""A batch does what its operations do one by one: random operations on two namespaces, in batches and alone.

What nearly always happens is done for many operations at once, and the rest for each; this shows that nobody can tell.

Usage: batches_test.py STILE [TEST...]: runs against a private server, in a temporary folder.
SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import signal
import unittest

from support import Folder, Store, config, main

TIMES = {"visible_at", "live_until", "budget_until", "written_at", "due_at", "finished_at", "last_written_at",
         "store_time", "next_due_at"}
SEED = int(os.environ.get("STILE_SEED", "1"))
ROUNDS = int(os.environ.get("STILE_ROUNDS", "40"))


def since(base, value):
    """An answer with its times as spans since the namespace was made."""
    if isinstance(value, dict):
        return {k: v - base if k in TIMES and v else since(base, v) for k, v in value.items() if k != "error"}
    return [since(base, one) for one in value] if isinstance(value, list) else value


class Batches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("batches")
        cls.server = cls.folder.server().start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop(signal.SIGQUIT)
        cls.folder.remove()

    def setUp(self):
        self.random = random.Random(SEED)
        self.receipts, self.fences = [], {}
        self.stores, self.bases = [], []
        for _ in range(2):
            store = Store(config(self.server, "prepare=auto", "clock=manual"))
            self.addCleanup(store.close)
            self.stores.append(store)
            self.bases.append(store.ask("info")["store_time"])

    def op_id(self):
        return f"{self.random.getrandbits(128):032x}"

    def workflow(self):
        return f"w{self.random.randrange(16)}"

    def operation(self):
        draw = self.random
        workflow = self.workflow()
        fence = draw.choice(self.fences.get(workflow, [None])[-2:])
        kind = draw.choices(["enqueue", "record", "ack", "supply", "append", "nack", "snooze", "request_cancel", "put",
                             "release", "discard", "cancel"], [30, 30, 30, 4, 4, 3, 3, 2, 4, 2, 1, 1])[0]
        made = {"op": kind, "op_id": self.op_id()}
        if kind in ("ack", "nack", "snooze"):
            if not self.receipts:
                return {"op": "enqueue", "workflow": workflow}
            workflow, receipt = draw.choice(self.receipts[-24:])
            made["receipt"] = receipt
            if kind == "snooze":
                made["delay"] = "1m"
            if kind == "ack":
                made.update(draw.choice([{}, {"finished": True}, {"release": True},
                                         {"finished": True, "release": True}]))
            if draw.random() < 0.8 or made.get("release"):
                made["fence"] = draw.choice(self.fences.get(workflow, [None])[-2:])
        elif kind == "put":
            made.update(key=workflow, value="x", **draw.choice([{}, {"if": "absent"}]))
        else:
            made["workflow"] = workflow
        if kind in ("record", "supply"):
            made.update(key=f"k{draw.randrange(12)}", value=f"v{draw.randrange(3)}")
        if kind in ("record", "release"):
            made["fence"] = fence
        if kind == "release":
            del made["op_id"]
        if kind == "append":
            made.update(value="m", enqueue=draw.random() < 0.5)
        if kind == "enqueue":
            made.update(draw.choice([{}, {"delay": "5m"}, {"queue": ""}, {"revive": True}]))
        return made

    def batch(self):
        made = [self.operation() for _ in range(self.random.randrange(1, 40))]
        for i, one in enumerate(made):
            if i > 0 and self.random.random() < 0.3:
                one["after_ok"] = True
            if i > 0 and self.random.random() < 0.05:  # the same once more
                made[i] = dict(made[i - 1])
                made[i].pop("after_ok", None)
        return made

    def together(self, operations):
        self.stores[0].say_batch(*operations)
        return self.stores[0].hear()

    def alone(self, operations):
        answers = []
        for one in operations:
            sent = {k: v for k, v in one.items() if k != "after_ok"}
            if one.get("after_ok") and answers[-1]["status"] != "ok":
                answers.append({"status": "skipped"})
            else:
                answers.append(self.stores[1].ask(sent.pop("op"), **sent))
        return answers

    def assert_same(self, one, two, asked):
        self.assertEqual(since(self.bases[0], one), since(self.bases[1], two), f"seed {SEED}: {asked}")

    def both(self, op, **members):
        one, two = (store.ask(op, **members) for store in self.stores)
        self.assert_same(one, two, (op, members))
        return one

    def test_a_batch_does_what_its_operations_do_one_by_one(self):
        counted = {}
        for _ in range(ROUNDS):
            operations = self.batch()
            for asked, one, two in zip(operations, self.together(operations), self.alone(operations)):
                self.assert_same(one, two, asked)
                key = asked["op"], one["status"]
                counted[key] = counted.get(key, 0) + 1
            got = self.both("receive", max=self.random.randrange(1, 12), lease="10m", op_id=self.op_id(),
                            acquire={"ttl": "10m", "budget": "1h"}, load={"limit": self.random.randrange(1, 5)})
            for one in got["deliveries"]:
                self.receipts.append((one["workflow"], one["receipt"]))
                self.fences.setdefault(one["workflow"], []).append(one["fence"])
            if self.random.random() < 0.3:
                self.both("advance", by=self.random.choice(["1m", "6m", "20m"]))
        for workflow in self.both("list")["workflows"]:
            self.both("load", workflow=workflow["workflow"])
        self.both("stats")
        for op in ("record", "enqueue", "ack"):  # it was no idle talk
            self.assertGreater(counted.get((op, "ok"), 0), ROUNDS // 2, counted)
            self.assertGreater(sum(n for (kind, status), n in counted.items() if kind == op and status != "ok") or
                               (op == "enqueue"), 0, counted)


if __name__ == "__main__":
    main()
