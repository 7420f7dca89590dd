#!/usr/bin/env python3
"""The C contract as compilers, linkers and readers of plugin files see it.

Usage: abi_test.py headers COMPILER ...      every C header, alone, in every language it claims, without padding
       abi_test.py plugin FILE ...           one exported symbol, a note that readelf reads, no library of the core
       abi_test.py statuses                  the statuses stand where the contract's table has them
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(TOP, "sdk", "include")
LANGUAGES = [("c", s) for s in ("c99", "c11", "c17")] + [("c++", s) for s in ("c++11", "c++14", "c++17", "c++20")]
ENTRY = "stile_plugin_entry_v1"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def c_headers():
    found = ["stile/abi.h"]
    for room in ("abi", "sdk"):
        folder = os.path.join(INCLUDE, "stile", room)
        found += [f"stile/{room}/{name}" for name in sorted(os.listdir(folder)) if name.endswith(".h")]
    return found


def compile_one(job):
    header, compiler, language, standard = job
    # Helpers are functions of ours, not layout: only the contract itself must be free of padding.
    padded = ["-Wpadded"] if "/sdk/" not in header else []
    done = run(compiler, "-x", language, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
               "-Werror", *padded, f"-I{INCLUDE}", "-",
               input=f'#include "{header}"\ntypedef int stile_test_something;\n')
    return None if done.returncode == 0 else f"{header}, {compiler} -std={standard}:\n{done.stderr}"


def headers(compilers):
    jobs = [(h, c, language, standard) for h in c_headers() for c in compilers for language, standard in LANGUAGES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [f for f in pool.map(compile_one, jobs) if f]
    # A header with padding must fail here, or nothing above was tested.
    bad = "#include <stdint.h>\nstruct s { uint32_t a; uint64_t b; };\nint n[sizeof(struct s)];\n"
    for compiler in compilers:
        if run(compiler, "-x", "c", "-std=c99", "-fsyntax-only", "-Wpadded", "-Werror", "-", input=bad).returncode == 0:
            failed.append(f"{compiler} does not see padding")
    print(f"{len(jobs)} compiled")
    return failed if jobs else ["no headers"]


def plugin(path):
    failed = []
    symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path, check=True).stdout.splitlines()]
    if symbols != [ENTRY]:
        failed.append(f"{path} exports {symbols}, not only {ENTRY}")
    notes = run("readelf", "--notes", "--wide", path)
    if notes.stderr.strip():
        failed.append(f"{path}: readelf says {notes.stderr}")
    name = os.path.basename(path).removesuffix(".so").encode().hex(" ")
    described = re.search(r"Stile\s+0x[0-9a-f]+\s[^\n]*?description data: ([0-9a-f ]+)", notes.stdout)
    if not described or name not in described.group(1) or not described.group(1).startswith("00 00 01 00 "):
        failed.append(f"{path} has no note that names revision 1.0 and its own name:\n{notes.stdout}")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", path, check=True).stdout)
    failed += [f"{path} needs {library}: plugins never link the core" for library in needed if "stile" in library]
    return failed


def statuses():
    with open(os.path.join(TOP, "conformance", "CONTRACT.md"), encoding="utf-8") as contract:
        table = re.search(r"^\| status \|.*?\n\n", contract.read(), re.S | re.M)
    promised = [row for row in re.findall(r"^\| `(\w+)`", table.group(0), re.M)] if table else []
    with open(os.path.join(INCLUDE, "stile", "abi", "status.h"), encoding="utf-8") as header:
        said = re.findall(r"X\(\w+, (\d+), (\w+),", header.read())
    if not promised:
        return ["the contract's table of statuses was not found"]
    return [] if [(str(i), name) for i, name in enumerate(promised)] == said else [f"{said} is not {promised}"]


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "headers":
        failed = headers(arguments)
    elif what == "plugin":
        failed = [f for path in arguments for f in plugin(path)]
    else:
        failed = statuses()
    print("\n".join(failed))
    sys.exit(1 if failed else 0)


main()
