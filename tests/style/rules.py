"""The house rules that a program can see. Each rule takes (path, text) and yields (line, what is wrong).

SPDX-License-Identifier: Apache-2.0
"""
import re

TOP = set("CMakeLists.txt CMakePresets.json LICENSE README.md conformance core packaging plugins sdk tests".split())
CODE = (".c", ".cpp", ".h", ".hpp")
SOURCES = CODE + (".py", ".case", ".lua", ".sql", ".cmake")
STORES = re.compile(r"redis|postgres|sqlite|hiredis|libpq", re.IGNORECASE)
IDS = re.compile(r"\b([ABCDEIKRSTW])(\d{1,2})\b")

# Which rooms a room may include from, by the first part of the include path. The arrows of the house point one way.
BELOW = {
    "sdk": set(),
    "core/types": set(),
    "core/config": set(),
    "core/loader": {"config"},
    "core/codec": set(),
    "core/store": {"config", "loader", "codec"},
    "core/runtime": {"store", "codec"},
    "core/entry": {"config", "loader", "codec", "store"},
    "core/cli": {"config", "loader", "codec", "store", "runtime"},
}
ROOMS = {"config", "loader", "codec", "store", "runtime", "entry", "cli"}


def top_level(paths):
    for name in sorted({p.split("/")[0] for p in paths}):
        if name not in TOP and not name.startswith("."):
            yield name, "stands at the top level, which holds only " + " ".join(sorted(TOP))


def file_length(path, text):
    if path.endswith(SOURCES) and text.count("\n") > 500:
        yield 501, "a file of more than 500 lines: which two rooms is it?"


def line_length(path, text):
    if not path.endswith(SOURCES) or path.endswith(".case"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 120:
            yield number, f"a line of {len(line)} characters, over 120"


def license_line(path, text):
    if not path.endswith(CODE + (".py",)) and not text.startswith("#!"):
        return
    if not re.search(r"^(//|#|/?\s?\*|)\s*SPDX-License-Identifier: Apache-2.0( \*/)?$", text[:4000], re.MULTILINE):
        yield 1, "no line 'SPDX-License-Identifier: Apache-2.0' of its own near the top"


def store_names(path, text):
    if not path.startswith(("core/", "conformance/")) or path.endswith(".md"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        found = STORES.search(line)
        if found:
            yield number, f"names a store ({found.group()}): core and conformance know none"


def includes(path, text):
    if not path.endswith(CODE):
        return
    room = "/".join(path.split("/")[:2]) if path.startswith("core/") else path.split("/")[0]
    for number, line in enumerate(text.split("\n"), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not found:
            continue
        target = found.group(1)
        if room == "plugins" and target.startswith("stile/") and not target.startswith(("stile/abi", "stile/sdk/")):
            yield number, f"a plugin includes {target}: it may see stile/abi and stile/sdk only"
        if room == "sdk" and target.startswith("stile/") and not target.startswith(("stile/abi", "stile/sdk/")):
            yield number, f"the SDK includes {target}, which is the core's"
        first = target.split("/")[0]
        if room in BELOW and room != "sdk" and "/" in target and first in ROOMS:
            if first != room.split("/")[1] and first not in BELOW[room]:
                yield number, f"{room} includes {target}: the arrows of the house point the other way"


def sleeping(path, text):
    if not path.startswith(("tests/", "conformance/")) or not path.endswith(".cpp"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"sleep_for|\busleep\(|(?<![.>\w])sleep\(|this_thread::sleep_until", line):
            yield number, "sleeps: wait for a condition with a bound"


def empty_tests(path, text):
    if not path.endswith((".cpp", ".py")) or path.startswith("tests/style/"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"EXPECT_TRUE\(true\)|SUCCEED\(\)|GTEST_SKIP|@unittest\.skip|skipTest\(", line):
            yield number, "a test that cannot fail, or a skip"


def machine_paths(path, text):
    if path.startswith("tests/style/"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"(?<![\w$}])/work/|/farm/|/home/\w|/root/", line):
            yield number, "a path of one machine"


def known_ids(path, text, known=frozenset()):
    """Only in comments and quoted ids of code: an id that the contract does not have."""
    if not known or not path.endswith((".h", ".hpp", ".case")):
        return
    for number, line in enumerate(text.split("\n"), 1):
        comment = "".join(re.findall(r"//.*|/\*.*|^\s*\*.*|^#.*", line))
        for letter, digits in re.findall(r"[(,; ]([ABCDEIKRSTW])(\d{1,2})(?=[),;:. -])", comment):
            if letter + digits not in known | {"C99", "C11", "C17"}:
                yield number, f"quotes {letter}{digits}, which the contract does not have"


def function_length(path, text):
    """Bodies that open at a line ending in ') {' and close at a brace in the same column; 70 lines at most."""
    if not path.endswith(CODE):
        return
    lines = text.split("\n")
    for number, line in enumerate(lines):
        opened = re.match(r"^( {0,4})(?! )[\w~:<>,&*\s\[\]\"=.()|-]+\)[\w\s&:>()-]*\{$", line)
        if not opened or re.match(r"^\s*(:|(if|for|while|switch|else|do|catch|namespace|class|struct|#)\b)", line):
            continue
        close = opened.group(1) + "}"
        for end in range(number + 1, len(lines)):
            if lines[end].startswith(close) and not lines[end][len(close):].startswith(" "):
                if end - number > 70:
                    yield number + 1, f"a function of {end - number} lines, over 70"
                break


RULES = [file_length, line_length, license_line, store_names, includes, sleeping, empty_tests, machine_paths,
         function_length]
