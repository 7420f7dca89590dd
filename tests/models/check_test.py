#!/usr/bin/env python3
"""The program that searches the models: a fault in a model, in a twin or in the search itself does not pass.

Usage: check_test.py CONFORMANCE/MODELS/CHECK
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CHECK = sys.argv.pop(1)
QUICK = "suspend.dead_letters"


class Check(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="stile-check-test.")
        self.addCleanup(shutil.rmtree, self.top)
        self.scratch = os.path.join(self.top, "scratch")
        os.mkdir(self.scratch)
        self.models = shutil.copytree(os.path.dirname(CHECK), os.path.join(self.top, "models"))

    def command(self, *arguments):
        return [sys.executable, os.path.join(self.models, "check"), *arguments]

    def run_check(self, *arguments, **environment):
        return subprocess.run(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "TMPDIR": self.scratch, **environment}, timeout=300)

    def change(self, name, before, after):
        path = os.path.join(self.models, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(before, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(before, after))

    def test_leaves_nothing_when_all_is_well(self):
        done = self.run_check(QUICK, "suspend.answer_by_workflow")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^suspend\.dead_letters +holds +[\d,]+ states, depth \d+, exhaustive")
        self.assertRegex(done.stdout, r"(?m)^suspend\.answer_by_workflow +as it must breaks D2 at suspend\.pml:\d+")
        self.assertTrue(done.stdout.endswith("2 passed, 0 failed\n"), done.stdout)
        self.assertEqual(os.listdir(self.scratch), [])

    def test_a_model_that_is_wrong_fails_and_its_trail_replays(self):
        self.change("suspend.pml", "        wakeup = deferred\n", "        skip\n")
        done = self.run_check(QUICK)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("0 passed, 1 failed", done.stdout)
        replay = shlex.split(re.search(r"replay: (.*)", done.stdout).group(1))
        replayed = subprocess.run(replay, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.scratch)
        self.assertIn("START OF CYCLE", replayed.stdout)

    def test_a_twin_that_holds_fails(self):
        self.change("suspend.pml", "#ifdef BROKEN_answer_by_workflow", "#ifdef BROKEN_nothing")
        done = self.run_check("suspend.answer_by_workflow")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("it holds, but it must not", done.stdout)

    def test_a_twin_that_breaks_something_else_fails(self):
        self.change("suspend.pml", "/* D2, D4:", "/* D4:")
        done = self.run_check("suspend.answer_by_workflow")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("not for what it is there for (D2)", done.stdout)

    def test_a_search_that_is_cut_short_fails(self):
        self.change("check", "DEPTH = 100000", "DEPTH = 60")
        done = self.run_check(QUICK)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("not exhaustive: max search depth too small", done.stdout)

    def test_a_model_that_does_not_move_fails(self):
        self.change("suspend.pml", "(me == 0 || holds[0] != 0)", "false")
        done = self.run_check(QUICK)
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_a_model_that_cannot_be_read_fails_with_the_place(self):
        self.change("suspend.pml", "proctype Clock() {", "proctype Clock( {")
        done = self.run_check(QUICK)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"spin refuses the model(.|\n)*suspend\.pml:\d+")

    def test_says_what_is_missing(self):
        done = self.run_check(QUICK, PATH=self.scratch)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("no 'spin' here: packaging/install-deps", done.stdout)

    def test_usage(self):
        for arguments in (["nothing"], ["--model", "nothing"], ["--show", QUICK], ["--nothing"]):
            self.assertEqual(self.run_check(*arguments).returncode, 2, arguments)
        self.assertEqual(self.run_check("--help").returncode, 0)

    def test_shows_a_counterexample(self):
        done = self.run_check("--show", "suspend.answer_by_workflow")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"broken, at line \d+: assert\(receipt == receipt_\)")

    def test_ends_at_once_and_tidily_when_interrupted(self):
        process = subprocess.Popen(self.command("lease", "cancel"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={**os.environ, "TMPDIR": self.scratch})
        bound = time.monotonic() + 60
        while not os.listdir(self.scratch) and time.monotonic() < bound:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, output)
        self.assertEqual(os.listdir(self.scratch), [])


unittest.main(verbosity=2)
