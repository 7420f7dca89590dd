#!/usr/bin/env python3
"""Does what documents for store authors say, as a stranger would: with nothing but an installed Stile.

Usage: howto_test.py BUILD C++-COMPILER DOCUMENT...

Blocks of ```cpp are the next piece of shelf.cpp, ```make is the Makefile, ```python is driver.py. Of ```console every
line that begins with "$ " is run, and the lines below must be what it prints: "..." stands for anything within a line,
and alone for any lines. ```console fails: the last command must say no. Other blocks are only shown.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time


WHOLE_FILES = {"make": "Makefile", "python": "driver.py"}


def blocks_of(document):
    """Yields (line number, words after the fence, text)."""
    words, begin, text = None, 0, []
    for number, line in enumerate(open(document, encoding="utf-8"), 1):
        if not line.startswith("```"):
            if words is not None:
                text.append(line)
        elif words is None:
            words, begin, text = line[3:].split(), number, []
        else:
            yield begin, words, "".join(text)
            words = None


def pattern_of(lines):
    """A regular expression for what is said to be seen."""
    out = ""
    for line in lines:
        if line == "...":
            out += r"(?:.*\n)*?"
        else:
            pieces = re.split(r"\s*\.\.\.\s*", line)
            out += ".*?".join(re.escape(piece) for piece in pieces) + r"[ \t]*\n"
    return re.compile(out)


def commands_of(text):
    """Yields (command, lines that it prints)."""
    command, seen = None, []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, seen
            command, seen = line[2:], []
        elif command is not None:
            seen.append(line)
    if command is not None:
        yield command, seen


def run(place, command, seen, fails, work, environment):
    begun = time.monotonic()
    done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=900)
    print(f"{place}: $ {command}  ({time.monotonic() - begun:.1f} s)", flush=True)
    wrong = ""
    if fails != (done.returncode != 0):
        wrong = f"it ended with {done.returncode}"
    elif not pattern_of(seen).fullmatch(done.stdout):
        wrong = "it does not print what the document says"
    if wrong:
        print(done.stdout[-20000:])
        print("said to be seen:\n" + "\n".join(seen))
        sys.exit(f"{place}: {command}: {wrong}")


def install(build, prefix):
    """What a stranger has; answers the environment that the documents ask for."""
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    configs = [root for root, _, files in os.walk(prefix) if "stile-sdk.pc" in files]
    not_ours = ("STILE_", "LD_", "MAKE", "MFLAGS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(not_ours)}
    return dict(kept, HOME=prefix, PATH=os.path.join(prefix, "bin") + ":" + os.environ["PATH"],
                PKG_CONFIG_PATH=configs[0])


def follow(document, work, environment):
    """Answers how many commands were run."""
    count = 0
    for number, words, text in blocks_of(document):
        kind = words[0] if words else ""
        if kind == "cpp":
            with open(os.path.join(work, "shelf.cpp"), "a", encoding="utf-8") as out:
                out.write(text)
        elif kind in WHOLE_FILES:
            with open(os.path.join(work, WHOLE_FILES[kind]), "w", encoding="utf-8") as out:
                out.write(text)
        elif kind == "console":
            commands = list(commands_of(text))
            for i, (command, seen) in enumerate(commands):
                fails = words[1:] == ["fails"] and i + 1 == len(commands)
                run(f"{os.path.basename(document)}:{number}", command, seen, fails, work, environment)
            count += len(commands)
    return count


def main():
    build, compiler, documents = sys.argv[1], sys.argv[2], sys.argv[3:]
    work = tempfile.mkdtemp(prefix="stile-howto.")
    try:
        environment = dict(install(build, os.path.join(work, "prefix")), CXX=compiler, CXXFLAGS="-O0")
        folder = os.path.join(work, "shelf")
        os.mkdir(folder)
        for document in documents:
            if follow(document, folder, environment) == 0:
                sys.exit(f"{document}: no command was found in it")
    finally:
        shutil.rmtree(work, ignore_errors=True)


main()
