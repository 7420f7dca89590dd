"""The program stile: plugins, info, prepare, explain, help, version, exit statuses.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from support import PATIENCE, STILE, run, wait_for

COMMANDS = ("call", "plugins", "info", "prepare", "doctor", "explain", "bench")


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return file.read().split()


def lives(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().split(")")[1].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        return False


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
            self.assertRegex(text, r"broken\.so \(.*\n.*\n.*\n +it is no library")

    def test_tells_which_file_it_is(self):
        told = json.loads(run("plugins", "--json").stdout)
        memory = next(p for p in told["plugins"] if p["name"] == "memory")
        hashed = subprocess.run(["sha256sum", memory["path"]], capture_output=True, text=True, check=True).stdout
        self.assertEqual(memory["sha256"], hashed.split()[0])
        self.assertEqual(memory["modified"], os.stat(memory["path"]).st_mtime_ns // 1000)
        self.assertEqual((memory["abi_min"], memory["abi_max"]), ("1.0", "1.0"))
        self.assertIn("manual_clock", memory["capabilities"])
        clock = next(option for option in memory["options"] if option["name"] == "clock")
        self.assertEqual((clock["type"], clock["allowed"]), ("choice", "system|manual"))
        text = run("plugins").stdout
        for part in (memory["sha256"], memory["path"], memory["help"], clock["help"], "manual_clock"):
            self.assertIn(part, text)

    def test_a_plugin_that_kills_its_loader_is_told_of(self):
        with self.folder_with("fixture_constructor_aborts") as folder:
            told = json.loads(run("plugins", "--json", env={"STILE_PLUGIN_PATH": folder}).stdout)
        self.assertEqual(told["plugins"][0]["verdict"], "does not load")
        self.assertIn("it kills the process that loads it: Aborted", told["plugins"][0]["reason"])

    def test_a_plugin_that_hangs_does_not_hold_the_program(self):
        with self.folder_with("fixture_constructor_hangs") as folder:
            process = subprocess.Popen([STILE, "plugins"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env={**os.environ, "STILE_PLUGIN_PATH": folder})
            child = wait_for(lambda: children(process.pid))[0]
            process.terminate()
            self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)
            process.communicate()
            wait_for(lambda: not lives(child))

    @contextlib.contextmanager
    def folder_with(self, fixture):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(os.environ["STILE_FIXTURES"], fixture + ".so"), folder)
            yield folder

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

    def test_doctor_of_what_keeps_nothing_to_examine(self):
        done = run("doctor", "memory:")
        self.assertEqual((done.returncode, done.stdout), (20, ""))
        self.assertIn("nothing that could be examined", done.stderr)

    def test_info_of_what_is_unprepared(self):
        done = run("info", "memory:?prepare=never")
        self.assertEqual((done.returncode, done.stdout), (21, ""))
        self.assertIn("unprepared", done.stderr)

    def test_info_makes_no_store(self):
        if "STILE_SHARED" not in os.environ:
            return  # no store that outlives its process in this build
        with tempfile.TemporaryDirectory() as folder:
            config = os.environ["STILE_SHARED"].format(folder=folder)
            for words in (("info", config), ("info", config, "--json")):
                done = run(*words)
                self.assertEqual(done.returncode, 21, done.stdout + done.stderr)
                self.assertIn("unprepared", done.stdout + done.stderr)
                self.assertEqual(os.listdir(folder), [])
            self.assertEqual(run("info", config + "?prepare=auto").returncode, 0)
            done = run("info", config)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r"(?m)^store +" + re.escape(config) + "$", "as it was typed")
            self.assertIn("prepare=check", run("info", config + "?prepare=check").stdout)

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

    def test_what_comes_before_sending_again(self):
        for name, first in dict(conflict="after reading", unprepared="after prepare", read_only="elsewhere",
                                skipped="with the one before it", effect_failed="caller decides", held="later",
                                unknown="yes, a write under the same op_id", fenced="no").items():
            self.assertEqual(json.loads(run("explain", name, "--json").stdout)["again"], first)
            self.assertIn(f"send it again?   {first}\n", run("explain", name).stdout)

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
