#!/usr/bin/env python3
"""Every header compiles alone: what it needs, it includes. A header that its own source includes before all else is
compiled so by the build, and not here once more.

Usage: headers_test.py C++-COMPILER C-COMPILER [FLAG ...]
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import os
import re
import subprocess
import sys

INCLUDED = ["sdk/include", "core/include", "core", "conformance/include", "conformance"]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def headers():
    command = ["git", "-C", TOP, "ls-files", "--cached", "--others", "--exclude-standard", "*.h", "*.hpp"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    return [p for p in listed.stdout.split("\n")
            if p.startswith(("sdk/", "core/", "conformance/")) and os.path.exists(os.path.join(TOP, p))]


def comes_first(path):
    """Does the source beside it, of its name, begin with it?"""
    source = os.path.join(TOP, os.path.splitext(path)[0] + ".cpp")
    if not os.path.exists(source):
        return False
    with open(source, encoding="utf-8") as file:
        first = re.search(r'^#include "(.*)"|^#include <', file.read(), re.M)
    return first is not None and first[1] is not None and path.endswith("/" + first[1])


def compile_alone(job):
    path, compiler, flags = job
    source = f'#include "{os.path.join(TOP, path)}"\n'
    done = subprocess.run([*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", *flags,
                           *(f"-I{TOP}/{d}" for d in INCLUDED), "-"],
                          input=source, capture_output=True, text=True)
    return (path, done.stderr) if done.returncode else None


def main():
    cxx, cc, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
    jobs, first = [], 0
    for path in headers():
        if comes_first(path):
            first += 1
            continue
        jobs.append((path, [cxx, "-x", "c++", "-std=c++20"], flags))
        if path.endswith(".h"):
            jobs.append((path, [cc, "-x", "c", "-std=c99"], flags))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [f for f in pool.map(compile_alone, jobs) if f]
    for path, text in failed:
        print(f"{path} does not compile alone:\n" + "\n".join(text.split("\n")[:12]))
    print(f"headers: {len(jobs)} compiled alone, {len(failed)} failed; {first} are first in their source")
    sys.exit(1 if failed or not jobs else 0)


main()
