"""The program stile: plugins, info, prepare, explain, help, version, exit statuses.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pty
import re
import subprocess
import tempfile
import unittest

from support import PATIENCE, STILE, run

COMMANDS = ("call", "plugins", "info", "prepare", "explain", "bench")


class Program(unittest.TestCase):
    def test_version(self):
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^stile [0-9]+\.[0-9]+\.[0-9]+")

    def test_help_everywhere_with_examples(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for command in COMMANDS:
            self.assertIn(command, done.stdout)
            one = run(command, "--help")
            self.assertEqual(one.returncode, 0)
            self.assertIn("Examples:\n  ", one.stdout)
            self.assertIn(f"stile {command}", one.stdout)

    def test_usage(self):
        for words in ((), ("nope",), ("call",), ("info",), ("info", "memory:", "extra"), ("plugins", "--nope"),
                      ("explain", "a", "b")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertTrue(done.stderr.startswith("stile"), done.stderr)
            self.assertIn("--help", done.stderr)

    def test_no_colours_but_on_a_terminal(self):
        self.assertNotIn("\033", run("explain", "A4").stdout)
        self.assertIn("\033", self.on_a_terminal({"TERM": "xterm"}))
        self.assertNotIn("\033", self.on_a_terminal({"TERM": "xterm", "NO_COLOR": "1"}))
        self.assertNotIn("\033", self.on_a_terminal({"TERM": "dumb"}))

    def on_a_terminal(self, env):
        ours, theirs = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        process = subprocess.Popen([STILE, "explain", "A4"], stdout=theirs, env={**environment, **env})
        os.close(theirs)
        text = b""
        try:
            while chunk := os.read(ours, 4096):
                text += chunk
        except OSError:  # how a terminal says that nobody writes any more
            pass
        os.close(ours)
        self.assertEqual(process.wait(PATIENCE), 0)
        return text.decode()


class Plugins(unittest.TestCase):
    def test_lists_what_is_good_and_what_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "broken.so")
            with open(broken, "w") as file:
                file.write("no library at all\n")
            path = f"{folder}:{os.environ['STILE_PLUGIN_PATH']}"
            told = json.loads(run("plugins", "--json", env={"STILE_PLUGIN_PATH": path}).stdout)
            by_path = {plugin["path"]: plugin for plugin in told["plugins"]}
            self.assertEqual(by_path[os.path.realpath(broken)]["verdict"], "not a library")
            self.assertTrue(by_path[os.path.realpath(broken)]["reason"])
            memory = [p for p in told["plugins"] if p.get("name") == "memory" and p["verdict"] == "good"]
            self.assertEqual(memory[0]["schemes"], ["memory"])
            self.assertIn(folder, [place["directory"] for place in told["places"]])
            text = run("plugins", env={"STILE_PLUGIN_PATH": path}).stdout
            self.assertIn("memory", text)
            self.assertIn("broken.so: ", text)

    def test_a_path_that_is_refused(self):
        self.assertEqual(run("plugins", env={"STILE_PLUGIN_PATH": "relative"}).returncode, 2)


class Stores(unittest.TestCase):
    def test_info(self):
        told = json.loads(run("info", "memory:", "--json").stdout)
        self.assertEqual(told["status"], "ok")
        text = run("info", "memory:").stdout
        for name in ("plugin", "durability", "capabilities", "limits", told["plugin"]):
            self.assertIn(name, text)

    def test_prepare(self):
        self.assertEqual(json.loads(run("prepare", "memory:", "--json").stdout), {"status": "ok", "migrated": True})
        self.assertIn("prepared", run("prepare", "memory:").stdout)
        unprepared = run("prepare", "memory:", "--check")
        self.assertEqual(unprepared.returncode, 10 + 11)
        self.assertIn("unprepared", unprepared.stderr)

    def test_info_of_what_is_unprepared(self):
        done = run("info", "memory:?prepare=never")
        self.assertEqual((done.returncode, done.stdout), (21, ""))
        self.assertIn("unprepared", done.stderr)

    def test_a_config_that_is_refused(self):
        for command in ("info", "prepare"):
            for config in ("nope:", "memory:?nope=1"):
                done = run(command, config)
                self.assertEqual((done.returncode, done.stdout), (2, ""))


class Explain(unittest.TestCase):
    def test_every_status(self):
        text = run("explain").stdout
        statuses = re.findall(r"^([a-z_]+) ", text, re.M)
        self.assertEqual(len(statuses), 24)
        for number, name in enumerate(statuses):
            told = json.loads(run("explain", name, "--json").stdout)
            exit_status = 10 + number if number else 0
            self.assertEqual((told["status"], told["number"], told["exit"]), (name, number, exit_status))
            self.assertIn(name, run("explain", str(number)).stdout)

    def test_every_promise(self):
        ids = re.findall(r"^([A-Z][0-9]+) ", run("explain").stdout, re.M)
        for letter, count in dict(A=14, B=14, C=8, D=11, W=10, I=5, E=8, K=8, T=7, R=7, S=5).items():
            for number in range(1, count + 1):
                self.assertIn(f"{letter}{number}", ids)
        told = json.loads(run("explain", "a4", "--json").stdout)
        self.assertEqual(told["id"], "A4")
        self.assertTrue(told["text"].startswith("A write that shows a fence other than the current pair"))
        self.assertTrue(told["text"].endswith("the right number with another stamp."), told["text"])

    def test_what_there_is_not(self):
        done = run("explain", "fence")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean fenced?", done.stderr)


if __name__ == "__main__":
    unittest.main()
