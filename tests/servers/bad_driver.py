#!/usr/bin/env python3
"""A driver that misbehaves in one way, and is otherwise the real one that it runs.

Usage: bad_driver.py HOW WORD REAL-DRIVER. HOW is what it does when it is asked for WORD.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys
import time

how, wanted, real = sys.argv[1:4]
below = subprocess.Popen([real], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(text):
    below.stdin.write(text)
    below.stdin.flush()
    return below.stdout.readline()


def misbehave(text):
    if how == "nothing":  # says that it did it
        return '{"ok": true, "lost": 1000, "clock": %d}\n' % (time.time_ns() // 1000)
    if how == "garbage":
        return "\x00\xff[[[\n"
    if how == "list":
        return "[1, 2]\n"
    if how == "refuses":
        return '{"ok": false, "error": "the rack is on fire"}\n'
    if how == "dies":
        print("I am going", file=sys.stderr, flush=True)
        os._exit(3)
    if how == "hangs":
        time.sleep(10000)
    if how == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if how == "daemon":  # loses a process that nobody knows any more
        subprocess.Popen(["setsid", "sleep", "4242"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
        return ask(text)
    if how == "liar":
        return '{"ok": true, "can": ["stop", "kill"], "config": 7, "environment": [], "embedded": 1}\n'
    if how == "loses":  # a real loss: what the log of the last writes held
        answer = ask(text)
        log = folder + "/disk/store.db-wal"
        with open(log, "r+b") as file:
            file.truncate(os.path.getsize(log) // 2)
        return answer
    raise SystemExit("no such way to misbehave: " + how)


folder = None
for line in sys.stdin:
    word = json.loads(line)["do"]
    folder = json.loads(line).get("folder", folder)
    sys.stdout.write(misbehave(line) if word == wanted else ask(line))
    sys.stdout.flush()
below.stdin.close()
below.wait()
