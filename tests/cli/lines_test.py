"""The forms of `stile call`: lines, batches, sessions, words, statuses, and how it ends.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import select
import signal
import subprocess
import time
import unittest

from support import PATIENCE, STILE, Calls, in_time, lines, run

MEMORY = "memory:?clock=manual"


def put(key="k", value="v", **members):
    return {"op": "put", "key": key, "value": value, **members}


def get(key="k", **members):
    return {"op": "get", "key": key, **members}


class Lines(unittest.TestCase):
    def test_end_of_input_is_success(self):
        done = run("call", MEMORY, input="")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_empty_lines_are_skipped(self):
        self.assertEqual(len(lines(MEMORY, "", put(), "\r", "  ", get())), 2)

    def test_the_last_line_needs_no_end(self):
        done = run("call", MEMORY, input=json.dumps(put()) + "\n" + json.dumps(get()))
        self.assertEqual(json.loads(done.stdout.splitlines()[1])["value"], "v")

    def test_a_line_that_cannot_be_read_is_answered_with_its_column(self):
        broken = ["{", "nonsense", '{"op":"get","key":"k","key":"l"}', '{"op":"get","key":"\\ud800"}',
                  '{"op":"get","key":NaN}', '[1,', "5", '"text"', "null", '{"op":"get","key":"k"} x',
                  "[" * 1000, '{"op":"put","key":"k","value":1e999}']
        answers = lines(MEMORY, *broken, put())
        self.assertEqual(len(answers), len(broken) + 1)
        for said, answer in zip(broken, answers):
            self.assertEqual(answer["status"], "invalid", said)
            self.assertRegex(answer["error"], r"column [0-9]+", said)
        self.assertEqual(answers[-1]["status"], "ok")

    def test_bytes_that_are_no_utf8_are_invalid(self):
        done = run("call", MEMORY, input=b'{"op":"get","key":"\xff"}\n{"op":"get","key":"k"}\n')
        first, second = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((first["status"], second["status"]), ("invalid", "not_found"))
        self.assertIn("column 20", first["error"])

    def test_what_is_wrong_is_named(self):
        unknown, member, missing, extra = lines(MEMORY, {"op": "nope"}, get(kex=1), {"op": "get"}, get(s=0))
        self.assertEqual(unknown["status"], "unsupported")
        for answer, name in ((member, "kex"), (missing, "key"), (extra, "s")):
            self.assertEqual(answer["status"], "invalid")
            self.assertIn(name, answer["error"])

    def test_a_tag_comes_back(self):
        for tag in (None, 0, "x", [1, {"a": None}], {"deep": [[]]}, False):
            self.assertEqual(lines(MEMORY, get(tag=tag))[0]["tag"], tag)
        self.assertNotIn("tag", lines(MEMORY, get())[0])
        self.assertEqual(lines(MEMORY, {"op": "nope", "tag": 7})[0]["tag"], 7)

    def test_bytes_of_every_kind_come_back(self):
        text = "".join(map(chr, range(0x20))) + "\"\\/\x7f\u0080\uffff\U0001f600"
        raw = {"b64": "AAECgP8="}
        _, one, _, other = lines(MEMORY, put(value=text), get(), put(value=raw, key=raw), get(raw))
        self.assertEqual((one["value"], other["value"]), (text, raw))

    def test_a_long_line(self):
        value = "x" * (20 << 20)
        stored, got = lines(MEMORY, put(value=value), get())
        self.assertEqual((stored["status"], got["value"] == value), ("ok", True))

    def test_a_line_over_the_limit_is_refused_and_the_next_one_read(self):
        over, next_one = lines(MEMORY, "x" * ((64 << 20) + 1), get())
        self.assertEqual((over["status"], next_one["status"]), ("invalid", "not_found"))
        self.assertIn(f"column {(64 << 20) + 1}", over["error"])

    def test_answers_come_at_once(self):
        call = Calls(MEMORY)
        for i in range(3):  # each is read before the next is written
            self.assertEqual(call("put", key="k", value=str(i))["status"], "ok")
        self.assertEqual(call.end(), 0)

    def test_a_deadline_bounds_a_line(self):
        begin = time.monotonic()
        waited, next_one = lines("memory:", {"op": "receive", "lease": "1s", "wait": "1h"}, get(),
                                 options=("--deadline", "300ms"))
        self.assertEqual((waited["status"], waited["deliveries"]), ("ok", []))
        self.assertEqual(next_one["status"], "not_found")
        self.assertGreaterEqual(time.monotonic() - begin, 0.25)


class Batches(unittest.TestCase):
    def test_answers_stand_in_their_places(self):
        answers, none = lines(MEMORY, [put(tag=1), 5, [get()], get(tag=2), {"op": "nope"}], [])
        self.assertEqual([a["status"] for a in answers], ["ok", "invalid", "invalid", "ok", "unsupported"])
        self.assertEqual((answers[0]["tag"], answers[3]["tag"], none), (1, 2, []))

    def test_a_chain(self):
        went, broke = lines(MEMORY, [put(), get(after_ok=True)],
                            [get("none"), put(value="never", after_ok=True), get(after_ok=True), get()])
        self.assertEqual([a["status"] for a in went], ["ok", "ok"])
        self.assertEqual([a["status"] for a in broke], ["not_found", "skipped", "skipped", "ok"])
        self.assertEqual(broke[3]["value"], "v")

    def test_a_chain_behind_a_refused_member(self):
        answers = lines(MEMORY, [{"op": "nope"}, put(after_ok=True), get(after_ok=True), put(), get(after_ok=True)])[0]
        self.assertEqual([a["status"] for a in answers], ["unsupported", "skipped", "skipped", "ok", "ok"])

    def test_a_chain_behind_nothing(self):
        alone, first = lines(MEMORY, get(after_ok=True), [get(after_ok=True), put()])
        self.assertEqual((alone["status"], first[0]["status"], first[1]["status"]), ("invalid", "invalid", "ok"))

    def test_what_waits_is_alone(self):
        waiting = {"op": "receive", "lease": "1s", "wait": "1h"}
        for batch in ([waiting, put()], [put(), waiting], [5, waiting]):
            answers = lines(MEMORY, batch)[0]
            self.assertEqual(answers[batch.index(waiting)]["status"], "invalid")

    def test_more_than_the_store_takes_at_once(self):
        limit = lines(MEMORY, {"op": "info"})[0]["limits"]["batch"]
        count = 2 * limit + 3
        batch = [put(str(i), after_ok=i > 0) for i in range(count)]
        batch[limit + 5] = get("none", after_ok=True)
        answers = lines(MEMORY, batch)[0]
        self.assertEqual([a["status"] for a in answers],
                         ["ok"] * (limit + 5) + ["not_found"] + ["skipped"] * (count - limit - 6))


class Sessions(unittest.TestCase):
    def test_one_waits_while_the_other_goes_on(self):
        call = Calls("memory:", "--sessions", "2")
        call.send({"op": "receive", "lease": "30s", "wait": "60s", "s": 1, "tag": "waits"})
        call.send(put(s=0, tag="goes"))
        self.assertEqual(call.answer(), {"status": "ok", "version": "1", "tag": "goes", "s": 0})
        call.send({"op": "enqueue", "workflow": "w"})
        answers = {answer.get("tag"): answer for answer in (call.answer(), call.answer())}
        self.assertEqual(answers["waits"]["s"], 1)
        self.assertEqual(answers["waits"]["deliveries"][0]["workflow"], "w")
        self.assertNotIn("s", answers[None])
        self.assertEqual(call.end(), 0)

    def test_the_lines_of_one_keep_their_order(self):
        said = [put("k", str(i), s=i % 4, tag=i) for i in range(400)]
        answers = lines(MEMORY, *said, options=("--sessions", "4"))
        for session in range(4):
            self.assertEqual([a["tag"] for a in answers if a["s"] == session], list(range(session, 400, 4)))

    def test_there_is_no_such_session(self):
        for s in (2, -1, "0", 1.5, None):
            answer = lines(MEMORY, get(s=s), options=("--sessions", "2"))[0]
            self.assertEqual((answer["status"], answer["s"]), ("invalid", s))

    def test_a_batch_goes_where_its_first_member_goes(self):
        answers = lines(MEMORY, [put(s=1), get(s=0), get()], options=("--sessions", "2"))[0]
        self.assertEqual([a["status"] for a in answers], ["ok"] * 3)

    def test_a_number_of_sessions_is_needed(self):
        for number in ("0", "-1", "x", "1025", "1.5", ""):
            self.assertEqual(run("call", "--sessions=" + number, MEMORY, input="").returncode, 2 if number else 2)


class Words(unittest.TestCase):
    def one(self, *words, config=MEMORY, env=None):
        done = run("call", config, *words, env=env)
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr

    def test_statuses_are_exit_statuses(self):
        self.assertEqual(self.one("put", "key=k", "value=v", "if=absent")[0], 0)
        self.assertEqual(self.one("get", "key=k")[0], 10 + 7)
        self.assertEqual(self.one("release", "workflow=w", "fence=null")[0], 10 + 1)
        self.assertEqual(self.one("ack", "receipt=x")[0], 10 + 2)
        self.assertEqual(self.one("get", "nope=1")[0], 10 + 8)
        self.assertEqual(self.one("nope")[0], 10 + 10)

    def test_members_are_read_as_they_are_meant(self):
        status, got = self.one("receive", "lease=30s", "max=3", "acquire.ttl=10s", "acquire.budget=1h", "load.limit=5",
                               'queues=["a",""]')
        self.assertEqual((status, got["deliveries"]), (0, []))
        status, got = self.one("supply", "workflow=1", "key=true", "value=a=b", "enqueue.delay=1m")
        self.assertEqual((status, got["value"], got["state"]), (0, "a=b", "delayed"))
        status, got = self.one("put", "key=", "value=v")
        self.assertEqual((status, got["status"]), (18, "invalid"))

    def test_usage(self):
        for words in (("get", "key"), ("get", "key=a", "key=b"), ("get", "key={"), ("get", "=a")):
            status, text = self.one(*words)
            self.assertEqual(status, 2, words)
            self.assertIn("stile call: ", text)

    def test_a_config_that_is_refused(self):
        for config in ("", "nope:", "memory:?nope=1", "memory:?clock=wrong", "::", "@/nowhere.json"):
            done = run("call", config, "info")
            self.assertEqual((done.returncode, done.stdout), (2, ""), config)
            self.assertIn("stile call: ", done.stderr)
            self.assertEqual(run("call", config, input='{"op":"info"}\n').returncode, 2)

    def test_the_store_of_the_environment(self):
        self.assertEqual(self.one("info", config="-", env={"STILE_STORE": MEMORY})[0], 0)
        environment = {name: value for name, value in os.environ.items() if name != "STILE_STORE"}
        done = subprocess.run([STILE, "call", "-", "info"], env=environment, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)

    def test_a_plugin_file(self):
        plugin = os.path.join(os.environ["STILE_PLUGIN_PATH"].split(":")[0], "memory.so")
        environment = {"STILE_PLUGIN_PATH": "/nowhere"}
        done = run("call", "--plugin", plugin, MEMORY, "info", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("call", "--plugin", "/nowhere.so", MEMORY, "info").returncode, 2)

    def test_deadlines_that_are_none(self):
        for deadline in ("0", "-1s", "soon", ""):
            self.assertEqual(run("call", "--deadline=" + deadline, MEMORY, "info").returncode, 2)


class Ends(unittest.TestCase):
    def waiting(self, *words):
        """A call that waits for an hour; returns once it has begun to."""
        process = subprocess.Popen([STILE, "call", "--deadline", "2h", "memory:", *words], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        if not words:
            process.stdin.write('{"op":"info"}\n{"op":"receive","lease":"1s","wait":"1h"}\n' + '{"op":"info"}\n' * 3)
            process.stdin.flush()
            self.assertTrue(select.select([process.stdout], [], [], PATIENCE)[0])
            self.assertEqual(json.loads(process.stdout.readline())["status"], "ok")
        self.until_it_waits(process)
        return process

    def until_it_waits(self, process):
        """Every thread of it sleeps, so the store's does in its wait."""
        end = time.monotonic() + PATIENCE
        calm = 0
        while calm < 5 and time.monotonic() < end:
            states = []
            for task in os.listdir(f"/proc/{process.pid}/task"):
                with open(f"/proc/{process.pid}/task/{task}/stat") as stat:
                    states.append(stat.read().rsplit(")", 1)[1].split()[0])
            calm = calm + 1 if len(states) >= 3 and set(states) == {"S"} else 0
            select.select([], [], [], 0.01)
        self.assertGreaterEqual(calm, 5)

    def interrupted(self, number, *words):
        """How long it then takes to end; too long where that cost its answer."""
        process = self.waiting(*words)
        begin = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        took = time.monotonic() - begin
        self.assertEqual((process.returncode, err), (128 + number, ""))
        answers = [json.loads(line) for line in out.splitlines()]
        if not answers:  # after 0.7 s it ends whatever it is at
            return PATIENCE
        self.assertEqual([a["status"] for a in answers], ["interrupted"])  # and no line after it was run
        return took

    def test_signals_end_a_waiting_call_within_a_second(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for words in ((), ("receive", "lease=1s", "wait=1h")):
                in_time(1, lambda: self.interrupted(number, *words))

    def test_signals_end_an_idle_call(self):
        call = Calls(MEMORY)
        self.assertEqual(call("put", key="k", value="v")["status"], "ok")
        call.process.send_signal(signal.SIGTERM)
        self.assertEqual(call.process.wait(PATIENCE), 128 + signal.SIGTERM)
        call.end()

    def test_an_output_that_nobody_reads(self):
        process = subprocess.Popen([STILE, "call", MEMORY], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.close()
        process.stdin.write(b'{"op":"info"}\n')
        process.stdin.flush()
        self.assertEqual(process.wait(PATIENCE), 1)
        process.stdin.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()


class Doubt(unittest.TestCase):
    def test_nothing_is_sent_again(self):
        lost, got = lines("chaos+memory:?chaos.seed=1&chaos.lose_reply=1", put(), get())
        self.assertEqual(lost["status"], "unknown")
        self.assertIn(got["status"], ("unknown", "unavailable"))

    def test_a_dropped_session_is_replaced(self):
        answers = lines("chaos+memory:?chaos.seed=3&chaos.cut=0.5", *[put(str(i)) for i in range(60)])
        self.assertEqual({a["status"] for a in answers} - {"ok", "unknown", "unavailable"}, set())
        self.assertGreater(sum(a["status"] == "ok" for a in answers), 10)
        self.assertGreater(sum(a["status"] != "ok" for a in answers), 10)


if __name__ == "__main__":
    unittest.main()
