#!/usr/bin/env python3
"""The stream of a queue: what it shows, what consumer groups of others may rely on, and what it is not needed for.

Environment: as plugins/redis/tests/own_test.py.
SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "redis", "tests"))
from stores import OnServer  # noqa: E402  (found by the line above)

ENDLESS = "1h"


class Log(OnServer):
    def log(self, queue=""):
        return self.tag() + ":s:" + queue

    def entries(self):
        return [(fields[1], fields[0]) for _, fields in self.ask("XRANGE", self.log(), "-", "+")]

    def workflows(self):
        return [fields[1] for _, fields in self.ask("XRANGE", self.log(), "-", "+")]

    def pending(self, group="stile"):
        return int(self.ask("XPENDING", self.log(), group)[0])

    def receive(self, store, n=1):
        return store.call("receive", lease=ENDLESS, max=n)["deliveries"]

    def finish(self, store, *workflows):
        for workflow in workflows:
            fence = self.leased(store, workflow)
            store.call("enqueue", workflow=workflow)
            receipt = self.receive(store)[0]["receipt"]
            got = store.call("ack", receipt=receipt, fence=fence, release=True, finished=True)
            self.assertEqual(got["status"], "ok")

    def test_what_is_ready_has_an_entry(self):
        store = self.open(options="prepare=auto&clock=manual")
        at = store.call("enqueue", workflow="a")["visible_at"]
        store.call("enqueue", workflow="b", delay="1h")
        store.call("enqueue", workflow="a")  # it is ready already
        self.assertEqual(self.ask("XRANGE", self.log(), "-", "+")[0][1], ["workflow", "a", "due", str(at)])
        self.assertEqual(self.workflows(), ["a"])
        store.call("advance", by="1h")
        self.assertEqual([d["workflow"] for d in self.receive(store, 5)], ["a", "b"])
        self.assertEqual(self.workflows(), ["a", "b"])

    def test_what_is_in_flight_is_pending(self):
        store = self.open()
        for answer in ("ack", "snooze", "nack", "reject"):
            store.call("enqueue", workflow=answer)
            delivery = self.receive(store)[0]
            self.assertEqual((delivery["workflow"], self.pending()), (answer, 1))
            more = {"delay": ENDLESS} if answer in ("snooze", "nack") else {}
            self.assertEqual(store.call(answer, receipt=delivery["receipt"], **more)["status"], "ok")
            self.assertEqual(self.pending(), 0)
        store.call("enqueue", workflow="w")
        self.receive(store)
        store.call("cancel", workflow="w")
        self.assertEqual(self.pending(), 0)

    def test_a_lapsed_delivery_goes_to_another_consumer(self):
        one, other = self.open(options="prepare=auto&clock=manual"), self.open(options="clock=manual")
        one.call("enqueue", workflow="w")
        self.assertEqual(len(self.receive(one)), 1)
        holder = self.ask("XPENDING", self.log(), "stile", "-", "+", "9")[0][1]
        one.call("advance", by="2h")
        self.assertEqual(self.receive(other)[0]["delivery_count"], 2)
        rest = self.ask("XPENDING", self.log(), "stile", "-", "+", "9")
        self.assertEqual(len(rest), 1)
        self.assertNotEqual(rest[0][1], holder)

    def test_a_cancelled_entry_is_inert(self):
        store = self.open()
        for workflow in ("a", "b", "c"):
            store.call("enqueue", workflow=workflow)
        store.call("cancel", workflow="a")
        self.assertEqual([d["workflow"] for d in self.receive(store, 9)], ["b", "c"])
        self.assertEqual((self.workflows(), self.pending()), (["a", "b", "c"], 2))

    def test_trim_waits_for_every_group(self):
        store = self.open()
        store.call("info")
        self.ask("XGROUP", "CREATE", self.log(), "audit", "0", "MKSTREAM")
        self.finish(store, "a", "b", "c")

        def left():
            self.assertEqual(store.call("trim", older_than=0)["status"], "ok")
            return self.workflows()

        self.assertEqual(left(), ["a", "b", "c"])
        got = self.ask("XREADGROUP", "GROUP", "audit", "me", "COUNT", "2", "STREAMS", self.log(), ">")[0][1]
        self.assertEqual(left(), ["a", "b", "c"])  # they are pending there
        self.ask("XACK", self.log(), "audit", got[1][0])
        self.assertEqual(left(), ["a", "b", "c"])  # the first still is
        self.ask("XACK", self.log(), "audit", got[0][0])
        self.assertEqual(left(), ["c"])
        self.ask("XGROUP", "DESTROY", self.log(), "audit")
        self.assertEqual(left(), [])

    def test_without_a_group_trim_removes_nothing(self):
        store = self.open()
        self.finish(store, "a", "b")
        self.ask("XGROUP", "DESTROY", self.log(), "stile")
        store.call("trim", older_than=0)
        self.assertEqual(self.workflows(), ["a", "b"])
        self.finish(store, "c")  # makes its group again
        store.call("trim", older_than=0)
        self.assertEqual(self.ask("EXISTS", self.log()), "0")

    def test_what_is_ready_is_not_trimmed(self):
        store = self.open()
        self.finish(store, "a")
        store.call("enqueue", workflow="b")
        store.call("trim", older_than=0)
        self.assertEqual(self.workflows(), ["b"])
        self.assertEqual(len(self.receive(store)), 1)
        store.call("trim", older_than=0)
        self.assertEqual(self.workflows(), ["b"])  # pending

    def test_trim_is_bounded(self):
        store = self.open()
        store.call("enqueue", workflow="w")
        for _ in range(40):
            receipt = self.receive(store)[0]["receipt"]
            store.call("nack", receipt=receipt)
        got = store.call("trim", older_than=0, limit=1)
        self.assertTrue(got["more"])
        self.assertEqual(len(self.workflows()), 31)
        for _ in range(10):
            if not store.call("trim", older_than=0, limit=1)["more"]:
                break
        self.assertEqual(len(self.workflows()), 1)

    def test_a_lost_stream_loses_nothing(self):
        store = self.open()
        for workflow in ("a", "b"):
            store.call("enqueue", workflow=workflow)
        first = self.receive(store)[0]
        self.ask("DEL", self.log())
        self.assertEqual(store.call("ack", receipt=first["receipt"])["status"], "ok")
        store.call("enqueue", workflow="c")
        self.assertEqual([d["workflow"] for d in self.receive(store, 9)], ["b", "c"])

    def test_somebody_elses_key_is_corrupt(self):
        store = self.open()
        self.ask("SET", self.log(), "mine")
        self.assertEqual(store.call("enqueue", workflow="w")["status"], "corrupt")
        self.assertEqual(store.call("list")["workflows"], [])
        self.assertEqual(self.ask("GET", self.log()), "mine")

    def test_an_earlier_place_is_kept(self):
        store = self.open(options="prepare=auto&clock=manual")
        store.call("enqueue", workflow="early")
        receipt = self.receive(store)[0]["receipt"]
        store.call("enqueue", workflow="early")  # kept while it is in flight
        for number in range(5):
            store.call("advance", by="1s")
            store.call("enqueue", workflow=f"late{number}")
        store.call("nack", receipt=receipt, delay="5s")
        got = [self.receive(store)[0]["workflow"] for _ in range(6)]
        self.assertEqual(got, ["early", "late0", "late1", "late2", "late3", "late4"])
        self.assertEqual(self.pending(), 6)

    def test_the_group_keeps_step_through_anything(self):
        seed = int(os.environ.get("STILE_TEST_SEED", random.randrange(1 << 30)))
        draw = random.Random(seed)
        store = self.open(options="prepare=auto&clock=manual")
        receipts, fences = {}, {}
        for step in range(600):
            workflow = f"w{draw.randrange(12)}"
            what = draw.randrange(10)
            if what < 3:
                store.call("enqueue", workflow=workflow, delay=draw.choice(["0s", "0s", "2s"]),
                           revive=draw.random() < 0.3)
            elif what < 6:
                for got in store.call("receive", lease=draw.choice(["1s", "1h"]), max=draw.randrange(1, 4),
                                      acquire={"ttl": "2s", "budget": "5s"})["deliveries"]:
                    receipts[got["workflow"]], fences[got["workflow"]] = got["receipt"], got["fence"]
            elif what < 8 and receipts:
                workflow = draw.choice(sorted(receipts))
                more = draw.choice([{"op": "ack"}, {"op": "snooze", "delay": "1s"}, {"op": "nack"}, {"op": "reject"}])
                store.send({**more, "receipt": receipts.pop(workflow), "fence": fences[workflow],
                            "release": draw.random() < 0.7})
                store.answer()
            elif what == 8:
                store.send(draw.choice([{"op": "cancel", "workflow": workflow},
                                        {"op": "acquire", "workflow": workflow, "ttl": "2s", "budget": "2s",
                                         "force": True},
                                        {"op": "trim", "older_than": 0}]))
                store.answer()
            else:
                store.call("advance", by=draw.choice(["100ms", "3s"]))
            if self.ask("EXISTS", self.log()) == "1" and self.ask("XINFO", "GROUPS", self.log()):
                in_flight = store.call("stats")["in_flight"]
                self.assertEqual(self.pending(), in_flight, f"STILE_TEST_SEED={seed}, step {step}")


if __name__ == "__main__":
    unittest.main()
