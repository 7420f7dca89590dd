#!/usr/bin/env python3
"""What only these stores have: effects in Lua, render, what the server answers, waiting over the wire.

Environment: STILE_TEST_PROGRAM (the program stile), STILE_TEST_SCHEME (whose store), STILE_TEST_SERVER (another server
than redis-server), STILE_PLUGIN_PATH.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from stores import LUA, SERVER, STILE, OnServer, driver, told


class Effects(OnServer):
    def run_effect(self, text, keys=(), args=(), key="k"):
        store = self.open()
        return store.call("transact", workflow="w", fence=self.leased(store), key=key,
                          effect={"language": "lua", "text": text, "keys": list(keys), "args": list(args)})

    def test_its_keys_and_arguments_are_its_own(self):
        got = self.run_effect("redis.call('SET', KEYS[1], ARGV[1]) return ARGV[2]", ["{slot}/a"], ["x", "y"])
        self.assertEqual((got["status"], got["value"], got["ran"]), ("ok", "y", True))
        self.assertEqual(self.ask("GET", self.tag() + "/a"), "x")

    def test_failure_leaves_nothing(self):
        tag = self.tag()
        self.ask("SET", tag + "/s", "before", "PX", "100000")
        self.ask("RPUSH", tag + "/l", "1", "2")
        self.ask("HSET", tag + "/h", "f", "v")
        got = self.run_effect(
            "redis.call('SET', KEYS[1], 'after') redis.call('DEL', KEYS[2]) redis.call('HSET', KEYS[3], 'f', 'w') "
            "redis.call('SET', KEYS[4], 'new') error('no')",
            ["{slot}/s", "{slot}/l", "{slot}/h", "{slot}/n"])
        self.assertEqual(got["status"], "effect_failed")
        self.assertIn("no", got["error"])
        self.assertEqual(self.ask("GET", tag + "/s"), "before")
        self.assertGreater(int(self.ask("PTTL", tag + "/s")), 10000)
        self.assertEqual(self.ask("LRANGE", tag + "/l", "0", "-1"), ["1", "2"])
        self.assertEqual(self.ask("HGET", tag + "/h", "f"), "v")
        self.assertEqual(self.ask("EXISTS", tag + "/n"), "0")

    def test_no_text_is_undone(self):
        got = self.run_effect("redis.call('SET', KEYS[1], 'x') return 1", ["{slot}/a"])
        self.assertEqual(got["status"], "effect_failed")
        self.assertEqual(self.ask("EXISTS", self.tag() + "/a"), "0")

    def test_undeclared_keys_are_refused(self):
        got = self.run_effect("redis.call('SET', KEYS[1], 'x') redis.call('SET', 'other', 'y') return ''",
                              ["{slot}/a"])
        self.assertEqual(got["status"], "effect_failed")
        self.assertIn("not declared", got["error"])
        self.assertEqual(self.ask("EXISTS", self.tag() + "/a", "other"), "0")

    def test_commands_without_keys_are_refused(self):
        got = self.run_effect("redis.call('SET', KEYS[1], 'x') redis.call('PUBLISH', 'c', 'm') return ''", ["{slot}/a"])
        self.assertEqual(got["status"], "effect_failed")
        self.assertEqual(self.ask("EXISTS", self.tag() + "/a"), "0")

    def test_the_stores_own_keys_are_refused(self):
        got = self.run_effect("return 'x'", [self.tag() + ":w:w"])
        self.assertEqual(got["status"], "effect_failed")
        self.assertIn("of this store", got["error"])

    def test_large_keys_are_refused_before_it_runs(self):
        self.ask("SETRANGE", self.tag() + "/big", str(2 << 20), "x")
        got = self.run_effect("redis.call('DEL', KEYS[1]) return ''", ["{slot}/big"])
        self.assertEqual(got["status"], "effect_failed")
        self.assertIn("too large", got["error"])
        self.assertEqual(self.ask("EXISTS", self.tag() + "/big"), "1")


class Render(OnServer):
    def say(self, store, operation):
        got = store.call("render", language="lua", say=operation)
        self.assertEqual(got["status"], "ok", got)
        return ["EVAL", got["text"], str(len(got["keys"])), *got["keys"], *got["params"]]

    def in_transaction(self, command, end):
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            stream = connection.makefile("rb")
            for words in (["MULTI"], command, [end]):
                text = f"*{len(words)}\r\n".encode()
                for word in words:
                    text += f"${len(word.encode())}\r\n".encode() + word.encode() + b"\r\n"
                connection.sendall(text)
                driver.read_reply(stream)

    def test_it_does_what_the_operation_does(self):
        store = self.open()
        self.in_transaction(self.say(store, {"op": "supply", "workflow": "w", "key": "k", "value": "v",
                                             "enqueue": {"queue": "q"}}), "EXEC")
        self.assertEqual(store.call("load", workflow="w")["records"][0]["value"], "v")
        got = store.call("receive", lease="1h", queues=["q"])
        self.assertEqual([d["workflow"] for d in got["deliveries"]], ["w"])

    def test_rolled_back_it_leaves_nothing(self):
        store = self.open()
        self.in_transaction(self.say(store, {"op": "put", "key": "d", "value": "v"}), "DISCARD")
        self.assertEqual(store.call("get", key="d")["status"], "not_found")

    def test_a_waiting_receiver_hears_of_it(self):
        def heard():
            store, other = self.open(), self.open()
            command = self.say(other, {"op": "enqueue", "workflow": "w"})
            store.send({"op": "receive", "lease": "1h", "wait": "50s"})
            driver.wait_until(lambda: self.ask("EXISTS", self.tag() + ":a:") == "1", "somebody waits")
            begun = time.monotonic()
            self.in_transaction(command, "EXEC")
            self.assertEqual(store.answer()["deliveries"][0]["workflow"], "w")
            return time.monotonic() - begun < 4  # sooner than who hears nothing looks again

        self.in_time(heard)


class Server(OnServer):
    def refused(self, *more, **where):
        return told(self.config(*more, **where))

    def test_forgotten_scripts_are_no_error(self):
        store = self.open()
        self.assertEqual(store.call("enqueue", workflow="a")["status"], "ok")
        self.ask("SCRIPT", "FLUSH")
        try:
            self.ask("FUNCTION", "FLUSH")
        except RuntimeError:  # 6.2 has none
            pass
        self.assertEqual(store.call("enqueue", workflow="b")["status"], "ok")
        self.assertEqual(store.call("stats")["ready"], 2)

    def test_a_key_of_another_type_is_corrupt(self):
        store, tag = self.open(), self.tag()
        self.ask("SET", tag + ":q:", "mine")
        self.assertEqual(store.call("enqueue", workflow="w")["status"], "corrupt")
        self.ask("HSET", tag + ":w:x", "f", "mine")
        self.assertEqual(store.call("record", workflow="x", fence=None, key="k", value="v")["status"], "corrupt")
        self.assertEqual(self.ask("GET", tag + ":q:"), "mine")
        self.assertEqual(store.call("list")["workflows"], [])
        self.ask("DEL", tag + ":q:")
        self.assertEqual(store.call("enqueue", workflow="w")["state"], "ready")

    def test_lost_data_is_said(self):
        store = self.open()
        store.call("enqueue", workflow="w")
        self.ask("FLUSHALL")
        self.assertEqual(store.call("enqueue", workflow="w")["status"], "store_lost")
        self.assertEqual(store.call("stats")["status"], "store_lost")

    def test_other_partitions_are_refused(self):
        self.open().call("info")
        self.assertIn("partitions=1", self.refused("partitions=2&prepare=auto"))

    def test_a_newer_layout_is_refused(self):
        store = self.open()
        store.call("info")
        self.ask("HSET", self.tag() + ":m", "schema", "99")
        self.assertIn("newer", self.refused("prepare=auto"))
        self.ask("DEL", self.tag() + ":m")

    def test_what_does_not_serve_is_refused_with_the_fix(self):
        replica = driver.Server(SERVER, self.folder, "replica")
        replica.start(False, "--replicaof", "127.0.0.1", str(self.server.port))
        try:
            self.assertIn("name the primary", self.refused(server=replica))
        finally:
            replica.end()
        self.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        try:
            self.assertIn("noeviction", self.refused())
        finally:
            self.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        self.assertIn("number of a database", self.refused(database="x"))
        self.assertIn("DB index", self.refused(database=999))
        self.assertIn("password", self.refused(login=":wrong@"))

    def test_a_full_server_still_takes_what_gives_back(self):
        store = self.open()
        fence = self.leased(store)
        store.call("enqueue", workflow="w")
        receipt = store.call("receive", lease="1h")["deliveries"][0]["receipt"]
        self.ask("CONFIG", "SET", "maxmemory", str(driver.used(self.server) // 2))
        try:
            self.assertEqual(store.call("enqueue", workflow="x")["status"], "full")
            self.assertEqual(store.call("record", workflow="w", fence=fence, key="k", value="v")["status"], "full")
            self.assertEqual(store.call("ack", receipt=receipt)["status"], "ok")
            self.assertEqual(store.call("release", workflow="w", fence=fence)["status"], "ok")
            self.assertEqual(store.call("trim", older_than=0)["status"], "ok")
        finally:
            self.ask("CONFIG", "SET", "maxmemory", "0")
        self.assertEqual(store.call("enqueue", workflow="x")["status"], "ok")


class Replicas(OnServer):
    def test_too_few_is_unknown_and_a_second_send_settles_it(self):
        store = self.open(options="prepare=auto&replicas=0")
        store.call("info")
        careful = self.open(options="replicas=1")
        self.assertIn("replicated", careful.call("info")["capabilities"])
        write = {"op": "supply", "workflow": "w", "key": "k", "value": "v", "op_id": "0123456789abcdef" * 2}

        def too_few():
            got = self.impatient({**write, "workflow": "x"}, "3s")
            self.assertIn(got["status"], ("unknown", "timed_out"))
            return "0 of 1 replicas" in got["error"]

        for _ in range(5):
            if too_few():
                break
        else:
            self.fail("never said that there are too few")
        self.assertEqual(len(store.call("load", workflow="x")["records"]), 1)  # it is written all the same
        self.assertEqual(careful.call("load", workflow="x")["status"], "ok")
        replica = driver.Server(SERVER, self.folder, "follows")
        replica.start(False, "--replicaof", "127.0.0.1", str(self.server.port))
        try:
            driver.wait_until(lambda: "master_link_status:up" in replica.ask("INFO", "replication"), "it follows")
            careful.send(write)
            got = careful.answer()
            self.assertEqual((got["status"], got["first"]), ("ok", True))
            self.assertEqual(self.impatient({**write, "workflow": "x"}, "30s")["status"], "ok")
        finally:
            replica.end(signal.SIGKILL)

    def impatient(self, operation, deadline):
        run = subprocess.run([STILE, "call", "--deadline", deadline, self.config("replicas=1")], capture_output=True,
                             text=True, check=False, input=json.dumps(operation) + "\n")
        return json.loads(run.stdout)


def calls(server):
    """How many scripts it has run."""
    stats = server.ask("INFO", "commandstats")
    return sum(int(n) for n in re.findall(r"cmdstat_(?:evalsha|fcall):calls=(\d+)", stats))


class Waiting(OnServer):
    def wait(self, store, in_line=1, wait="50s"):
        """Answers whether so many processes are in line then, before the first of them leaves it again."""
        store.send({"op": "receive", "lease": "1h", "wait": wait})
        try:
            driver.wait_until(lambda: self.ask("ZCARD", self.tag() + ":b:") == str(in_line), "it waits", patience=4)
        except RuntimeError:
            return False
        return True

    def test_one_wakeup_wakes_one_process(self):
        def few_calls():
            stores, other = [self.open() for _ in range(6)], self.open()
            other.call("info")
            if not all(self.wait(store, number + 1) for number, store in enumerate(stores)):
                return False
            before = calls(self.server)
            self.assertEqual(other.call("enqueue", workflow="w")["status"], "ok")
            driver.wait_until(lambda: self.ask("ZCARD", self.tag() + ":f:") == "1", "it is received")
            more = calls(self.server) - before
            for i in range(5):
                other.call("enqueue", workflow=f"x{i}")
            for store in stores:
                self.assertEqual(len(store.answer()["deliveries"]), 1)
            return more < 6

        self.in_time(few_calls)

    def test_a_delayed_wakeup_is_not_late(self):
        def soon():
            store, other = self.open(), self.open()
            other.call("info")
            if not self.wait(store):
                return False
            at = other.call("enqueue", workflow="w", delay="300ms")["visible_at"]
            got = store.answer()
            self.assertEqual(got["deliveries"][0]["workflow"], "w")
            self.assertGreaterEqual(got["store_time"], at)
            return got["store_time"] < at + 1_000_000

        self.in_time(soon)

    def test_who_leaves_hands_its_timer_on(self):
        def soon():
            first, second, other = self.open(), self.open(), self.open()
            other.call("info")
            if not (self.wait(first, wait="700ms") and self.wait(second, 2)):
                return False
            at = other.call("enqueue", workflow="w", delay="1500ms")["visible_at"]
            if first.answer()["deliveries"]:  # it left only after that
                return False
            return second.answer()["store_time"] < at + 1_000_000

        self.in_time(soon)


class Scripts(OnServer):
    """Every operation in the Lua files is run by somebody (STYLE: a statement that is never run)."""

    def test_every_operation_is_run(self):
        defined = set()
        for name in os.listdir(LUA):
            with open(os.path.join(LUA, name), encoding="utf-8") as file:
                defined |= set(re.findall(r"^function ops\.(\w+)", file.read(), re.MULTILINE))
        with socket.create_connection(("127.0.0.1", self.server.port)) as watcher:
            watcher.sendall(b"MONITOR\r\n")
            stream = watcher.makefile("r", errors="replace")
            stream.readline()
            self.run_all()
            self.ask("ECHO", "over")
            seen = set()
            for line in stream:
                if '"over"' in line:
                    break
                if '"EVALSHA"' in line or '"FCALL"' in line:
                    # A name stands between its length and whether it is chained.
                    seen |= {name for name in defined if re.search(rf"(\\[abtnr]|\\x..){name}\\x0[01]", line)}
        self.assertEqual(defined - seen, set())

    def examine(self, store):
        store.call("enqueue", workflow="examined")  # so that there is an index to go through
        subprocess.run([STILE, "doctor", self.config()], check=True, capture_output=True)
        store.call("cancel", workflow="examined")

    def run_all(self):
        store, other = self.open(options="prepare=auto&clock=manual"), self.open(options="clock=manual")
        fence = self.leased(store)
        store.call("renew", workflow="w", fence=fence, ttl="1h")
        store.call("record", workflow="w", fence=fence, key="k", value="v")
        store.call("supply", workflow="w", key="s", value="v")
        store.call("append", workflow="w", value="v")
        store.call("load", workflow="w")
        store.call("transact", workflow="w", fence=fence, key="t",
                   effect={"language": "lua", "text": "return ''", "keys": [], "args": []})
        store.call("rebase", workflow="w", fence=fence, key="b", value="v")
        store.call("request_cancel", workflow="w")
        store.call("watch", workflows=[{"workflow": "w", "after": 0}], wait=0)
        store.call("release", workflow="w", fence=fence)
        for answer in ({"op": "ack"}, {"op": "snooze", "delay": 0}, {"op": "nack"}, {"op": "reject"}):
            store.call("enqueue", workflow="w", revive=True)
            receipt = store.call("receive", lease="1h")["deliveries"][0]["receipt"]
            store.call("extend", receipt=receipt, lease="2h")
            store.send({**answer, "receipt": receipt})
            store.answer()
            store.call("cancel", workflow="w")
        store.send({"op": "receive", "lease": "1h", "wait": "50s"})  # leaves, by the clock
        driver.wait_until(lambda: self.ask("EXISTS", self.tag() + ":b:") == "1", "it waits")
        other.call("advance", by="1m")
        store.answer()
        store.call("discard", workflow="w")
        store.call("put", key="d", value="v")
        store.call("get", key="d")
        store.call("scan", prefix="")
        store.call("erase", key="d")
        store.call("stats")
        store.call("list")
        store.call("trim", older_than=0)
        self.examine(store)
        before = calls(self.server)
        self.ask("PUBLISH", self.channel(store), "qnobody")  # rung for a queue that nobody waits for: ring
        driver.wait_until(lambda: calls(self.server) > before, "it is passed on")
        self.fill_and_release(store)

    def channel(self, store):
        names = self.ask("PUBSUB", "CHANNELS", "stile:*")
        return next(name for name in names if not name.endswith(":clock"))

    def fill_and_release(self, store):
        fence = self.leased(store, "full")
        self.ask("CONFIG", "SET", "maxmemory", str(driver.used(self.server) // 2))
        store.call("release", workflow="full", fence=fence)  # drain
        self.ask("CONFIG", "SET", "maxmemory", "0")


if __name__ == "__main__":
    unittest.main()
