"""`stile bench`: it ends by itself, says what it found, and stops when it is told to.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from support import PATIENCE, STILE, in_time, run

FIGURES = {"workload", "unit", "callers", "batch", "jobs", "seconds", "rate", "median_us", "p99_us", "worst_us",
           "trips_per_job", "syncs_per_job", "bytes_per_job", "cpu_percent", "class"}
# A config string of a store that processes share, with {folder} in it; empty where none is built.
SHARED = os.environ.get("STILE_SHARED", "")


def bench(config, *options, time="60ms"):
    done = run("bench", config, "--time", time, "--records", "300", "--json", *options)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


class Bench(unittest.TestCase):
    def test_figures_of_every_usual_kind(self):
        told = bench("memory:", "--concurrency", "1,3", "--batch", "1,8")
        self.assertEqual((told["class"], told["processes"]), ("volatile", 1))
        self.assertTrue(told["durability"])
        seen = {(row["workload"], row["callers"], row["batch"]) for row in told["rows"]}
        batched = {"enqueue", "receive+ack", "pass", "run-once", "record"}
        wanted = {(name, callers, batch) for name in batched for callers in (1, 3) for batch in (1, 8)}
        self.assertEqual(seen, wanted | {("load", 1, 1), ("load", 3, 1)})
        for row in told["rows"]:
            self.assertEqual(set(row), FIGURES)
            self.assertGreater(row["jobs"], 0, row)
            self.assertAlmostEqual(row["rate"], row["jobs"] / row["seconds"], delta=1 + row["rate"] / 1000)
            self.assertLessEqual(row["median_us"], row["p99_us"])
            self.assertLessEqual(row["p99_us"], row["worst_us"])
        one, many = [row for row in told["rows"] if (row["workload"], row["callers"]) == ("record", 1)]
        self.assertAlmostEqual(one["trips_per_job"], 1, delta=0.2)
        self.assertLess(many["trips_per_job"], 0.2)

    def test_the_other_kinds(self):
        told = bench("memory:", "--only", "run-once-contended,pickup,idle", "--concurrency", "2", "--batch", "1")
        self.assertEqual([row["workload"] for row in told["rows"]], ["run-once-contended", "pickup", "idle"])
        self.assertGreater(told["rows"][1]["median_us"], 0)

    def test_work_that_runs_out_is_added_to(self):
        def longest():
            told = bench("memory:", "--only", "receive+ack,pass", "--concurrency", "2", "--batch", "64", time="1s")
            for row in told["rows"]:
                self.assertGreaterEqual(row["seconds"], 1, row)
            return max(row["seconds"] for row in told["rows"])

        in_time(2, longest)  # what adding takes is not measured

    def test_a_table_and_a_plot(self):
        done = run("bench", "memory:", "--time", "30ms", "--only", "record", "--concurrency", "1", "--batch", "1")
        self.assertEqual(done.returncode, 0)
        for text in ("rate/s", "median", "p99", "syncs/job", "volatile", "record", "####"):
            self.assertIn(text, done.stdout)
        self.assertIn("bench 1/1: record, 1 caller, one a call", done.stderr)

    def test_a_bare_loop_beside_it(self):
        with tempfile.TemporaryDirectory() as folder:
            told = bench("memory:", "--only", "record", "--concurrency", "1", "--batch", "1", "--baseline-dir", folder)
            self.assertGreater(told["append_rate"], 0)
            self.assertEqual(set(told["rows"][0]), FIGURES | {"append_rate"})
            self.assertEqual(os.listdir(folder), [])
        self.assertNotEqual(run("bench", "memory:", "--time", "10ms", "--baseline-dir", "/nowhere").returncode, 0)

    def test_usage(self):
        for options in (("--only", "nope"), ("--time", "0"), ("--concurrency", "0"), ("--concurrency", "x"),
                        ("--batch", "1,,2"), ("--processes", "0"), ("--records", "0"), ("--payload", "-1"),
                        ("--processes", "2")):
            done = run("bench", "memory:", *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
            self.assertIn("stile bench: ", done.stderr)

    def test_told_to_stop_it_prints_what_it_has(self):
        in_time(1, self.stopped)

    def stopped(self):
        process = subprocess.Popen([STILE, "bench", "memory:", "--only", "record,idle", "--time", "2s", "--concurrency",
                                    "1", "--batch", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while "bench 2/2" not in (line := process.stderr.readline()):
            self.assertTrue(line, "it ended")
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        took = time.monotonic() - begin
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertNotIn("idle", out)
        return took if "record" in out else PATIENCE  # after 0.7 s it ends whatever it is at


class SharedStore(unittest.TestCase if SHARED else object):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.config = SHARED.format(folder=self.folder.name)

    def test_several_processes(self):
        told = bench(self.config, "--processes", "2", "--only", "run-once,pass,pickup,load", "--concurrency", "2",
                     "--batch", "8")
        self.assertEqual(told["processes"], 2)
        self.assertEqual(len(told["rows"]), 4)
        for row in told["rows"]:
            self.assertGreater(row["jobs"], 0)
            self.assertEqual(set(row), FIGURES | {"slowest_share"})
        self.assertEqual(told["rows"][0]["class"], "durable")
        self.assertGreater(told["rows"][0]["syncs_per_job"], 0)
        self.assertGreater(told["rows"][0]["bytes_per_job"], 0)

    def test_it_removes_what_it_wrote(self):
        bench(self.config, "--namespace", "mine", "--only", "record,run-once,enqueue", "--concurrency", "2")
        config = self.config + ("&" if "?" in self.config else "?") + "namespace=mine"
        left = json.loads(run("call", config, "stats").stdout)
        self.assertEqual([left[name] for name in ("workflows", "ready", "documents")], [0, 0, 0])

    def test_told_to_stop_it_ends_its_processes(self):
        in_time(2, self.stopped)

    def stopped(self):
        process = subprocess.Popen([STILE, "bench", self.config, "--processes", "2", "--only", "idle", "--time", "1h"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertIn("bench 1/", process.stderr.readline())
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)  # until nobody holds its output any more: its processes ended too
        took = time.monotonic() - begin
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        return took


if __name__ == "__main__":
    unittest.main()
