#!/usr/bin/env python3
"""What must not compile, and what the compiler must say: each file of tests/runtime/refused begins with

  // refused: TEXT             by every compiler
  // refused before g++ 15: TEXT   there only; any other compiler takes it
  // accepted                  the control: what is wrong in the others is only what they are about

Usage: refused_test.py FILE TWICE(0|1) COMPILER [FLAG ...]     TWICE: the compiler is a g++ before 15
SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys


def main():
    path, twice, compile_command = sys.argv[1], sys.argv[2] == "1", sys.argv[3:]
    with open(path, encoding="utf-8") as file:
        first = file.readline().strip()
    done = subprocess.run([*compile_command, "-std=c++20", "-fsyntax-only", path], capture_output=True, text=True)
    refused = re.fullmatch(r"// refused( before g\+\+ 15)?: (.+)", first)
    if not refused and first != "// accepted":
        sys.exit(f"{path}: the first line says neither what is refused nor that it is accepted")
    wanted = refused.group(2) if refused and (twice or not refused.group(1)) else None
    if wanted is None:
        if done.returncode != 0:
            sys.exit(f"{path} must compile and does not:\n{done.stderr[:4000]}")
    elif done.returncode == 0:
        sys.exit(f"{path} compiles, and must be refused with: {wanted}")
    elif wanted not in done.stderr:
        sys.exit(f"{path} is refused without saying: {wanted}\n{done.stderr[:4000]}")


main()
