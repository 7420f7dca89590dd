"""What the tests in Python share: the program, a server in a temporary folder, transactions that are held open.

SPDX-License-Identifier: Apache-2.0
"""
import atexit
import itertools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "driver"))
from server import Server, end_with_us, free_port, owner, wait_until  # noqa: E402,F401

STILE = sys.argv[1]
PATIENCE = 60
numbers = itertools.count(1)


class Folder:
    """A temporary folder that the server's user may enter; its servers end and it goes however the tests end."""

    def __init__(self, name):
        self.path = tempfile.mkdtemp(prefix=f"stile-{name}.")
        self.servers = []
        atexit.register(self.remove)

    def server(self, name="server"):
        self.servers.append(Server(os.path.join(self.path, name)))
        return self.servers[-1]

    def remove(self):
        for server in self.servers:
            server.kill()
        self.servers = []
        shutil.rmtree(self.path, ignore_errors=True)


def config(server, *options, namespace=None, user="postgres", port=None):
    words = [f"namespace={namespace or 'n' + str(next(numbers))}", *options]
    return f"postgres://{user}@127.0.0.1:{port or server.port}/stile?" + "&".join(words)


def call(store, op, *members, deadline="20s"):
    """One operation by a process of its own; its answer, or what the program says where the store does not open."""
    done = subprocess.run([STILE, "call", "--deadline", deadline, store, op, *members], capture_output=True, text=True,
                          timeout=PATIENCE * 2)
    if done.stdout:
        return json.loads(done.stdout)
    return {"status": "refused", "error": done.stderr}


class Store:
    """A process that keeps a store open and is told operations, each answered before the next."""

    def __init__(self, store, deadline="20s", sessions=1):
        self.process = subprocess.Popen(
            [STILE, "call", "--deadline", deadline, "--sessions", str(sessions), store], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.answers.put((json.loads(line), time.monotonic()))
        self.answers.put((None, time.monotonic()))

    def say(self, op, **members):
        self.process.stdin.write(json.dumps({"op": op, **members}) + "\n")

    def say_batch(self, *operations):
        self.process.stdin.write(json.dumps(operations) + "\n")

    def hear(self, patience=PATIENCE):
        answer, self.heard_at = self.answers.get(timeout=patience)
        if answer is None:
            raise AssertionError("the program ended")
        return answer

    def ask(self, op, **members):
        self.say(op, **members)
        return self.hear()

    def until(self, status, op, **members):
        """The answer, once its status is that one: what is in doubt or cannot be had is asked for again."""
        answers = []
        wait_until(lambda: answers.append(self.ask(op, **members)) or answers[-1]["status"] == status,
                   f"{op} is answered {status}")
        return answers[-1]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()


class Psql:
    """A session of psql, for transactions that are held open."""

    def __init__(self, server, user="postgres"):
        self.process = subprocess.Popen(
            [server.bin + "/psql", "-XAtq", "-h", server.folder, "-p", str(server.port), "-U", user, "-d", "stile"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1, cwd="/")

    def send(self, text):
        self.process.stdin.write(text + ";\n\\echo <end>\n")

    def hear(self):
        return "".join(itertools.takewhile(lambda line: line != "<end>\n", self.process.stdout)).strip()

    def run(self, text):
        self.send(text)
        return self.hear()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()


def main():
    def stopped(*_):
        raise KeyboardInterrupt  # what unittest does not take for a test that failed
    signal.signal(signal.SIGTERM, stopped)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
