#!/usr/bin/env python3
"""The demo's program as a person runs it: proves, refuses bad input, ends at once when it is interrupted.

Usage: demo_test.py STILE-ORDERS ORDERS.CSV PACKAGING-DEMO
SPDX-License-Identifier: Apache-2.0
"""
import csv
import itertools
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, ORDERS, DEMO = sys.argv[1:4]
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(PROGRAM)))


def run(*arguments, timeout=150):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=timeout)


def of_session(session):
    """The processes that are left of a session."""
    left = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                state, _, _, its_session = file.read().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(its_session) == session and state != "Z":
            left.append(name)
    return left


def name_of(process):
    """The first 15 letters of a program's name."""
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


class Demo(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stile-demo-test.")
        self.store = f"sqlite:{self.folder}/orders.db"
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_orders_survive_killed_workers_and_the_ledger_proves_it(self):
        done = run("--dir", self.folder, "--orders", "60", "--workers", "3", self.store, ORDERS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("PROVEN", done.stdout)
        self.assertIn("60 of 60 finished", done.stdout)
        self.assertRegex(done.stdout, r"skipped: line \d+: quantity \"two\"")
        killed = int(re.search(r"(\d+) killed with SIGKILL", done.stdout).group(1))
        taken_over = int(re.search(r"(\d+) of them taken over", done.stdout).group(1))
        self.assertGreater(killed, 0)
        self.assertGreater(taken_over, 0)

    def test_a_run_without_kills_shows_nothing_and_says_so(self):
        done = run("--dir", self.folder, "--orders", "10", "--kills", "0", self.store, ORDERS)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no kill hit a worker at work", done.stdout)
        self.assertNotIn("PROVEN", done.stdout)

    def test_a_folder_that_was_used_is_refused(self):
        run("--dir", self.folder, "--orders", "3", "--kills", "0", self.store, ORDERS)
        again = run("--dir", self.folder, "--orders", "3", "--kills", "0", self.store, ORDERS)
        self.assertEqual((again.returncode, again.stdout), (2, ""))
        self.assertIn("not empty, it holds the ledger of another run: give a fresh folder", again.stderr)

    def test_what_it_says_is_not_lost_unsaid(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "--dir", self.folder, "--orders", "30", self.store, ORDERS], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=150)
        self.assertEqual(done.stderr, "stile-orders: stdout: No space left on device\n")
        self.assertEqual(done.returncode, 1)

    def test_without_any_stream_it_writes_into_nothing_of_its_own(self):
        done = subprocess.run([PROGRAM, "--dir", self.folder, "--orders", "30", self.store, ORDERS], timeout=150,
                              preexec_fn=lambda: os.closerange(0, 3))
        self.assertEqual(done.returncode, 1)  # 130 where it takes its own words for a signal
        for name in os.listdir(self.folder):
            with open(os.path.join(self.folder, name), "rb") as file:
                self.assertNotIn(b"orders finished", file.read(), name)

    def test_clean_leaves_nothing_in_the_store(self):
        done = run("--dir", self.folder, "--orders", "10", "--clean", self.store, ORDERS)
        self.assertIn(done.returncode, (0, 1), done.stderr)  # so few orders may end before a kill bites
        again = run("--dir", tempfile.mkdtemp(dir=self.folder), "--orders", "10", "--kills", "0", self.store, ORDERS)
        self.assertIn("10 of 10 finished", again.stdout)
        self.assertIn("ledger exactly once", again.stdout)
        self.assertNotIn("not in the ledger", again.stdout)

    def test_bad_input_is_one_clear_error(self):
        cases = [
            ([self.store, self.folder + "/none.csv"], "none.csv: No such file or directory"),
            ([self.store, self.folder], "it is a directory"),
            ([self.store, self.file("empty.csv", b"")], "it is empty"),
            ([self.store, self.file("binary.csv", b"\x7fELF\0\0")], "it is binary: byte 5 is zero"),
            ([self.store, self.file("other.csv", b"a,b\n1,2\n")], "names no column \"order_id\""),
            (["memory:", ORDERS], "lives inside one process"),
            (["nosuch:x", ORDERS], "nosuch"),
            ([self.store], "a store and a file of orders are wanted"),
            (["--workers", "0", self.store, ORDERS], "\"0\" is no number from 1 to 64"),
            (["--bogus", self.store, ORDERS], "unknown option --bogus"),
        ]
        for arguments, error in cases:
            done = run("--dir", self.folder, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout, done.stderr))
            self.assertIn(error, done.stderr)
            self.assertNotIn("terminate called", done.stderr)
        self.assertFalse(os.path.exists(self.folder + "/orders.db"), "nothing was written")

    def interrupted(self, command, number, moment, **environment):
        """Sends a signal at a moment: a predicate of a line of output and of the programs that run. All must end."""
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True, env={**os.environ, **environment},
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        line, programs = moment
        said = ""
        while line not in said:
            more = program.stdout.readline()
            self.assertTrue(more, f"it ended before that moment: {said}{program.stderr.read() if not more else ''}")
            said += more
        while not programs <= {name_of(process) for process in of_session(program.pid)}:
            self.assertIsNone(program.poll(), "it ended before that moment")
            time.sleep(0.01)
        began = time.monotonic()
        program.send_signal(number)
        program.communicate(timeout=60)
        took = time.monotonic() - began
        self.assertEqual(of_session(program.pid), [], "children outlived the program")
        self.assertEqual(program.returncode, 130)
        self.assertLess(took, 10)  # a second; the rest is for slow machines

    AT_WORK = ("orders finished", {"stile-orders"})
    JUDGING = ("Judging the store", {"stile-conforman"})

    def test_an_interrupt_ends_all_children(self):
        for number in (signal.SIGINT, signal.SIGHUP):
            folder = tempfile.mkdtemp(dir=self.folder)
            self.interrupted([PROGRAM, "--dir", folder, "--plain", f"sqlite:{folder}/orders.db", ORDERS], number,
                             self.AT_WORK)

    def test_an_interrupted_run_leaves_nothing_in_somebodys_store(self):
        self.interrupted([PROGRAM, "--dir", self.folder, "--plain", "--clean", "--orders", "100", self.store, ORDERS],
                         signal.SIGTERM, self.AT_WORK)
        again = run("--dir", tempfile.mkdtemp(dir=self.folder), "--orders", "10", "--kills", "0", self.store, ORDERS)
        self.assertIn("10 of 10 finished", again.stdout)
        self.assertNotIn("not in the ledger", again.stdout)

    def test_the_script_ends_with_all_its_processes_and_its_folder(self):
        with open(ORDERS, encoding="utf-8", newline="") as file:
            rows = list(itertools.islice(csv.reader(file), 151))
        some = os.path.join(self.folder, "some.csv")
        with open(some, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        for number, moment in ((signal.SIGINT, self.AT_WORK), (signal.SIGTERM, self.JUDGING)):
            self.interrupted([DEMO, some], number, moment, STILE_DEMO_BUILD=BUILD, TMPDIR=self.folder)
            self.assertEqual(self.left_of_the_script(), [])

    def left_of_the_script(self):
        return [name for name in os.listdir(self.folder) if name.startswith("stile-demo.")]

    def test_the_script_refuses_before_it_installs_or_builds(self):
        secret = "pg://me:SECRET@host"
        for arguments, error in [(["--bogus"], "unknown option"), (["a.csv", "b.csv"], "two files"),
                                 ([secret, secret], "two stores: '***@host'"), (["--" + secret], "'***@host'"),
                                 ([secret + "/x.csv"], "***@host/x.csv: No such"),
                                 (["memory:?password=SECRET"], "the store memory:?password=*** lives")]:
            done = subprocess.run([DEMO, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout, done.stderr))
            self.assertIn(error, done.stderr)
            self.assertNotIn("SECRET", done.stderr)
            self.assertEqual(done.stdout, "")
        # As the program says it, which is there only afterwards.
        for config, file in [("memory:", ORDERS), (self.store, self.folder + "/none.csv"), (self.store, self.folder),
                             (self.store, self.file("e.csv", b"")), (self.store, self.file("b.csv", b"a\n\0b\0"))]:
            before = subprocess.run([DEMO, config, file], capture_output=True, text=True, timeout=60)
            after = run("--dir", tempfile.mkdtemp(dir=self.folder), config, file)
            self.assertEqual((before.returncode, after.returncode, before.stdout), (2, 2, ""))
            said = after.stderr.replace("?namespace=orders-demo", "")
            self.assertEqual(before.stderr, said.replace("orders: ", "demo: ", 1))
        done = subprocess.run([DEMO, "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage: packaging/demo", done.stdout)

    def test_the_script_shows_all_of_it(self):
        done = subprocess.run([DEMO, "--quick", self.store, ORDERS], capture_output=True, text=True, timeout=200,
                              env={**os.environ, "STILE_DEMO_BUILD": BUILD, "TMPDIR": self.folder})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("PROVEN", done.stdout)
        self.assertIn("Try next:", done.stdout)
        self.assertEqual(self.left_of_the_script(), [])

    def test_progress_is_shown_to_a_terminal_only(self):
        log, go_on = self.file("log", b""), self.file("go", b"")
        steps = f"echo '[7/90] Building x'; until [ -e {go_on} ]; do sleep 0.05; done; echo ' 9/95 Test  #9: y'"
        script = f". {os.path.dirname(DEMO)}/progress.sh; ({steps}; sleep 2; exit 3) >{log} & follow $! {log} word"
        plain = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, timeout=60)
        self.assertEqual((plain.returncode, plain.stdout), (3, b""))
        os.remove(go_on)
        ours, theirs = pty.openpty()
        process = subprocess.Popen(["bash", "-c", script], stdout=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(ours, 4096):
                shown += more
                if b"word [7/90]" in shown:
                    self.file("go", b"")
        except OSError:  # how a terminal says that nobody writes any more
            pass
        os.close(ours)
        self.assertEqual(process.wait(60), 3)
        self.assertIn(b"\r\033[Kword [9/95]\r\033[K", shown)


unittest.main(argv=[sys.argv[0], "-v"])
