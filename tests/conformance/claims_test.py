"""What a run may claim: forged certificates, too little work, reports that cannot be written.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import unittest

from runner_test import SLOWER, TRAP, WICKED, Folder, run, wicked


class Certified(Folder):
    """A certificate of this run, and what becomes of it when it is edited."""

    def certify(self, *args):
        done = run(*args, "--report", self.path("run.json"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.told = json.loads(self.written("run.json"))
        return done

    def verify(self, *args, env=None, **changed):
        with open(self.path("other.json"), "w", encoding="utf-8") as file:
            json.dump({**self.told, **changed}, file)
        return run("--verify", self.path("other.json"), "--timeout-multiplier", SLOWER, *args, env=env)


class PluginFiles(Certified):
    def setUp(self):
        super().setUp()
        self.certify("--plugin", WICKED, "wicked:honest", "--cases", TRAP)
        self.env = {**os.environ, "WICKED_MARK": self.path("mark")}

    def refused(self, said, **plugin):
        done = self.verify(env=self.env, plugin={**self.told["plugin"], **plugin})
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("not loaded", done.stderr)
        self.assertIn(said, done.stderr)
        self.assertFalse(os.path.exists(self.path("mark")), "some of it ran")

    def test_of_another_build_none_of_its_code_runs(self):
        self.refused("its build id is", build_id="00ff")
        self.refused("its build id is", build_id="")
        self.refused("No such file", file=self.path("none.so"))
        self.refused("it is no library", file=os.path.abspath(__file__))
        done = self.verify("--plugin", WICKED, env=self.env, plugin={**self.told["plugin"], "build_id": "00ff"})
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("cannot be verified here: the plugin's build id", done.stderr)
        self.assertTrue(os.path.exists(self.path("mark")), "its user named it")

    def test_of_the_same_build_it_runs(self):
        done = self.verify(env=self.env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(os.path.exists(self.path("mark")))


class Amounts(Certified):
    def test_what_the_command_line_refuses_no_certificate_tells(self):
        self.certify("--plugin", WICKED, "wicked:honest", "--cases", TRAP)
        for member, wrong in (("time", -5), ("time", 10**18), ("time", 0.5), ("scale", 0), ("scale", 10**9),
                              ("scale", -1), ("level", 0), ("level", 5), ("seeds", [0]), ("sequence", -1),
                              ("seeds", ["x"]), ("cut", -1), ("cut", "many")):
            done = self.verify(**{member: wrong})
            self.assertEqual(done.returncode, 2, f"{member} {wrong}: {done.stdout}{done.stderr}")
            self.assertIn("is no certificate of this program", done.stderr)
            self.assertLess(max(map(len, done.stderr.splitlines())), 400)

    def test_less_than_the_usual_work_is_no_judgement(self):
        store = ("memory:?clock=manual", "--only", "Random.*", "--seed", "7", "--timeout-multiplier", SLOWER)
        self.certify(*store, "--time", "10ms")
        self.assertEqual((self.told["complete"], self.told["conformant"]), (False, False))
        self.assertEqual(self.told["cut"], len(self.told["checks"]))
        self.assertTrue(all(check["cut"] for check in self.told["checks"]))
        self.assertEqual(self.verify().returncode, 0, "it claims nothing")
        for claim in ({"complete": True}, {"conformant": True}):
            self.assertIn("contradicts itself", self.verify(**claim).stderr)
        done = self.verify(cut=0)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("cannot be verified here: it comes out the same, but of less work", done.stderr)
        self.certify(*store)
        self.assertEqual(self.told["cut"], 0, "by itself it does the usual work")


class Outputs(Folder):
    def refused(self, said, *args):
        done = wicked("honest", "--cases", TRAP, *args)
        self.assertEqual(done.returncode, 2, f"{args}: {done.stdout}{done.stderr}")
        self.assertIn(said, done.stderr)
        self.assertEqual(done.stdout, "", "before anything was judged")

    def test_what_cannot_be_written_is_said_first(self):
        os.symlink(self.path("loop.json"), self.path("loop.json"))
        os.mkfifo(self.path("pipe"))
        for option in ("--report", "--junit"):
            self.refused("empty text", option, "")
            self.refused("File name too long", option, self.path("x" * 300))
            self.refused("Too many levels of symbolic links", option, self.path("loop.json"))
            self.refused("cannot be written", option, "/proc/x.json")
            self.refused("No space left on device", option, "/dev/full")
            self.refused("it is a folder", option, self.folder.name)
            self.refused("nobody reads it", option, self.path("pipe"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["loop.json", "pipe"], "and nothing is left of the try")

    def test_two_of_one_file_are_refused(self):
        os.symlink(self.path("new"), self.path("link"))
        for other in ("new", "link", "./new"):
            self.refused("it is the file of --report", "--report", self.path("new"), "--junit", self.path(other))
        self.assertEqual(os.listdir(self.folder.name), ["link"])
        done = wicked("honest", "--cases", TRAP, "--report", "/dev/null", "--junit", "/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_the_run_reads_is_not_written_over(self):
        with open(self.path("own.case"), "w", encoding="utf-8") as file:
            file.write("# Nothing.  K1\ncase own.one\nget a -> not_found\n")
        before = self.written("own.case")
        done = run("memory:", "--cases", self.path("own.case"), "--report", self.path("own.case"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("read by this very command", done.stderr)
        with open(self.path("h.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"client":"1","call":1,"place":0,"invoke":10,"op":"get","key":"k"}\n')
        done = run("judge", "--report", self.path("h.jsonl"), self.path("h.jsonl"))
        self.assertEqual(done.returncode, 2)
        self.assertIn('"client"', self.written("h.jsonl"))
        self.assertEqual(run("judge", "--report", "", self.path("h.jsonl")).returncode, 2)
        self.assertEqual(self.written("own.case"), before)

    def test_a_refused_run_leaves_the_report_of_another(self):
        with open(self.path("run.json"), "w", encoding="utf-8") as file:
            file.write("of before")
        self.refused("cannot be written", "--report", self.path("run.json"), "--junit", "/proc/x")
        self.assertEqual(self.written("run.json"), "of before")

    def test_a_page_is_one_however_its_name_is_spelt(self):
        done = wicked("honest", "--cases", TRAP, "--report", self.path("run.HTML"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.written("run.HTML").startswith("<!"))

    def test_a_pipe_that_is_read_gets_all_of_it(self):
        os.mkfifo(self.path("pipe"))
        reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        done = wicked("honest", "--cases", TRAP, "--report", self.path("pipe"))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = b""
        while piece := os.read(reader, 1 << 16):
            text += piece
        self.assertEqual(json.loads(text)["certificate"], "stile-conformance")


class Tables(Folder):
    def test_columns_stand_below_each_other(self):
        done = run("memory:?clock=manual", "--only", "B7", "--only", "B9", "--only", "K1")
        rows = [line for line in done.stdout.splitlines() if line[:2] in ("id", "B7", "B9", "K1")]
        self.assertGreaterEqual(len(rows), 4, done.stdout)
        self.assertTrue(any("–" in row for row in rows), "one with a dash")
        self.assertEqual({len(row) for row in rows}, {len(rows[0])}, "\n".join(rows))


if __name__ == "__main__":
    unittest.main()
