"""Stores on real servers, for the tests of both plugins: `stile call` and a plain connection to the server.

SPDX-License-Identifier: Apache-2.0
"""
import base64
import json
import os
import shutil
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


class Store:
    """One namespace, through `stile call`. Calls give the answer; an answer that is not ok is an answer too."""

    def __init__(self, config):
        self.config = config
        self.process = subprocess.Popen([STILE, "call", "--deadline", "10s", config], stdin=subprocess.PIPE,
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
        cls.folder = tempfile.mkdtemp(prefix="stile-redis.")
        cls.server = driver.Server(SERVER, cls.folder)
        cls.server.start(False, *cls.server_options)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.stores = []

    def tearDown(self):
        for store in self.stores:
            store.close()

    def config(self, options="prepare=auto", server=None, login="", database=0):
        port = (server or self.server).port
        return f"{SCHEME}://{login}127.0.0.1:{port}/{database}?namespace={self.ns()}&{options}"

    def ns(self):
        return self._testMethodName

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
