#!/usr/bin/env python3
"""Installs the build into a temporary folder and builds other people's projects against it, each its own way.

Usage: consumers_test.py find_package|subdirectory|pkg_config BUILD SOURCE C++-COMPILER C-COMPILER
SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command, **keywords):
    done = subprocess.run(command, capture_output=True, text=True, **keywords)
    if done.returncode:
        print("$", *command, f"\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        sys.exit(f"consumers: {command[0]} ended with {done.returncode}")
    return done.stdout


def install(build, prefix):
    run("cmake", "--install", build, "--prefix", prefix)
    library = "lib"
    for root, _, files in os.walk(prefix):
        if "stile.pc" in files:
            library = os.path.relpath(os.path.dirname(root), prefix)
    return os.path.join(prefix, library)


def with_cmake(work, project, cxx, cc, *arguments):
    build = os.path.join(work, "build")
    run("cmake", "-S", project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_COMPILER={cxx}",
        f"-DCMAKE_C_COMPILER={cc}", *arguments)
    run("cmake", "--build", build)
    return build


def quickly(build):
    """Built as the build is, a compiler cache has what that compiled; else the compiler is asked for little."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        cache = shutil.which("ccache") if "CMAKE_BUILD_TYPE:STRING=Release\n" in file.read() else None
    if not cache:
        return ["-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    launchers = [f"-DCMAKE_{language}_COMPILER_LAUNCHER={cache}" for language in ("C", "CXX")]
    return ["-DCMAKE_BUILD_TYPE=Release", *launchers]


def judge(program, tiny, plugins):
    """The program runs with the plugins that were installed, and the plugin has its one symbol."""
    environment = dict(os.environ, STILE_PLUGIN_PATH=plugins)
    print(run(program, "memory:", env=environment), end="")
    symbols = run("nm", "-D", "--defined-only", tiny)
    names = [line.split()[-1] for line in symbols.strip().split("\n")]
    if names != ["stile_plugin_entry_v1"]:
        sys.exit(f"consumers: the plugin exports {names}")


def greet(driver):
    """The driver that the suite's README shows is there, and runs."""
    said = run(driver, "store:FOLDER", input='{"do": "hello", "folder": "/nowhere"}\n')
    if '"can"' not in said:
        sys.exit(f"consumers: the driver that was installed says {said}")


def main():
    way, build, source, cxx, cc = sys.argv[1:6]
    work = tempfile.mkdtemp(prefix="stile-consumer.")
    try:
        project = os.path.join(HERE, way)
        if way == "subdirectory":
            made = with_cmake(work, project, cxx, cc, f"-DSTILE_SOURCE={source}", *quickly(build))
            judge(os.path.join(made, "consumer"), os.path.join(made, "tiny.so"), os.path.join(made, "plugins"))
            return
        prefix = os.path.join(work, "prefix")
        library = install(build, prefix)
        plugins = os.path.join(library, "stile", "plugins")
        if way == "find_package":
            greet(os.path.join(prefix, "share", "stile", "conformance", "example_driver.py"))
            made = with_cmake(work, project, cxx, cc, f"-DCMAKE_PREFIX_PATH={prefix}")
        else:
            made = os.path.join(work, "make")
            shutil.copytree(project, made)
            for name in ("consumer.cpp", "tiny.c"):
                shutil.copy(os.path.join(HERE, name), work)
            environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(library, "pkgconfig"), CXX=cxx, CC=cc)
            run("make", "-C", made, env=environment)
        judge(os.path.join(made, "consumer"), os.path.join(made, "tiny.so"), plugins)
    finally:
        shutil.rmtree(work, ignore_errors=True)


main()
