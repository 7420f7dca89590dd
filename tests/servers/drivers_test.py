#!/usr/bin/env python3
"""Drivers that lie, hang, die and answer garbage get a verdict, the suite never hangs, and nothing is left behind.

Usage: drivers_test.py SUITE SQLITE-DRIVER EXAMPLE-DRIVER UNSYNCED-PLUGIN [-k PART]
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SUITE, REAL, EXAMPLE, UNSYNCED = sys.argv[1:5]
BAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bad_driver.py")


def bad(how, word):
    return shlex.join([sys.executable, BAD, how, word, REAL])


def descendants_of_groups(marker):
    """Processes that still carry the run's marker in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if marker.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            continue
    return found


class Drivers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.marker = "STILE_DRIVERS_TEST=" + os.path.basename(self.folder.name)
        name, value = self.marker.split("=")
        self.environment = dict(os.environ, TMPDIR=self.folder.name, **{name: value})

    def tearDown(self):
        self.nothing_is_left()
        self.folder.cleanup()

    def nothing_is_left(self):
        """What was killed is gone in a moment, and on a busy machine a moment is long."""
        for _ in range(1500):
            if not descendants_of_groups(self.marker):
                return
            time.sleep(0.02)
        self.fail(f"processes are left: {descendants_of_groups(self.marker)}")

    def run_suite(self, driver, *arguments, only="Servers.killed_under_load", within=300):
        report = self.folder.name + "/report.json"
        command = [SUITE, "--driver", driver, "--only", only, "--seed", "1", "--report", report, *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=within)
        said = None
        if os.path.exists(report):
            with open(report, encoding="utf-8") as file:
                said = json.load(file)["checks"][0]
        return done, said

    def fails(self, driver, *texts, only="Servers.killed_under_load"):
        """On a store of this tree, so that the driver does not have to start one for the whole run."""
        config = f"sqlite:{self.folder.name}/other.db"
        done, said = self.run_suite(driver, config, only=only)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(said["verdict"], "failed", said)
        for text in texts:
            self.assertIn(text, said["text"])
        return said

    def test_0_a_driver_that_hangs(self):
        self.fails(bad("hangs", "start"), "did not answer start within 30 s")

    def test_a_driver_that_does_nothing(self):
        self.fails(bad("nothing", "kill"), "did not bite", "kills")
        self.fails(bad("nothing", "cut_power"), "did not bite", only="Servers.power_cut")
        self.fails(bad("nothing", "freeze"), "did not bite", only="Servers.frozen_longer_than_a_lease")
        self.fails(bad("nothing", "clock"), "did not bite", only="Servers.clock_stepped")

    def test_a_driver_that_fills_nothing(self):
        if os.geteuid() == 0:
            self.fails(bad("nothing", "read_only"), "did not bite", only="Servers.read_only")

    def test_garbage(self):
        self.fails(bad("garbage", "kill"), "kill", "no object")
        self.fails(bad("list", "hello"), "hello", "no object")
        self.fails(bad("endless", "start"), "without an end")

    def test_a_driver_that_refuses_says_why(self):
        self.fails(bad("refuses", "kill"), "could not do kill", "the rack is on fire")

    def test_a_driver_that_dies_says_its_last_words(self):
        self.fails(bad("dies", "kill"), "it ended", "I am going")

    def test_a_driver_that_is_not_there(self):
        self.fails("/nowhere/driver", "it ended", "nowhere")

    def test_a_driver_that_answers_other_things(self):
        self.fails(bad("liar", "start"), "without a config string")

    def test_without_config_its_failure_is_told(self):
        done, _ = self.run_suite(bad("refuses", "start"))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("the rack is on fire", done.stderr)

    def test_a_process_that_a_driver_loses_is_ended(self):
        done, said = self.run_suite(bad("daemon", "start"), only="Servers.demoted")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_loss_is_found(self):
        said = self.fails(bad("loses", "kill"), "do not agree")
        self.assertIn("B8", said["broken"])

    def test_a_store_that_does_not_sync_loses_by_a_power_cut(self):
        done, said = self.run_suite(REAL, "--plugin", UNSYNCED, only="Servers.power_cut")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("acknowledged and not there", said["text"])
        self.assertIn("B8", said["broken"])

    def test_the_example(self):
        driver = shlex.join([sys.executable, EXAMPLE, "sqlite:FOLDER/store.db"])
        done, said = self.run_suite(driver)
        self.assertEqual((done.returncode, said["verdict"]), (0, "passed"), done.stdout + done.stderr)
        done, said = self.run_suite(driver, only="Servers.full")
        self.assertEqual((done.returncode, said["verdict"]), (0, "declared absent"), done.stdout + done.stderr)

    def test_an_interrupt_ends_everything(self):
        for moment in ("start", "kill"):
            command = [SUITE, "--driver", bad("hangs", moment), "--only", "Servers.killed_under_load"]
            if moment == "kill":  # one server of the run, and one of the check
                command = [SUITE, "--driver", REAL, "--only", "Servers.killed_under_load", "--scale", "1000"]
            with subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True) as suite:
                self.wait_for_processes(8 if moment == "kill" else 4)
                suite.send_signal(signal.SIGINT)
                said, _ = suite.communicate(timeout=60)
                self.assertEqual(suite.returncode, 130, said)
            self.nothing_is_left()
            self.assertEqual(os.listdir(self.folder.name), [])

    def wait_for_processes(self, count):
        for _ in range(3000):
            if len(descendants_of_groups(self.marker)) >= count:
                return
            subprocess.run(["sleep", "0.02"], check=True)
        self.fail("the run does not begin")


def run_one(test):
    result = unittest.TestResult()
    test.run(result)
    return test, result


def main():
    """Beside each other: most of them wait for something that does not come."""
    part = sys.argv[6] if len(sys.argv) > 6 else ""
    tests = [test for test in unittest.defaultTestLoader.loadTestsFromTestCase(Drivers) if part in test.id()]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for test, result in pool.map(run_one, tests):
            print("ok" if result.wasSuccessful() else "FAILED", test.id(), flush=True)
            for _, text in result.failures + result.errors:
                print(text)
            bad += not result.wasSuccessful()
    print(f"{len(tests) - bad} passed, {bad} failed")
    sys.exit(1 if bad or not tests else 0)


if __name__ == "__main__":
    main()
