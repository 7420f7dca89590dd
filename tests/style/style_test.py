#!/usr/bin/env python3
"""Holds every tracked file against the house rules (rules.py), and every rule against a sample that breaks it.

Usage: style_test.py [--self-test] [--no-format]
Exit status: 0 clean, 1 something is out of order, 2 the check itself could not run.
SPDX-License-Identifier: Apache-2.0
"""
import functools
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import rules  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

SAMPLES = {
    rules.file_length: ("core/a/b.cpp", "\n" * 600),
    rules.line_length: ("core/a/b.cpp", "x" * 121),
    rules.license_line: ("core/a/b.cpp", "int x;\n"),
    rules.store_names: ("core/a/b.cpp", "// as Redis does\n"),
    rules.includes: ("plugins/a/b.cpp", '#include "stile/store.hpp"\n'),
    rules.sleeping: ("tests/a/b.cpp", "std::this_thread::sleep_for(1s);\n"),
    rules.empty_tests: ("tests/a/b.cpp", "EXPECT_TRUE(true);\n"),
    rules.machine_paths: ("tests/a/b.cpp", 'open("/home/me/x");\n'),
    rules.function_length: ("core/a/b.cpp", "int f(int x) {\n" + "  x++;\n" * 71 + "}\n"),
}


def tracked():
    command = ["git", "-C", TOP, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True)
    return sorted(p for p in listed.stdout.decode().split("\0") if p and os.path.isfile(os.path.join(TOP, p)))


def contract_ids():
    path = os.path.join(TOP, "conformance", "CONTRACT.md")
    if not os.path.exists(path):
        return frozenset()
    with open(path, encoding="utf-8") as file:
        return frozenset(re.findall(r"^- \*\*([ABCDEIKRSTW]\d{1,2})\*\*", file.read(), re.MULTILINE))


def check_rules(paths):
    found = [f"{name}: {what}" for name, what in rules.top_level(paths)]
    with_ids = functools.partial(rules.known_ids, known=contract_ids())
    for path in paths:
        with open(os.path.join(TOP, path), "rb") as file:
            data = file.read()
        if b"\0" in data[:4096]:
            continue
        text = data.decode("utf-8", "replace")
        for rule in rules.RULES + [with_ids]:
            found += [f"{path}:{line}: {what}" for line, what in rule(path, text)]
    return found


def check_format(paths):
    tool = shutil.which("clang-format-14")
    if not tool:
        print("style: clang-format-14 is not here: packaging/install-deps --for check", file=sys.stderr)
        sys.exit(2)
    files = [p for p in paths if p.endswith(rules.CODE)]
    found = []
    for at in range(0, len(files), 40):
        command = [tool, "--dry-run", "-Werror", *files[at:at + 40]]
        done = subprocess.run(command, cwd=TOP, capture_output=True, text=True)
        found += sorted({line.split(":")[0] + ": not formatted: clang-format-14 -i" for line in done.stderr.split("\n")
                         if "error: code should be clang-formatted" in line})
    return found


def self_test():
    """A rule that cannot fail is no rule: each must find its sample, and let an innocent file pass."""
    good = ("core/store/good.cpp", "// Good.\n//\n// SPDX-License-Identifier: Apache-2.0\n"
            '#include "config/config.hpp"\nint f() {\n  return 1;\n}\n')
    found = [f"{rule.__name__} does not find its own sample"
             for rule, (path, text) in SAMPLES.items() if not list(rule(path, text))]
    found += [f"{rule.__name__} has no sample" for rule in rules.RULES if rule not in SAMPLES]
    found += [f"{rule.__name__} finds fault with an innocent file" for rule in rules.RULES if list(rule(*good))]
    if not list(rules.top_level(["doc/x.md"])):
        found.append("top_level does not find its own sample")
    if not list(rules.known_ids("sdk/a.h", "// (A99) x\n", frozenset({"A1"}))):
        found.append("known_ids does not find its own sample")
    up = list(rules.includes("core/store/a.cpp", '#include "runtime/run.hpp"\n'))
    return found if up else found + ["includes lets the store see the runtime"]


def main():
    found = self_test() if "--self-test" in sys.argv else []
    paths = tracked()
    found += check_rules(paths)
    if "--no-format" not in sys.argv:
        found += check_format(paths)
    for line in found:
        print(line)
    print(f"style: {len(paths)} files, {len(found)} places out of order")
    sys.exit(1 if found else 0)


main()
