"""Stores on real servers, for the tests of both plugins: `stile call` and a plain connection to the server.

SPDX-License-Identifier: Apache-2.0
"""
import atexit
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "driver"))
import driver  # noqa: E402  (found by the line above)

SERVER = os.environ.get("STILE_TEST_SERVER", "redis-server")
SCHEME = os.environ.get("STILE_TEST_SCHEME", "redis-set")
STILE = os.environ.get("STILE_TEST_PROGRAM", "stile")
LUA = os.path.join(HERE, "..", "src", "lua")

# A test that is stopped leaves as one that ends does: with what atexit is told of below.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def fresh_folder():
    """It is gone when this program ends, however soon; the servers in it die with this program."""
    folder = tempfile.mkdtemp(prefix="stile-redis.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def told(config, deadline="30s"):
    """All that `stile call` says of a store, or why it does not."""
    run = subprocess.run([STILE, "call", "--deadline", deadline, config, "info"], capture_output=True, text=True,
                         check=False)
    return run.stdout + run.stderr


class Store:
    """One namespace, through `stile call`. Calls give the answer; an answer that is not ok is an answer too."""

    def __init__(self, config):
        self.config = config
        self.process = subprocess.Popen([STILE, "call", "--deadline", "60s", config], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def send(self, *ops):
        self.process.stdin.write(json.dumps(ops[0] if len(ops) == 1 else ops) + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"stile call ended: {self.process.stderr.read()}")
        return json.loads(line)

    def call(self, op, **members):
        self.send({"op": op, **members})
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class OnServer(unittest.TestCase):
    """A fresh server for each test class."""

    server_options = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = fresh_folder()
        cls.server = driver.Server(SERVER, cls.folder)
        cls.server.start(False, *cls.server_options)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.stores, self.attempts = [], 0

    def tearDown(self):
        for store in self.stores:
            store.close()

    def in_time(self, attempt, times=5):
        """A busy machine may be late, but not each time: attempt, in a namespace of its own, answers whether it was."""
        for self.attempts in range(times):
            if attempt():
                return
        self.fail(f"late {times} times")

    def config(self, options="prepare=auto", server=None, login="", database=0):
        port = (server or self.server).port
        return f"{SCHEME}://{login}127.0.0.1:{port}/{database}?namespace={self.ns()}&{options}"

    def ns(self):
        return self._testMethodName + (str(self.attempts) if self.attempts else "")

    def tag(self, partition=0):
        return "{" + self.ns() + ":" + str(partition) + "}"

    def open(self, **more):
        store = Store(self.config(**more))
        self.stores.append(store)
        return store

    def ask(self, *words):
        return self.server.ask(*words)

    def leased(self, store, workflow="w"):
        return store.call("acquire", workflow=workflow, ttl="1h", budget="1h")["fence"]


def text_of(value):
    return value if isinstance(value, str) else base64.b64decode(value["b64"]).decode("latin-1")
