"""Bad input to every program: exit status 2, one clear error that names the place, nothing printed, nothing written.

A row of a table is a command line and what its error must name. Files stand in the folder that the commands run in.

SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import subprocess
import tempfile
import unittest

from support import PATIENCE

BIN = os.path.dirname(os.environ["STILE"])
ORDERS = "order_id,customer,item,quantity,unit_price\n"
FILES = {
    "empty": b"",
    "text.so": b"hello",
    "broken.json": b'{"scheme": "memory", ',
    "twice.json": b'{"scheme":"memory",\n "scheme":"x"}',
    "list.json": b"[1]",
    "member.json": b'{"scheme":"memory","nope":1}',
    "latin.json": b'{"scheme":"mem\xf6ry"}',
    "form.case": b"case x\nload w -> ok\n",
    "bytes.case": b"\xff\xfe\n",
    "op.case": b"# About.  A1\ncase lease.x\nfrobnicate w -> ok\n",
    "id.case": b"# About.  Z9\ncase lease.x\nload w -> ok\n",
    "none.case": b"# only a comment\n",
    "none.csv": ORDERS.encode(),
    "binary.csv": b"a\0b",
    "other.csv": b"a,b\n1,2\n",
    "quote.csv": (ORDERS + '"1,A,tea,1,1\n').encode(),
    "good.csv": (ORDERS + "1,A,tea,1,1\n").encode(),
}
CONFIGS = [
    ("", "the config string is empty"),
    ("memory", "column 1: no scheme"),
    (":x", "column 1: a scheme is missing"),
    ("nope:", 'no plugin has the scheme "nope"'),
    ("memry:", 'did you mean "memory"?'),
    ("memory:?x", "column 9: the option x has no value"),
    ("memory:?clock=fast", "the option clock takes one of system and manual"),
    ("memory:?clok=manual", "clock"),
    ("memory:?clock=manual&clock=manual", "column 22: the option clock stands here for the second time"),
    ("memory:?shards=0", "the option shards takes a whole number from 1 to 256"),
    ("memory:?shards=1e3", 'not "1e3"'),
    ("memory:?shards=99999999999999999999", "the option shards"),
    ("memory:%zz", "column 8: a % must be followed by two hexadecimal digits"),
    ("memory:\x01", "column 8: a control character"),
    ("memory://h:99999/", "column 12: a port is a number from 1 to 65535"),
    ("memory://[::1/", "column 10: the address in brackets"),
    ("memory:?prepare=maybe", "column 17: prepare is auto, check or never"),
    ("memory:?namespace=", "column 19: the namespace is empty"),
    ("memory:?namespace=" + 129 * "n", "column 19: the namespace has 129 bytes"),
    ("chaos+:", "column 7: a scheme is missing"),
    ("bogus+memory:", 'there is no layer "bogus"'),
    ("chaos+memory:?chaos.lose_reply=2", "chaos.lose_reply=2"),
    ("chaos+memory:?chaos.nope=1", 'the layer chaos has no option "nope"'),
    ("memory:?chaos.lose_reply=0.1", "column 9: the option chaos.lose_reply"),
    ("-", "$STILE_STORE, which is not set"),
    ("@", "the name of a config file"),
    ("@none.json", "none.json cannot be opened"),
    ("@.", "the config file ."),
    ("@empty", "empty: line 1, column 1"),
    ("@broken.json", "broken.json: line 1, column 22"),
    ("@twice.json", 'twice.json: line 2, column 9: the member "scheme" stands here twice'),
    ("@list.json", "list.json: a config file holds one JSON object"),
    ("@member.json", 'member.json: member "nope": is unknown'),
    ("@latin.json", "latin.json: line 1"),
]
SQLITE = [
    ("sqlite:", "the config string names no file"),
    ("sqlite:.", "is a folder"),
    ("sqlite:x.db?cache=lots", "the option cache takes a size"),
    ("sqlite:x.db?cache=1", "from 64KiB to 1TiB"),
    ("sqlite:x.db?synchronous=off", "the option synchronous takes one of"),
]
STILE = [
    ([], "command is required"),
    (["bogus"], 'there is no command "bogus"'),
    (["expain"], "did you mean explain?"),
    (["info"], "CONFIG is required"),
    (["info", "memory:", "extra"], "extra"),
    (["info", "memory:", "--nope"], "--nope"),
    (["info", "memory:", "--plugin", "none.so"], "none.so: No such file"),
    (["info", "memory:", "--plugin", "text.so"], 'text.so: it is no library: it begins with "hello"'),
    (["info", "memory:", "--plugin", "empty"], "empty: it is empty"),
    (["info", "memory:", "--plugin", "cut.so"], "cut.so: the file is truncated"),
    (["info", "memory:", "--plugin", "."], "it is a directory"),
    (["info", "memory:", "--plugin", ""], "--plugin"),
    (["info", "memory:", "--deadline", "0"], "--deadline must be a duration"),
    (["info", "memory:", "--deadline", "-1s"], "-1s"),
    (["info", "memory:", "--deadline", "5parsecs"], "5parsecs"),
    (["info", "memory:", "--deadline", "99999999999999999999s"], "--deadline"),
    (["call", "memory:", "put", "key"], '"key" is no name=value'),
    (["call", "memory:", "put", "=x"], '"=x" is no name=value'),
    (["call", "memory:", "put", "key=a", "key=b"], "key is said twice"),
    (["call", "memory:", "put", "key=a", "value={"], "value begins as JSON and is none: column 2"),
    (["call", "memory:", "--sessions", "0"], "--sessions must be a whole number from 1 to 1024"),
    (["call", "memory:", "--sessions", "many"], "many"),
    (["explain", "Z9"], 'no contract id or status "Z9"'),
    (["explain", ""], 'no contract id or status ""'),
    (["plugins", "extra"], "extra"),
    (["prepare", "memory:", "extra"], "extra"),
    (["bench", "memory:", "--time", "0"], "--time must be a duration"),
    (["bench", "memory:", "--concurrency", "0"], "--concurrency must be a whole number"),
    (["bench", "memory:", "--only", "nope"], "--only: there is no nope"),
    (["bench", "memory:", "--baseline-dir", "none"], "--baseline-dir: none: there is no such folder"),
    (["bench", "memory:", "--baseline-dir", "empty"], "--baseline-dir: empty: there is no such folder"),
    (["bench", "nope:"], 'no plugin has the scheme "nope"'),
]
CONFORMANCE = [
    ([], "CONFIG"),
    (["nope:"], 'no plugin has the scheme "nope"'),
    (["memory:", "extra"], "extra"),
    (["memory:", "--level", "9"], "--level: Value 9 not in range"),
    (["memory:", "--jobs", "-1"], "--jobs: Value -1 not in range"),
    (["memory:", "--seed", "x"], "--seed: x is no whole number from 0 to 18446744073709551615"),
    (["memory:", "--seed", "-1"], "--seed: -1 is no whole number"),
    (["memory:", "--seed", "99999999999999999999999"], "--seed: 99999999999999999999999 is no whole number"),
    (["memory:", "--sequence", "-1"], "--sequence: -1 is no whole number"),
    (["memory:", "--scale", "-1"], "--scale: Value -1 not in range"),
    (["memory:", "--timeout-multiplier", "99999999999999999999999"], "--timeout-multiplier"),
    (["memory:", "--only", "Z9"], "--only Z9"),
    (["memory:", "--plugin", "text.so"], "text.so: it is no library"),
    (["memory:", "--cases", "none"], "the case file none cannot be opened: No such file"),
    (["memory:", "--cases", "empty"], "empty:1:1: there is no case"),
    (["memory:", "--cases", "none.case"], "none.case:1:1: there is no case"),
    (["memory:", "--cases", "form.case"], "form.case:1:6"),
    (["memory:", "--cases", "bytes.case"], "bytes.case:1:1"),
    (["memory:", "--cases", "op.case"], "op.case:3:1"),
    (["memory:", "--cases", "id.case"], "the contract has no Z9"),
    (["memory:", "--report", "none/r.json"], "--report: none/r.json: cannot be written: there is no folder none"),
    (["memory:", "--junit", "."], "--junit: .: cannot be written: it is a folder"),
]
JUDGE = [
    ([], "Usage: stile-conformance judge"),
    (["--nope"], "--nope is no option"),
    (["."], "the history . cannot be read: Is a directory"),
    (["none"], "the history none cannot be opened: No such file"),
    (["good.csv"], "good.csv:1"),
]
ORDERS_ROWS = [
    (["--dir", "used", "sqlite:x.db", "good.csv"], "--dir: used: not empty, it holds the ledger of another run"),
    ([], "a store and a file of orders are wanted"),
    (["--dir"], "--dir wants a value"),
    (["--bogus"], "unknown option --bogus"),
    (["sqlite:x.db", "good.csv"], "--dir is wanted"),
    (["--dir", "none", "sqlite:x.db", "good.csv"], "--dir: none: there is no such folder"),
    (["--dir", ".", "--workers", "0", "sqlite:x.db", "good.csv"], '"0" is no number from 1 to 64'),
    (["--dir", ".", "--orders", "-1", "sqlite:x.db", "good.csv"], '"-1" is no number'),
    (["--dir", ".", "--seed", "x", "sqlite:x.db", "good.csv"], '--seed: "x" is no number'),
    (["--dir", ".", "--namespace", "", "sqlite:x.db", "good.csv"], "the namespace has 0 bytes"),
    (["--dir", ".", "nope:", "good.csv"], 'no plugin has the scheme "nope"'),
    (["--dir", ".", "memory:", "good.csv"], "lives inside one process"),
    (["--dir", ".", "sqlite:x.db", "none.txt"], "none.txt: No such file"),
    (["--dir", ".", "sqlite:x.db", "."], "it is a directory"),
    (["--dir", ".", "sqlite:x.db", "empty"], "empty: it is empty"),
    (["--dir", ".", "sqlite:x.db", "none.csv"], "none.csv: it holds no order"),
    (["--dir", ".", "sqlite:x.db", "binary.csv"], "binary.csv: it is binary: byte 2"),
    (["--dir", ".", "sqlite:x.db", "other.csv"], 'other.csv: its first row names no column "order_id"'),
    (["--dir", ".", "sqlite:x.db", "quote.csv"], "quote.csv: it holds no order that can be read; line 2"),
]
# A config string where something else is wanted: its secret is not shown.
SECRETS = ["pg://u:SECRET@h", "pg://u:SECRET@h/x.csv", "nope:x?password=SECRET"]
MISPLACED = {
    "stile": ["{} info", "info memory: {}", "info {}", "info memory: --plugin {}", "info memory: --deadline {}",
              "info memory: --plugin={}", "call memory: {}", "call memory: get {}", "call memory: --sessions {}",
              "plugins {}", "explain {}", "bench memory: --only {}", "bench memory: --time {}",
              "bench memory: --baseline-dir {}"],
    "stile-conformance": ["{}", "memory: {}", "memory: --only {}", "memory: --plugin {}", "memory: --cases {}",
                          "memory: --seed {}", "memory: --jobs={}", "memory: --report {}/r", "memory: --nope={}",
                          "judge {}", "judge --{}"],
    "stile-orders": ["--dir . sqlite:x.db {}", "--dir {} x y", "--{} x y", "--dir . --kills {} x y",
                     "--dir . {} good.csv"],
}


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stile-bad-input.")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, data in FILES.items():
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(data)
        os.mkdir(os.path.join(self.folder, "used"))
        with open(os.path.join(self.folder, "used", "board"), "wb"):
            pass
        plugin = os.path.join(os.environ["STILE_PLUGIN_PATH"], "memory.so")
        with open(plugin, "rb") as whole, open(os.path.join(self.folder, "cut.so"), "wb") as cut:
            cut.write(whole.read(3000))

    def refused(self, program, rows):
        before = self.written()
        environment = {name: value for name, value in os.environ.items() if name != "STILE_STORE"}
        for arguments, place in rows:
            with self.subTest(command=[program, *arguments]):
                done = subprocess.run([os.path.join(BIN, program), *arguments], cwd=self.folder, env=environment,
                                      input="", capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(place, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertEqual(self.written(), before, "something was written")
                for trace in ("terminate called", "Assertion", "==ERROR", "runtime error"):
                    self.assertNotIn(trace, done.stderr)

    def written(self):
        return {entry.name: entry.stat().st_size for entry in os.scandir(self.folder)}

    def test_config_strings_and_files(self):
        self.refused("stile", [(["info", config], place) for config, place in CONFIGS])

    def test_config_strings_of_files(self):
        if "STILE_SHARED" not in os.environ:
            return  # no sqlite in this build
        self.refused("stile", [(["info", config], place) for config, place in SQLITE])

    def test_stile(self):
        self.refused("stile", STILE)

    def test_stile_conformance(self):
        self.refused("stile-conformance", CONFORMANCE)

    def test_stile_conformance_judge(self):
        self.refused("stile-conformance", [(["judge", *arguments], place) for arguments, place in JUDGE])

    def test_stile_orders(self):
        self.refused("stile-orders", ORDERS_ROWS)

    def test_no_secret_of_a_misplaced_config_string_is_shown(self):
        for program, words in ((program, words) for program, all_words in MISPLACED.items() for words in all_words):
            for secret in SECRETS:
                with self.subTest(program=program, words=words, secret=secret):
                    command = [os.path.join(BIN, program), *(word.replace("{}", secret) for word in words.split())]
                    done = subprocess.run(command, cwd=self.folder, input="", capture_output=True, text=True,
                                          timeout=PATIENCE)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertNotEqual(done.stdout + done.stderr, "")
                    self.assertNotIn("SECRET", done.stdout + done.stderr)

    def test_a_line_of_call_is_answered_with_its_place_and_the_next_is_read(self):
        lines = [
            ('{"op":', "column 7"), ("[1,", "column 4"), ("nonsense", "column 1"), ("3", "object"), ('"x"', "object"),
            ('{"op":"put","key":"k","key":"k"}', '"key" stands here twice'), ('{"op":1}', "op"), ("{}", "op"),
            ('{"op":"put","key":"\\ud800","value":"v"}', "column"), ('{"op":"trim","older_than":NaN}', "column"),
            ('{"op":"put","key":"k","value":"v","ttl":"1 day"}', "ttl"),
            ('{"op":"put","key":"k","value":"v","ttl":1.5}', "ttl"),
            ('{"op":"put","key":"k","value":{"b64":"*"}}', "value"),
            ('{"op":"load","workflow":"w","limit":-1}', "limit"),
            ('{"op":"load","workflow":"w","after":-1}', "after"),
            ('{"op":"record","workflow":"w","fence":"7","key":"k","value":"v"}', "fence"),
            ('{"op":"put","key":"k","value":"v","op_id":"12"}', "op_id"), ('{"op":"get"}', "key is missing"),
            ('{"op":"get","key":"k","nope":1}', "nope"), ('{"op":"get","key":""}', "key is empty"),
            ('{"op":"supply","workflow":"w","key":"inbox:1","value":"v"}', "key starts with inbox:"),
        ]
        text = "\n".join([line for line, _ in lines] + ['{"op":"stats"}', ""])
        done = subprocess.run([os.environ["STILE"], "call", "memory:"], input=text, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = done.stdout.splitlines()
        self.assertEqual(len(answers), len(lines) + 1)
        for (line, place), answer in zip(lines, answers):
            with self.subTest(line=line):
                self.assertIn('"status":"invalid"', answer)
                self.assertIn(place, answer.replace('\\"', '"'))
        self.assertIn('"workflows":0', answers[-1])
        self.assertIn('"documents":0', answers[-1])


if __name__ == "__main__":
    unittest.main()
