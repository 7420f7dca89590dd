"""Each operation through `stile call`: members in, members out, nothing that does not apply.

SPDX-License-Identifier: Apache-2.0
"""
import re
import unittest

from support import HOUR, SECOND, CallsCase, op_id

DELIVERY = {"workflow", "queue", "receipt", "delivery_count", "visible_at", "cancel_requested"}
FENCE = re.compile(r"[1-9][0-9]*\.[0-9a-f]{32}")


class Lease(CallsCase):
    def test_acquire(self):
        name = op_id()
        granted = self.ok("acquire", workflow="w", ttl="10s", budget=HOUR, op_id=name)
        self.assertEqual(set(granted), {"fence", "live_until", "budget_until", "cancel_requested"})
        self.assertRegex(granted["fence"], FENCE)
        self.assertEqual(granted["fence"].split(".")[1], name)
        self.assertEqual(granted["budget_until"] - granted["live_until"], HOUR - 10 * SECOND)
        held = self.refused("held", "acquire", workflow="w", ttl="10s", budget=HOUR)
        self.assertEqual(held["live_until"], granted["live_until"])
        self.assertNotIn("fence", held)
        forced = self.ok("acquire", workflow="w", ttl="10s", budget=HOUR, force=True)
        self.assertNotEqual(forced["fence"], granted["fence"])

    def test_renew(self):
        fence = self.lease()
        self.ok("advance", by="2s")
        renewed = self.ok("renew", workflow="w", fence=fence, ttl="20s")
        self.assertEqual(set(renewed), {"live_until", "budget_until", "cancel_requested"})
        longer = self.ok("renew", workflow="w", fence=fence, ttl="20s", budget="3h")
        self.assertGreater(longer["budget_until"], renewed["budget_until"])
        same = self.ok("renew", workflow="w", fence=fence, ttl="20s", budget=0)
        self.assertEqual(same["budget_until"], longer["budget_until"])
        self.refused("fenced", "renew", workflow="w", fence=None, ttl="20s")

    def test_release(self):
        fence = self.lease()
        self.assertEqual(self.ok("release", workflow="w", fence=fence), {})
        self.refused("lapsed", "renew", workflow="w", fence=fence, ttl="1s")
        self.refused("fenced", "release", workflow="w", fence=f"7.{'0' * 31}1")
        self.refused("invalid", "release", workflow="w", fence="seven")


class Checkpoint(CallsCase):
    def test_record_and_load(self):
        fence = self.lease()
        first = self.ok("record", workflow="w", fence=fence, key="a", value="1")
        self.assertEqual(set(first), {"value", "first", "position", "written_at"})
        self.assertEqual((first["value"], first["first"]), ("1", True))
        second = self.ok("record", workflow="w", fence=fence, key="a", value="2")
        self.assertEqual((second["value"], second["first"]), ("1", False))
        self.ok("record", workflow="w", fence=fence, key="b", value={"b64": "/wA="})
        loaded = self.ok("load", workflow="w")
        self.assertEqual(set(loaded), {"records", "fence_number", "cancel_requested", "finished", "more"})
        self.assertEqual([(r["key"], r["value"]) for r in loaded["records"]], [("a", "1"), ("b", {"b64": "/wA="})])
        self.assertEqual(set(loaded["records"][0]), {"key", "value", "position", "written_at"})
        self.assertEqual(loaded["fence_number"], int(fence.split(".")[0]))
        page = self.ok("load", workflow="w", limit=1)
        self.assertTrue(page["more"])
        rest = self.ok("load", workflow="w", after=page["records"][0]["position"], max_bytes=1)
        self.assertEqual(([r["key"] for r in rest["records"]], rest["more"]), (["b"], False))
        self.assertEqual([r["key"] for r in self.ok("load", workflow="w", key="b")["records"]], ["b"])

    def test_supply(self):
        plain = self.ok("supply", workflow="w", key="k", value="v")
        self.assertEqual(set(plain), {"value", "first", "position", "written_at"})
        waking = self.ok("supply", workflow="w", key="k", value="x", enqueue=True)
        self.assertEqual((waking["value"], waking["first"], waking["state"]), ("v", False, "ready"))
        self.assertIn("visible_at", waking)
        none = self.ok("supply", workflow="w", key="k", value="v", enqueue=False)
        self.assertNotIn("state", none)
        again = self.ok("supply", workflow="w", key="l", value="v", enqueue={})
        self.assertEqual(again["state"], "coalesced")
        later = self.ok("supply", workflow="z", key="l", value="v", enqueue={"delay": "1m", "queue": "q"})
        self.assertEqual(later["state"], "delayed")

    def test_append(self):
        first = self.ok("append", workflow="w", value="hi")
        self.assertEqual(set(first), {"key", "position", "duplicate"})
        self.assertEqual(first["key"], f"inbox:{first['position']:020d}")
        named = self.ok("append", workflow="w", value="hi", message_id="m", enqueue=True)
        self.assertEqual((named["duplicate"], named["state"]), (False, "ready"))
        twice = self.ok("append", workflow="w", value="other", message_id="m")
        self.assertEqual((twice["duplicate"], twice["key"]), (True, named["key"]))

    def test_transact(self):
        fence = self.lease()
        effect = {"language": "no such language", "text": "x", "keys": ["k"], "args": [1, "a", {"b64": "AA=="}]}
        self.refused("unsupported", "transact", workflow="w", fence=fence, key="k", effect=effect)

    def test_rebase(self):
        fence = self.lease()
        self.ok("record", workflow="w", fence=fence, key="a", value="1")
        message = self.ok("append", workflow="w", value="m")
        self.ok("append", workflow="w", value="n")
        rebased = self.ok("rebase", workflow="w", fence=fence, inbox_after=message["key"], key="base", value="b")
        self.assertEqual(set(rebased), {"removed", "position", "written_at"})
        self.assertEqual(rebased["removed"], 2)

    def test_discard(self):
        self.ok("supply", workflow="w", key="k", value="v", enqueue=True)
        self.assertEqual(self.ok("discard", workflow="w"), {"removed": 1})
        self.assertEqual(self.ok("stats")["ready"], 1)
        self.assertEqual(self.ok("discard", workflow="w", cancel=True), {"removed": 0})
        self.assertEqual(self.ok("stats")["ready"], 0)

    def test_request_cancel(self):
        self.assertEqual(self.ok("request_cancel", workflow="w"), {})
        self.assertTrue(self.ok("load", workflow="w")["cancel_requested"])

    def test_watch(self):
        self.ok("supply", workflow="b", key="k", value="v")
        watched = [{"workflow": "a", "after": 0}, {"workflow": "b", "after": 0}]
        self.assertEqual(self.ok("watch", workflows=watched, wait="10s"), {"changed": ["b"]})
        self.assertEqual(self.ok("watch", workflows=watched[:1], wait=0), {"changed": []})


class Queue(CallsCase):
    def test_enqueue(self):
        self.assertEqual(self.ok("enqueue", workflow="w")["state"], "ready")
        self.assertEqual(self.ok("enqueue", workflow="w", delay="1h")["state"], "coalesced")
        now = self.ok("info")["store_time"]
        later = self.ok("enqueue", workflow="x", at=now + HOUR, queue="q")
        self.assertEqual((later["state"], later["visible_at"]), ("delayed", now + HOUR))
        self.ok("receive", lease="1h")
        self.assertEqual(self.ok("enqueue", workflow="w")["state"], "deferred")
        self.refused("invalid", "enqueue", workflow="w", delay=0, at=now)

    def test_receive(self):
        self.assertEqual(set(self.ok("receive", lease="30s")), {"deliveries", "more", "store_time"})
        self.ok("supply", workflow="w", key="k", value="v", enqueue={"queue": "q"})
        self.assertEqual(self.ok("receive", lease="30s")["deliveries"], [])
        got = self.ok("receive", queues=["", "q"], max=5, lease="30s", wait=0)["deliveries"]
        self.assertEqual(len(got), 1)
        self.assertEqual(set(got[0]), DELIVERY)
        self.assertEqual((got[0]["queue"], got[0]["delivery_count"]), ("q", 1))

    def test_receive_with_lease_and_records(self):
        self.ok("supply", workflow="w", key="k", value="v", enqueue=True)
        name = op_id()
        said = dict(lease="30s", acquire={"ttl": "10s", "budget": "1h"}, load={"limit": 10, "max_bytes": 1000},
                    op_id=name)
        one = self.ok("receive", **said)["deliveries"][0]
        self.assertEqual(set(one), DELIVERY | {"fence", "live_until", "budget_until", "records", "more", "finished"})
        self.assertEqual(one["records"][0]["value"], "v")
        again = self.ok("receive", **said, again=True)["deliveries"]
        self.assertEqual([d["receipt"] for d in again], [one["receipt"]])
        self.refused("invalid", "receive", lease="30s", again=True)

    def test_extend(self):
        one = self.delivery(acquire={"ttl": "10s", "budget": "1h"})
        plain = self.ok("extend", receipt=one["receipt"], lease="40s")
        self.assertEqual(set(plain), {"visible_at", "cancel_requested"})
        both = self.ok("extend", receipt=one["receipt"], lease="40s", fence=one["fence"], ttl="20s", budget="2h")
        self.assertEqual(set(both), {"visible_at", "cancel_requested", "live_until", "budget_until"})
        self.refused("fenced", "extend", receipt=one["receipt"], lease="40s", fence=None, ttl="20s")
        self.refused("invalid", "extend", receipt=one["receipt"], lease="40s", ttl="20s")

    def test_ack(self):
        one = self.delivery(acquire={"ttl": "10s", "budget": "1h"})
        self.refused("fenced", "ack", receipt=one["receipt"], fence=None)
        self.refused("invalid", "ack", receipt=one["receipt"], release=True)
        done = self.ok("ack", receipt=one["receipt"], finished=True, fence=one["fence"], release=True)
        self.assertEqual(done, {"requeued": False})
        self.refused("stale", "ack", receipt=one["receipt"])
        self.refused("stale", "ack", receipt="anything at all")

    def test_snooze(self):
        one = self.delivery()
        self.assertEqual(set(self.ok("snooze", receipt=one["receipt"], delay="1m")), {"visible_at"})
        self.ok("advance", by="1m")
        two = self.ok("receive", lease="30s")["deliveries"][0]
        at = self.ok("info")["store_time"] + 5
        self.assertEqual(self.ok("snooze", receipt=two["receipt"], at=at), {"visible_at": at})

    def test_nack(self):
        one = self.delivery()
        back = self.ok("nack", receipt=one["receipt"], error="bad luck")
        self.assertEqual((set(back), back["delivery_count"]), ({"visible_at", "delivery_count"}, 1))
        two = self.ok("receive", lease="30s")["deliveries"][0]
        self.assertEqual((two["delivery_count"], two["last_error"]), (2, "bad luck"))

    def test_reject(self):
        one = self.delivery()
        self.assertEqual(self.ok("reject", receipt=one["receipt"], error="poison"), {"state": "dead"})
        self.assertEqual(self.ok("enqueue", workflow="w"), {"state": "dead"})
        self.assertEqual(self.ok("enqueue", workflow="w", revive=True)["state"], "ready")
        two = self.ok("receive", lease="30s")["deliveries"][0]
        self.ok("enqueue", workflow="w")
        self.assertEqual(self.ok("reject", receipt=two["receipt"]), {"state": "requeued"})

    def test_cancel(self):
        one = self.delivery()
        self.assertEqual(self.ok("cancel", workflow="w"), {"removed": True})
        self.assertEqual(self.ok("cancel", workflow="w"), {"removed": False})
        self.refused("cancelled", "ack", receipt=one["receipt"])


class Documents(CallsCase):
    def test_put_and_get(self):
        made = self.ok("put", key="k", value="v", **{"if": "absent"})
        self.assertEqual(set(made), {"version"})
        self.assertEqual(self.ok("get", key="k"), {"value": "v", "version": made["version"]})
        lost = self.refused("conflict", "put", key="k", value="x", **{"if": "absent"})
        self.assertEqual((lost["version"], lost["value"]), (made["version"], "v"))
        timed = self.ok("put", key="k", value="", ttl="1h", **{"if": made["version"]})
        got = self.ok("get", key="k")
        self.assertEqual((set(got), got["value"]), ({"value", "version", "expires_at"}, ""))
        self.ok("put", key="k", value="2", ttl="keep", **{"if": "any"})
        self.assertEqual(self.ok("get", key="k")["expires_at"], got["expires_at"])
        none = self.refused("conflict", "put", key="z", value="x", **{"if": timed["version"]})
        self.assertEqual(set(none), {"status", "error"})
        self.refused("not_found", "get", key="z")
        self.refused("invalid", "put", key="k", value="v", ttl="-1s")

    def test_erase(self):
        version = self.ok("put", key="k", value="v")["version"]
        lost = self.refused("conflict", "erase", key="k", **{"if": "other"})
        self.assertEqual((lost["version"], lost["value"]), (version, "v"))
        self.refused("invalid", "erase", key="k", **{"if": "absent"})
        self.assertEqual(self.ok("erase", key="k", **{"if": version}), {"removed": True})
        self.assertEqual(self.ok("erase", key="k"), {"removed": False})

    def test_scan(self):
        for key in ("a1", "a2", "b"):
            self.ok("put", key=key, value="v")
        found = self.ok("scan", prefix="a", limit=1)
        self.assertEqual(([d["key"] for d in found["documents"]], found["next"]), (["a1"], "a1"))
        self.assertEqual(set(found["documents"][0]), {"key", "version"})
        rest = self.ok("scan", prefix="a", after="a1")
        self.assertEqual((set(rest), [d["key"] for d in rest["documents"]]), ({"documents"}, ["a2"]))


class Store(CallsCase):
    def test_prepare(self):
        self.assertEqual(self.ok("prepare"), {"migrated": False})
        self.assertEqual(self.ok("prepare", check_only=True), {"migrated": False})

    def test_info(self):
        info = self.ok("info")
        self.assertEqual(set(info), {"plugin", "store_time", "epoch", "durability", "server", "capabilities", "limits"})
        self.assertEqual(set(info["limits"]), {"id_bytes", "value_bytes", "reply_bytes", "error_bytes", "receipt_bytes",
                                               "batch", "page", "queues", "partitions", "writers"})
        self.assertIn("manual_clock", info["capabilities"])

    def test_stats(self):
        empty = self.ok("stats")
        always = {"ready", "delayed", "in_flight", "dead", "workflows", "finished", "records", "documents",
                  "stored_bytes"}
        self.assertEqual(set(empty), always)
        self.ok("enqueue", workflow="w")
        self.ok("enqueue", workflow="x", delay="1h", queue="q")
        self.assertEqual(set(self.ok("stats")), always | {"oldest_ready_age", "next_due_at"})
        self.assertEqual(self.ok("stats", queue="q")["ready"], 0)

    def test_list(self):
        self.ok("supply", workflow="a", key="k", value="v")
        self.ok("supply", workflow="b", key="k", value="v", enqueue={"queue": "q", "delay": "1h"})
        all_of_it = self.ok("list")
        self.assertEqual(set(all_of_it), {"workflows"})
        idle, delayed = all_of_it["workflows"]
        self.assertEqual(set(idle), {"workflow", "queue", "state", "delivery_count", "records", "fence_number",
                                     "finished", "cancel_requested", "last_written_at"})
        self.assertEqual((idle["state"], delayed["state"], delayed["queue"]), ("idle", "delayed", "q"))
        self.assertIn("due_at", delayed)
        self.assertEqual(self.ok("list", limit=1)["next"], "a")
        names = lambda **members: [w["workflow"] for w in self.ok("list", **members)["workflows"]]
        self.assertEqual(names(state="delayed"), ["b"])
        self.assertEqual(names(queue="q"), ["b"])
        self.assertEqual(names(prefix="a"), ["a"])
        self.assertEqual(names(after="a"), ["b"])
        self.assertEqual(names(idle_for=0), ["a"])
        self.assertEqual(names(idle_for="1h"), [])

    def test_trim(self):
        one = self.delivery()
        self.ok("ack", receipt=one["receipt"], finished=True)
        finished = self.ok("list")["workflows"][0]
        self.assertEqual((finished["state"], finished["finished"]), ("finished", True))
        self.assertIn("finished_at", finished)
        self.assertEqual(self.ok("trim", older_than="1h")["removed"], 0)
        self.assertEqual(self.ok("trim", older_than=0, limit=10), {"removed": 1, "more": False})

    def test_render(self):
        say = {"op": "enqueue", "workflow": "w"}
        self.refused("unsupported", "render", language="no such language", say=say)
        self.refused("invalid", "render", language="x", say={"op": "enqueue"})

    def test_advance(self):
        before = self.ok("info")["store_time"]
        self.assertEqual(self.ok("advance", by="1h"), {"store_time": before + HOUR})
        self.refused("invalid", "advance", by=-1)


class WithoutManualClock(CallsCase):
    config = "memory:"

    def test_advance_is_unsupported(self):
        self.refused("unsupported", "advance", by="1h")


if __name__ == "__main__":
    unittest.main()
