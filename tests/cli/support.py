"""Driving the program stile from a test.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import threading
import time
import unittest

STILE = os.environ["STILE"]
HOUR = 3_600_000_000
SECOND = 1_000_000
PATIENCE = 60  # seconds until a test gives up on a process: far above what anything takes
OP_IDS = iter(range(1, 1 << 30))


def op_id():
    return f"{next(OP_IDS):032x}"


def run(*args, input=None, env=None):
    """Runs `stile ARGS`: what it wrote and its exit status."""
    environment = {**os.environ, **(env or {})}
    text = not isinstance(input, bytes)
    return subprocess.run([STILE, *args], input=input, capture_output=True, text=text, timeout=PATIENCE,
                          env=environment)


def wait_for(condition):
    """What condition answers, once that is true."""
    end = time.monotonic() + PATIENCE
    while not (answer := condition()):
        if time.monotonic() > end:
            raise AssertionError("what was waited for did not come")
        time.sleep(0.01)
    return answer


def in_time(seconds, play):
    """Plays it until it took less than so many seconds, as what play answers says: a machine may be busy, but a program
    that is slow is so each time."""
    took = [play()]
    while took[-1] >= seconds:
        if len(took) == 8:
            raise AssertionError(f"never within {seconds} s: {took}")
        took.append(play())


def lines(config, *said, options=()):
    """The answers to lines; each is JSON, or text as it is."""
    text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in said)
    done = run("call", *options, config, input=text)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Calls:
    """One `stile call` in JSON lines, spoken to line by line."""

    def __init__(self, config, *options):
        self.process = subprocess.Popen([STILE, "call", *options, config], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        self.guard = threading.Timer(PATIENCE, self.process.kill)
        self.guard.start()

    def send(self, said):
        self.process.stdin.write((said if isinstance(said, str) else json.dumps(said)) + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("no answer: stile call ended")
        return json.loads(line)

    def __call__(self, op, **members):
        self.send({"op": op, **members})
        return self.answer()

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.guard.cancel()
        return status


class CallsCase(unittest.TestCase):
    """A case that speaks to one store with a clock of its own, and ends it."""
    config = "memory:?clock=manual"
    options = ()

    def setUp(self):
        self.call = Calls(self.config, *self.options)

    def tearDown(self):
        self.assertEqual(self.call.end(), 0)

    def ok(self, op, **members):
        answer = self.call(op, **members)
        self.assertEqual(answer.pop("status"), "ok", answer)
        return answer

    def refused(self, status, op, **members):
        answer = self.call(op, **members)
        self.assertEqual(answer["status"], status, answer)
        self.assertIsInstance(answer["error"], str)
        self.assertNotEqual(answer["error"], "")
        return answer

    def lease(self, workflow="w", ttl="10s", budget="1h"):
        return self.ok("acquire", workflow=workflow, ttl=ttl, budget=budget)["fence"]

    def delivery(self, workflow="w", **members):
        self.ok("enqueue", workflow=workflow)
        deliveries = self.ok("receive", lease="30s", **members)["deliveries"]
        self.assertEqual([d["workflow"] for d in deliveries], [workflow])
        return deliveries[0]
