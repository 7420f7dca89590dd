"""stile-conformance as people run it: stores that are broken in every way, reports, certificates, explanations.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pty
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser

SUITE = os.environ["STILE_CONFORMANCE"]
WICKED = os.environ["STILE_WICKED"]
DRIVER = os.path.join(os.path.dirname(__file__), "..", "..", "conformance", "servers", "example_driver.py")
TRAP = os.path.join(os.path.dirname(__file__), "outside", "trap.case")
SANITIZED = os.environ.get("STILE_SANITIZE")
SLOWER = os.environ.get("STILE_PATIENCE", "1")  # a sanitizer makes everything so much slower
if SANITIZED:  # a store that dies shall do so by its signal, as for anybody else
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_abort=0"
PATIENCE = 120 * int(SLOWER)  # until a test gives up on the suite: far above what anything here takes


def run(*args, env=None):
    return subprocess.run([SUITE, *args], capture_output=True, text=True, timeout=PATIENCE, env=env)


def wicked(way, *args):
    return run("--plugin", WICKED, "wicked:" + way, "--timeout-multiplier", SLOWER, *args)


class Page(HTMLParser):
    """What is on a page: it fails on a tag that is not closed, and on whatever would be fetched."""

    VOID = {"meta", "br", "rect", "line", "circle"}

    def __init__(self, text):
        super().__init__()
        self.open, self.scripts, self.ids, self.links, self.text = [], 0, set(), set(), ""
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError(f"never closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.scripts += tag == "script"
        if tag in ("img", "link", "iframe", "object") or "src" in given:
            raise AssertionError(f"the page fetches something: {tag} {given}")
        if any(name.startswith("on") for name in given):
            raise AssertionError(f"the page has a handler: {tag} {given}")
        if "id" in given:
            self.ids.add(given["id"])
        if "href" in given:
            self.links.add(given["href"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        if tag not in self.VOID:
            raise AssertionError(f"<{tag}/> closes nothing in HTML")

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes another")

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text += data


class BrokenStores(unittest.TestCase):
    """Whatever a plugin does, the suite says what and where, and ends."""

    @classmethod
    def setUpClass(cls):  # it is given up after half a minute: the others go on meanwhile
        cls.opening = subprocess.Popen([SUITE, "--plugin", WICKED, "wicked:open"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.opening.kill)

    def judged(self, way, verdict, *said, case="trap", slower=SLOWER):
        with self.subTest(way):
            done = run("--plugin", WICKED, "wicked:" + way, "--timeout-multiplier", slower, "--cases", TRAP,
                       "--only", "wicked." + case)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(f"{verdict}: wicked.{case}", done.stderr)
            for text in said:
                self.assertIn(text, " ".join(done.stderr.split()), "though a long line is folded")
            self.assertIn("again: ", done.stderr)

    def test_an_honest_one_passes(self):
        done = wicked("honest", "--cases", TRAP)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_crashes(self):
        asking = 'it was asking {"op":"get","key":"trap"}'
        place = "trap.case:8: get trap"
        self.judged("crash", "crashed", asking, place, "killed by signal 11")
        self.judged("abort", "crashed", asking, place, "killed by signal 6")
        self.judged("kill", "crashed", asking, place, "killed by signal 9")
        self.judged("exit", "crashed", asking, place, "ended by itself with status 0 and no verdict")

    def test_hangs(self):
        for way in ("hang", "spin"):
            self.judged(way, "timed out", "limit of 3 s", 'it was asking {"op":"get","key":"trap"}',
                        "trap.case:8: get trap", slower="1")

    def test_garbage(self):
        reading = 'it was reading the answer to {"op":"get","key":"trap"}'
        # Memory that cannot be had is an exception, and where a sanitizer gives it, the end.
        self.judged("length", "crashed" if SANITIZED else "failed", reading)
        self.judged("null", "crashed", reading)
        self.judged("pointer", "crashed", reading)
        self.judged("status", "failed", "gave the status 4711 to the operation get")
        self.judged("unset", "failed", "left the operation get without an answer")
        if not SANITIZED:  # a million elements take a sanitizer half a minute
            self.judged("endless", "failed", "trap.case:13", case="list", slower="10")  # a busy machine too

    def test_writes_outside_its_memory(self):
        self.judged("past", "failed", "wrote past the end of the 24 bytes", '{"op":"get","key":"trap"}')
        self.judged("before", "failed", "wrote before the beginning of the 24 bytes")

    def test_a_forged_verdict_is_none(self):
        self.judged("forge", "crashed", "no verdict")

    def test_leaks(self):
        for way, check, text in (("leak", "reads", "bytes of heap more"), ("files", "reads", "open files more"),
                                 ("stores", "stores", "more")):
            if way != "files" and SANITIZED:
                continue  # which keeps freed memory on purpose
            with self.subTest(way):
                done = wicked(way, "--only", "leaks.*")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(f"failed: leaks.{check}_keep_nothing", done.stderr)
                self.assertIn(text, done.stderr)

    def test_lies_about_what_it_can(self):
        done = wicked("lie", "--only", "declared.declared_is_supported")
        self.assertEqual(done.returncode, 1)
        self.assertIn("declared: one_commit", done.stderr)
        self.assertIn("S3 promises", done.stderr)

    def test_what_a_sanitizer_says_of_a_passing_check(self):
        if not SANITIZED:  # the runtime of another sanitizer would be in the way
            self.judged("overflow", "failed", "all answers were as they must be, but a sanitizer said",
                        "wicked.c:", "runtime error: signed integer overflow")

    def test_never_ends_to_open(self):
        _, said = self.opening.communicate(timeout=PATIENCE)
        self.assertEqual(self.opening.returncode, 1, said)
        self.assertIn("cannot be looked at: opening it", said)
        self.assertIn("it was opening the store", said)

    def test_what_is_no_plugin(self):
        for file, text in (("/none.so", "none.so"), ("/", "/"), (__file__, "runner_test.py")):
            done = run("--plugin", file, "wicked:honest")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)
            self.assertLess(len(done.stderr.splitlines()), 5, done.stderr)

    def test_a_config_that_is_refused_is_a_slip_of_its_user(self):
        done = run("nosuch:")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no plugin has the scheme", done.stderr)
        self.assertIn("2 usage (a config string that is refused, too)", run("--help").stdout)

    def test_a_mistyped_check_is_guessed(self):
        done = wicked("honest", "--only", "lease.late_holder_is_fencd")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("did you mean lease.late_holder_is_fenced?", done.stderr)
        self.assertIn("see --list", wicked("honest", "--only", "xyzzyxyzzy").stderr)

    def test_many_failures_are_told_by_what_to_mend_first(self):
        some = ("--only", "CellTable.*", "--only", "declared.*")
        done = wicked("honest", *some)  # it can neither put nor erase
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("  again: "), 3, "the first few whole")
        self.assertRegex(done.stdout, r"To be mended, from the top.*\n  S3 .*\n"
                                      r"    failed +declared\.parts_are_whole: these "
                                      r"operations are unsupported.*\n  K1 .*\n    failed +CellTable")
        self.assertRegex(done.stdout, r"and \d more: --only K1")
        self.assertNotIn("promise ", done.stdout, "no table where so much is broken")
        whole = wicked("honest", "--verbose", *some)
        self.assertGreater(whole.stderr.count("  again: "), 5)
        self.assertNotIn("more: --only", whole.stdout)
        self.assertIn("promise ", whole.stdout)

    def test_garbage_in_the_first_look(self):
        done = wicked("many")
        self.assertNotIn(done.returncode, (0, -6, -11))
        self.assertIn('reading the answer to {"op":"info"}', done.stderr)


class Choice(unittest.TestCase):
    def test_a_filter_that_only_leaves_out_keeps_to_the_level(self):
        listed = run("memory:", "--gtest_list_tests", "--gtest_filter=-CellTable.*:lease.*").stdout
        suites = {line.strip(".") for line in listed.splitlines() if line.endswith(".")}
        self.assertIn("deliveries", suites)
        self.assertFalse(suites & {"CellTable", "lease", "Concurrent", "Faults"}, suites)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def written(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


class Reports(Folder):
    def test_a_failing_run_as_a_page(self):
        done = wicked("crash", "--cases", TRAP, "--report", self.path("run.html"), "--report", self.path("run.json"))
        self.assertEqual(done.returncode, 1)
        page = Page(self.written("run.html"))
        self.assertEqual(page.scripts, 1, "only its own")
        self.assertIn("</title><script>alert('wicked')</script>", page.text, "what the store calls its server")
        for text in ("wicked.trap", "killed by signal 11", "get trap", "--only wicked.trap --seed", "K6", "K7"):
            self.assertIn(text, page.text)
        for link in page.links:
            self.assertTrue(link.startswith("#") and link[1:] in page.ids, link)
        told = json.loads(self.written("run.json"))
        self.assertFalse(told["conformant"])
        self.assertEqual(told["counts"]["crashed"], 1)
        self.assertEqual({"name", "version", "license", "file", "build_id", "abi"}, set(told["plugin"]))
        for member in ("contract_version", "level", "seeds", "faults", "part", "config"):
            self.assertIn(member, told)

    def test_where_it_cannot_be_written_is_said_first(self):
        done = wicked("honest", "--cases", TRAP, "--report", self.path("no/run.html"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be written", done.stderr)

    def test_where_nothing_can_be_written_is_named(self):
        done = wicked("honest", "--report", "-")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-: cannot be written: it is no file", done.stderr)
        done = run("memory:", "--only", "K1", env={**os.environ, "TMPDIR": self.path("nowhere")})
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(f"TMPDIR={self.path('nowhere')}", done.stderr)

    def test_a_full_disk_is_said_and_the_rest_told(self):
        done = subprocess.run([SUITE, "--plugin", WICKED, "wicked:honest", "--cases", TRAP, "--report", self.path("r")],
                              capture_output=True, text=True, timeout=PATIENCE, restore_signals=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(self.path("r") + ": cannot be written: File too large", done.stderr)
        self.assertIn("2 passed", done.stdout)

    def test_cases_of_ones_own_judge_no_store(self):
        done = wicked("honest", "--cases", TRAP, "--report", self.path("run.json"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Only a part of the suite was run", done.stdout)
        told = json.loads(self.written("run.json"))
        self.assertFalse(told["conformant"] or told["complete"])
        done = wicked("honest", "--cases", TRAP, "--level", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cases are of level 1", done.stderr)

    def test_a_debugger_has_one_process_to_look_at(self):
        done = wicked("honest", "--cases", TRAP, "--in-process")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 passed", done.stdout)
        self.assertLess(wicked("crash", "--cases", TRAP, "--in-process").returncode, 0, "nobody else dies of it")

    def test_a_loop_is_told_by_its_last_turn(self):
        with open(self.path("loop.case"), "w", encoding="utf-8") as file:
            file.write("# A loop.  K1\ncase loop.long\nput a \"1\" -> ok\n"
                       "repeat 50\n    get a -> ok\nend\nget a -> not_found\n")
        done = run("memory:", "--cases", self.path("loop.case"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        said = done.stdout + done.stderr
        self.assertIn("put a", said)
        self.assertIn("(turn 50 of the loop)", said)
        self.assertEqual(said.count("get a -> ok"), 1, said)

    def test_time_is_shared_among_the_random_checks(self):
        done = run("memory:?clock=manual", "--only", "Random.*", "--time", "2s", "--jobs", "2", "--seed", "7",
                   "--timeout-multiplier", SLOWER, "--report", self.path("run.json"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        told = json.loads(self.written("run.json"))
        self.assertEqual(told["time"], 2_000_000)
        for check in told["checks"]:
            self.assertGreater(check["judged"], 0)
            self.assertLess(check["microseconds"], 30_000_000 * int(SLOWER), "it has 0.4 s")
        done = run("memory:?clock=manual", "--only", "Random.0", "--seed", "7", "--json")
        self.assertGreater(json.loads(done.stdout)["checks"][0]["judged"], 9, "without --time it has its own amount")
        for wrong in ("0", "-1s", "soon", "40d"):
            self.assertEqual(run("memory:", "--time", wrong).returncode, 2, wrong)

    def test_a_terminal_sees_how_far_it_is(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([SUITE, "memory:?clock=manual", "--only", "CellTable.*", "--jobs", "1"],
                                   stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # its end is closed
                break
            if not piece:
                break
            seen += piece
        os.close(ours)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertRegex(seen.decode(), r"\d+/\d+, \d+ s")
        self.assertRegex(seen.decode(), r"about \d+ (s|min) left")
        self.assertEqual(run("memory:?clock=manual", "--only", "A4").stderr, "", "and nobody else")


class Certificates(Folder):
    def setUp(self):
        super().setUp()
        done = wicked("crash", "--cases", TRAP, "--seed", "5", "--report", self.path("run.json"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.told = json.loads(self.written("run.json"))

    def verify(self, *args, **changed):
        with open(self.path("other.json"), "w", encoding="utf-8") as file:
            json.dump({**self.told, **changed}, file)
        return run("--verify", self.path("other.json"), "--timeout-multiplier", SLOWER, *args)

    def test_comes_out_the_same(self):
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Verified", done.stdout)
        self.assertIn("seed 5", done.stdout)

    def test_a_better_one_than_was_earned_differs(self):
        checks = [{**check, "verdict": "passed"} for check in self.told["checks"]]
        done = self.verify(checks=checks, counts={**self.told["counts"], "passed": 2, "crashed": 0})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("checks: wicked.trap: verdict: crashed, was passed", done.stdout)
        self.assertIn("counts: crashed: 1, was 0", done.stdout)

    def test_whatever_is_forged_differs(self):
        some_id = self.told["checks"][0]["ids"][0]
        for member, forged in (("conformant", True), ("capabilities", ["durable"]), ("server", "big 9.1"),
                               ("durability", "a power cut"), ("faults", {"replies_lost": 5000}),
                               ("ids", {**self.told["ids"], some_id: {**self.told["ids"][some_id], "passed": 7}})):
            done = self.verify(**{member: forged})
            self.assertEqual(done.returncode, 1, f"{member}: {done.stdout}{done.stderr}")
            self.assertIn(f"  {member}", done.stdout)
        self.assertEqual(self.verify(level=3).returncode, 2, "cases of one's own are of level 1")

    def test_another_build_is_not_verified(self):
        done = self.verify(plugin={**self.told["plugin"], "build_id": "00ff"})
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("build id", done.stderr)

    def test_says_what_it_needs(self):
        self.assertEqual(self.verify("--seed", "6").returncode, 2)
        done = self.verify(config="wicked:x?password=***")
        self.assertEqual(done.returncode, 2)
        self.assertIn("give CONFIG", done.stderr)
        self.assertEqual(self.verify("wicked:crash", config="wicked:x?password=***").returncode, 0)
        self.assertEqual(self.verify(certificate="of another kind").returncode, 2)
        self.assertIn("one): not exact\n", self.verify(seeds=[-1]).stderr)
        self.assertIn("a member is missing", self.verify(seeds=[]).stderr)
        self.assertEqual(run("--verify", self.path("none.json")).returncode, 2)

    def test_its_driver_is_started_again(self):
        driver = f"{sys.executable} {DRIVER} wicked:honest"
        done = run("--plugin", WICKED, "--driver", driver, "--level", "4", "--only", "Servers.full",
                   "--only", "declared.declared_is_supported", "--report", self.path("run.json"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        told = json.loads(self.written("run.json"))
        self.assertEqual((told["driver"], told["of_driver"]), (driver, True))
        self.assertIn("keeps documents", told["checks"][-1]["text"], "a part is no crash at level 4")
        self.told = told
        done = self.verify()
        self.assertEqual(done.returncode, 2, "a certificate runs no program")
        self.assertIn(f"give --driver '{driver}'", done.stderr)
        done = self.verify("--driver", driver)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Verified", done.stdout)
        done = self.verify(driver="", of_driver=False)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("names no driver: give --driver", done.stderr)


class Explanations(unittest.TestCase):
    def test_says_what_why_and_where(self):
        done = run("explain", "a4")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("A4 promises", "answers `fenced` and changes nothing", "Why it matters", "Guarded by",
                     "lease.late_holder_is_fenced  conformance/cases/lease/A4.case:", "--only A4", "CONTRACT.md"):
            self.assertIn(text, done.stdout)

    def test_of_every_id(self):
        listed = run("explain", "--json", *[f"{c}1" for c in "ABCDEIKRSTW"])
        self.assertEqual(listed.returncode, 0, listed.stderr)
        for line in listed.stdout.splitlines():
            told = json.loads(line)
            self.assertTrue(told["text"] and told["why"] and told["chapter"], told["id"])
            self.assertTrue(told["cases"], told["id"])
            for case in told["cases"]:
                self.assertIn(told["id"], case["ids"])

    def test_a_check(self):
        done = run("explain", "lease.late-holder-is-fenced")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("level 1 (one caller), of A4", "conformance/cases/lease/A4.case:",
                     "  case lease.late-holder-is-fenced", "-> fenced",
                     "A4 A write that shows", "--only lease.late_holder_is_fenced"):
            self.assertIn(text, done.stdout)
        self.assertEqual(done.stdout.count("case lease."), 1)
        self.assertIn("threads never meet twice alike", run("explain", "Concurrent.leases").stdout)
        self.assertGreater(len(run("explain", "lease").stdout.splitlines()), 20, "a whole suite")
        told = json.loads(run("explain", "--json", "late_holder_is_fenced").stdout)
        self.assertIn("-> fenced", told["script"])

    def test_a_status(self):
        for status, text in (("unknown", "may have happened"), ("fenced", "nobody does"), ("held", "later"),
                             ("conflict", "after the program has looked"), ("ok", "B8")):
            done = run("explain", status)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(text, done.stdout)
        self.assertIn("A4", json.loads(run("explain", "fenced", "--json").stdout)["promises"])

    def test_an_unknown_word(self):
        for wrong, hint in (("A44", "A1 to A14"), ("4A", "such as A4|mean"), ("", "such as|mean"),
                            ("fencd", "mean fenced"),
                            ("lease.late_holder_is_fenced2", "mean lease.late_holder_is_fenced"),
                            ("--x", "no option")):
            done = run("explain", wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertRegex(done.stderr, hint)
            self.assertEqual(done.stdout, "")
        self.assertEqual(run("explain").returncode, 2)


class Histories(Folder):
    LINES = [{"client": "1", "call": 1, "place": 0, "invoke": 10, "op": "put", "key": "<k>", "value": "v",
              "op_id": "0" * 31 + "1"},
             {"client": "1", "call": 1, "place": 0, "return": 20, "status": "ok", "version": "1"},
             {"client": "2", "call": 1, "place": 0, "invoke": 30, "op": "get", "key": "<k>"},
             {"client": "2", "call": 1, "place": 0, "return": 40, "status": "ok", "value": "another", "version": "1"}]

    def judge(self, text, *args):
        with open(self.path("h.jsonl"), "w", encoding="utf-8") as file:
            file.write(text)
        return run("judge", *args, self.path("h.jsonl"))

    def test_is_drawn(self):
        done = self.judge("".join(json.dumps(line) + "\n" for line in self.LINES), "--report", self.path("h.html"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        page = Page(self.written("h.html"))
        for text in ("Refused", "<k>", "another", "put <k>"):
            self.assertIn(text, page.text)
        self.assertTrue(any(re.fullmatch(r"f-1-\d+", one) for one in page.ids), page.ids)

    def test_without_an_operation_is_not_accepted(self):
        for text, said in (("", "nothing was judged"), ("\n\n", "nothing was judged"), ("a" * 4096, "h.jsonl:1: ")):
            done = self.judge(text)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(said, done.stderr)

    def test_cut_off_in_the_middle_is_said_with_its_line(self):
        whole = [json.dumps(line) for line in self.LINES]
        done = self.judge("\n".join([whole[0][:25], *whole[1:]]) + "\n")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("h.jsonl:1", done.stderr)
        done = self.judge("\n".join(whole[:3]) + "\n" + whole[3][:30])
        self.assertIn("note", done.stdout + done.stderr)

    def test_an_unknown_operation_is_said_with_its_line(self):
        done = self.judge(json.dumps({**self.LINES[0], "op": "fly"}) + "\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("h.jsonl:1", done.stderr)


if __name__ == "__main__":
    unittest.main()
