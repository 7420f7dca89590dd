"""A run that is interrupted: what was judged is told, and nothing of it goes on.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import subprocess
import time
import unittest

from runner_test import PATIENCE, SUITE, WICKED, Folder


class Interrupted(Folder):
    def begin(self, way, **streams):
        with open(self.path("two.case"), "w", encoding="utf-8") as file:
            file.write('# Fails.  K1\ncase wicked.first\nget other -> ok\n\n'
                       '# Hangs.  K1\ncase wicked.second\nget trap -> ok\n')
        process = subprocess.Popen([SUITE, "--plugin", WICKED, "wicked:" + way, "--cases", self.path("two.case"),
                                    "--timeout-multiplier", "100", "--report", self.path("run.json")], **streams)
        self.addCleanup(process.kill)
        return process

    def test_an_interrupted_run_tells_what_was_judged(self):
        process = self.begin("hang", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = ""
        while "failed: wicked.first" not in said:
            line = process.stderr.readline()
            self.assertTrue(line, said)
            said += line
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted; 1 check was judged", said)
        self.assertIn("Interrupted: only what was judged until then", out)
        self.assertIn("wicked.first: get other: expected status ok", out)
        told = json.loads(self.written("run.json"))
        self.assertFalse(told["complete"] or told["conformant"])
        self.assertEqual([check["name"] for check in told["checks"]], ["wicked.first"])

    def test_nothing_outlives_an_interrupted_run(self):
        process = self.begin("orphans", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def below():
            """The processes that the suite's own has made, by their command line, which they share."""
            found = []
            for entry in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{entry}/cmdline", "rb") as line:
                        words = line.read()
                except OSError:
                    continue
                if os.fsencode(self.path("two.case")) in words and int(entry) != process.pid:
                    found.append(int(entry))
            return found

        def is_to_be_an_orphan(number):
            try:
                return os.getsid(number) == number
            except ProcessLookupError:
                return False

        end = time.monotonic() + PATIENCE
        while not any(map(is_to_be_an_orphan, below())):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)
        self.assertEqual(below(), [])


if __name__ == "__main__":
    unittest.main()
