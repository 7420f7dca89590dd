#!/usr/bin/env python3
"""What the README says is true: its program is the one that is built, and its commands run as written.

Usage: readme_test.py BIN_DIRECTORY PLUGIN_DIRECTORY
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main():
    binaries, plugins = sys.argv[1:3]
    text, failed = read("README.md"), []
    if text.count("\n") > 120:
        failed.append("README.md has more than 120 lines")
    program = read("core", "examples", "quickstart.cpp")
    if [program[program.index("#include"):]] != blocks(text, "cpp"):
        failed.append("the program in README.md is not core/examples/quickstart.cpp")
    environment = dict(os.environ, PATH=binaries + os.pathsep + os.environ["PATH"], STILE_PLUGIN_PATH=plugins)
    ran = 0
    with tempfile.TemporaryDirectory(prefix="stile-readme.") as folder:
        commands = [line for block in blocks(text, "sh") for line in block.strip().split("\n")]
        for line in commands + ["stile-quickstart memory:", "stile-quickstart sqlite:quick.db"]:
            done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
            ran += 1
            if done.returncode:
                failed.append(f"$ {line}\n  ended with {done.returncode}: {(done.stdout + done.stderr)[-600:]}")
    for path in re.findall(r"`((?:core|sdk|plugins|conformance|packaging|tests)/[\w./-]+)`", text):
        if not os.path.exists(os.path.join(TOP, path)):
            failed.append(f"README.md names {path}, which is not there")
    print("\n".join(failed))
    print(f"readme: {ran} commands, {len(failed)} failed")
    sys.exit(1 if failed or ran < 10 else 0)


main()
