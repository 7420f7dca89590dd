"""Every program with a standard output that takes nothing, with standard streams that are closed, and ended by signals.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import subprocess
import tempfile
import unittest

from support import PATIENCE, wait_for

BIN = os.path.dirname(os.environ["STILE"])
HISTORY = ('{"client":"17.1","call":1,"place":0,"invoke":10,"op":"get","key":"k"}\n'
           '{"client":"17.1","call":1,"place":0,"return":20,"status":"not_found"}\n')
QUICK = ("--time", "1ms", "--only", "run-once", "--batch", "1", "--concurrency", "1")
SAYING = [  # and the exit status when nothing of it can be written
    (1, "stile", "--help"), (1, "stile", "--version"), (1, "stile", "bench", "--help"), (1, "stile", "plugins"),
    (1, "stile", "plugins", "--json"), (1, "stile", "info", "memory:"), (1, "stile", "info", "memory:", "--json"),
    (1, "stile", "prepare", "memory:"), (1, "stile", "prepare", "memory:", "--json"),
    (1, "stile", "explain"), (1, "stile", "explain", "A4"), (1, "stile", "explain", "fenced", "--json"),
    (1, "stile", "call", "memory:", "stats"), (1, "stile", "call", "memory:"),
    (1, "stile", "bench", "memory:", *QUICK),
    (1, "stile", "bench", "memory:", *QUICK, "--json"),
    (2, "stile-conformance", "--help"), (2, "stile-conformance", "--version"), (2, "stile-conformance", "--list"),
    (2, "stile-conformance", "--list", "--json"), (2, "stile-conformance", "--gtest_list_tests"),
    (2, "stile-conformance", "memory:", "--only", "lease.free_is_granted"),
    (2, "stile-conformance", "memory:", "--only", "lease.free_is_granted", "--json"),
    (2, "stile-conformance", "judge", "--help"), (2, "stile-conformance", "judge", "history.jsonl"),
    (2, "stile-conformance", "judge", "--json", "history.jsonl"),
    (1, "stile-orders", "--help"), (1, "stile-quickstart", "memory:"),
]


def closing(*numbers):
    def close():
        for number in numbers:
            os.close(number)
    return close


def plain_signals():
    # A test that was started under nohup or in the background would hand its ignored signals on.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Output(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stile-output.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "history.jsonl"), "w", encoding="utf-8") as file:
            file.write(HISTORY)

    def run_program(self, program, *arguments, **options):
        return subprocess.run([os.path.join(BIN, program), *arguments], cwd=self.folder, timeout=PATIENCE,
                              stderr=subprocess.PIPE, text=True, **options)

    def test_output_that_cannot_be_written_is_told(self):
        for status, program, *arguments in SAYING:
            with self.subTest(command=[program, *arguments]), open("/dev/full", "w", encoding="utf-8") as full:
                done = self.run_program(program, *arguments, stdout=full, input='{"op":"stats"}\n')
                self.assertEqual(done.stderr.count(f"{program}: stdout: No space left on device\n"), 1, done.stderr)
                self.assertEqual(done.returncode, status, done.stderr)

    def test_output_that_is_closed_is_told(self):
        for status, program, *arguments in SAYING:
            with self.subTest(command=[program, *arguments]):
                done = self.run_program(program, *arguments, preexec_fn=closing(1), input='{"op":"stats"}\n')
                self.assertEqual(done.stderr.count(f"{program}: stdout: Bad file descriptor\n"), 1, done.stderr)
                self.assertEqual(done.returncode, status, done.stderr)

    def test_a_status_of_its_own_is_kept(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.run_program("stile", "prepare", "memory:", "--check", "--json", stdout=full)
        self.assertEqual((done.returncode, done.stderr), (21, "stile: stdout: No space left on device\n"))

    def test_a_reader_that_goes_is_no_error(self):
        for status, program, *arguments in SAYING:
            with self.subTest(command=[program, *arguments]):
                ours, theirs = os.pipe()
                os.close(ours)
                done = self.run_program(program, *arguments, stdout=theirs, input='{"op":"stats"}\n')
                os.close(theirs)
                self.assertNotIn("stdout", done.stderr)
                self.assertIn(done.returncode, (0, 1, -signal.SIGPIPE))

    def test_an_input_that_is_closed_is_empty(self):
        for config in ("memory:", os.environ.get("STILE_SHARED", "memory:").replace("{folder}", self.folder)):
            done = self.run_program("stile", "call", config, stdout=subprocess.PIPE, preexec_fn=closing(0))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_without_any_stream_every_program_ends_and_writes_into_nothing_of_its_own(self):
        for status, program, *arguments in SAYING:
            with self.subTest(command=[program, *arguments]):
                done = subprocess.run([os.path.join(BIN, program), *arguments], cwd=self.folder, timeout=PATIENCE,
                                      preexec_fn=closing(0, 1, 2))
                self.assertEqual(done.returncode, 0 if arguments == ["call", "memory:"] else status)
        self.assertEqual(os.listdir(self.folder), ["history.jsonl"])

    def test_the_list_of_cases_as_json(self):
        told = json.loads(self.run_program("stile-conformance", "--list", "--json", "--only", "A4",
                                           stdout=subprocess.PIPE).stdout)
        self.assertGreater(len(told["cases"]), 1)
        for case in told["cases"]:
            self.assertEqual(set(case), {"name", "ids", "about"})
            self.assertIn("A4", case["ids"])
            self.assertIn(".", case["name"])
            self.assertTrue(case["about"])


class Statuses(unittest.TestCase):
    def test_a_store_that_does_not_open_has_one_status_everywhere(self):
        if "STILE_SHARED" not in os.environ:
            return  # no store that keeps files in this build
        with tempfile.TemporaryDirectory(prefix="stile-output.") as folder:
            config = os.environ["STILE_SHARED"].replace("{folder}", folder + "/none")
            orders = os.path.join(folder, "orders.csv")
            with open(orders, "w", encoding="utf-8") as file:
                file.write("order_id,customer,item,quantity,unit_price\n1,A,tea,1,1\n")
            said = {}
            for program, *arguments in (("stile", "info", config), ("stile-conformance", config),
                                        ("stile-orders", "--dir", folder, config, orders)):
                done = subprocess.run([os.path.join(BIN, program), *arguments], capture_output=True, text=True,
                                      timeout=PATIENCE)
                self.assertIn("none", done.stderr)
                said[program] = done.returncode
            self.assertEqual(len(set(said.values())), 1, said)
            self.assertNotIn(1, said.values())


def children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def lives(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


class Signals(unittest.TestCase):
    def begin(self, *arguments, preparing=plain_signals):
        process = subprocess.Popen([os.path.join(BIN, arguments[0]), *arguments[1:]], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=preparing)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_the_suite_ends_cleanly_on_each(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process = self.begin("stile-conformance", "memory:")
                some = wait_for(lambda: children(process.pid))
                process.send_signal(number)
                _, said = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 130, said)
                self.assertIn("stile-conformance: interrupted", said)
                for child in some:
                    wait_for(lambda: not lives(child))

    def test_stile_ends_cleanly_on_each(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process = self.begin("stile", "bench", "memory:", "--time", "60s", "--only", "run-once")
                wait_for(lambda: process.stderr.readline().startswith("bench 1/"))
                process.send_signal(number)
                process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 128 + number)

    def test_a_hangup_that_is_ignored_stays_ignored(self):
        def nohup():
            plain_signals()
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        for arguments in (("stile-conformance", "memory:", "--only", "A4"),
                          ("stile", "bench", "memory:", "--time", "1s", "--only", "run-once", "--batch", "1",
                           "--concurrency", "1")):
            with self.subTest(command=arguments):
                process = self.begin(*arguments, preparing=nohup)
                wait_for(lambda: os.path.exists(f"/proc/{process.pid}/fd/3"))
                process.send_signal(signal.SIGHUP)
                process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
