#!/usr/bin/env python3
"""What ctest's JUnit files say: how many tests there were, and what the failed ones printed.

SPDX-License-Identifier: Apache-2.0
"""
import sys
import xml.etree.ElementTree as tree
from pathlib import Path

LAST_LINES = 80


def suite(path):
    """The root element; None where ctest wrote no file, or half of one."""
    try:
        return tree.parse(path).getroot()
    except (OSError, tree.ParseError):
        return None


def count(path):
    root = suite(path)
    if root is None:
        return "0 0 0"
    return " ".join(root.get(k, "0") for k in ("tests", "failures", "skipped"))


def failed(path):
    root = suite(path)
    for case in [] if root is None else root:
        if case.get("status") != "fail":
            continue
        lines = case.findtext("system-out", "").splitlines()
        yield f"{case.get('name')} ({Path(path).stem}), {float(case.get('time', 0)):.1f} s:"
        if len(lines) > LAST_LINES:
            yield f"    [{len(lines) - LAST_LINES} lines before these]"
        yield from ("    " + line for line in lines[-LAST_LINES:])


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in ("count", "failed"):
        print("usage: junit.py count FILE | failed FILE...", file=sys.stderr)
        return 2
    if arguments[0] == "count":
        print(count(arguments[1]))
    else:
        for path in arguments[1:]:
            for line in failed(path):
                print(line)
    return 0


sys.exit(main(sys.argv[1:]))
