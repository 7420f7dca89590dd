#!/usr/bin/env python3
"""Starts real servers for the suite and does them harm (conformance/servers/README.md is the protocol).

Usage: stile-conformance --driver 'driver.py redis-set [OPTIONS] [--server PROGRAM] [--shim FILE] [--unsynced]' \
         --level 4
OPTIONS is what the config string says behind the question mark, such as clock=manual&partitions=3. --shim: what is made
of shim.c; without it no power is cut and no clock is stepped. --unsynced: its servers do not sync each write, for what
kills none of them.
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None)


def end_with_parent():
    """In a child, before it becomes a server: whoever kills this program kills its servers."""
    PR_SET_PDEATHSIG = 1
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """One server on a free port of the loopback interface, its data in a folder."""

    def __init__(self, program, folder, name="primary", shim=None):
        self.program, self.folder, self.name = program, os.path.join(folder, name), name
        os.makedirs(self.folder, exist_ok=True)
        self.port = free_port()
        self.process = None
        self.environment = dict(os.environ)
        self.synced, self.clock = os.path.join(folder, name + ".synced"), os.path.join(folder, name + ".clock")
        if shim:
            self.step(0)
            self.environment.update(LD_PRELOAD=shim, STILE_SHIM_SYNCED=self.synced, STILE_SHIM_CLOCK=self.clock)

    def start(self, durable, *more):
        fsync = "always" if durable else "everysec"
        path = os.path.join(self.folder, "log")
        with open(path, "ab") as log:
            begun = log.tell()
            self.process = subprocess.Popen(
                [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save", "",
                 "--appendonly", "yes", "--appendfsync", fsync, "--auto-aof-rewrite-percentage", "0",
                 "--repl-diskless-sync-delay", "0", *more],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, preexec_fn=end_with_parent)

        def said():
            with open(path, encoding="utf-8", errors="replace") as log:
                log.seek(begun)
                return log.read()

        wait_until(lambda: self.process.poll() is not None or "Ready to accept connections" in said(),
                   "the server has read its data")
        if self.process.poll() is not None:
            raise RuntimeError("the server did not start: " + said()[-1000:])

    def ask(self, *words):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            text = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
            connection.sendall(text.encode())
            return read_reply(connection.makefile("rb"))

    def end(self, how=signal.SIGTERM):
        if self.process is None:
            return

        def ended():
            self.process.send_signal(how)  # again: one that writes its first AOF does not listen
            try:
                return self.process.wait(0.5) is not None
            except subprocess.TimeoutExpired:
                return False

        wait_until(ended, "the server ends")
        self.process = None

    def step(self, offset):
        """In place: the server has the file mapped."""
        with open(self.clock, "r+b" if os.path.exists(self.clock) else "wb") as file:
            file.write(struct.pack("=q", offset))

    def forget_unsynced(self):
        """Cuts the log where it was synced last. It is only ever added to. Answers how many bytes went."""
        safe, lost = {}, 0
        if os.path.exists(self.synced):
            with open(self.synced, encoding="utf-8") as file:
                for line in file:
                    size, path = line.rstrip("\n").split(" ", 1)
                    safe[path] = int(size)
        for folder, _, names in os.walk(os.path.realpath(self.folder)):
            for path in (os.path.join(folder, name) for name in names):
                if path.endswith(".incr.aof") or path.endswith("/appendonly.aof"):
                    lost += os.path.getsize(path) - safe.get(path, 0)
                    os.truncate(path, safe.get(path, 0))
        return lost


def read_reply(stream):
    line = stream.readline().decode().rstrip("\r\n")
    if line in ("$-1", "*-1"):
        return None
    if line[:1] == "$":
        return stream.read(int(line[1:]) + 2)[:-2].decode(errors="surrogateescape")
    if line[:1] == "*":
        return [read_reply(stream) for _ in range(int(line[1:]))]
    if line[:1] == "-":
        raise RuntimeError(line[1:])
    if line == "":
        raise OSError("the server closed the connection")
    return line[1:]


def wait_until(holds, what, patience=20):
    until = time.monotonic() + patience
    while not holds():
        if time.monotonic() > until:
            raise RuntimeError(f"waited {patience} s until {what}")
        time.sleep(0.01)


def free_port():
    """A port that no other driver of this machine takes while this program runs. None of those that the kernel gives to
    whoever connects, for callers would get it while its server is down; nor is that of a cluster's bus, 10000 above."""
    while True:
        port = random.randrange(10000, 20000)
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0stile-redis-port-{port}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
            claim.detach()  # it stays open
            return port
        except OSError:  # somebody has it
            claim.close()


def offset(server, name):
    return int(server.ask("INFO", "replication").split(name + ":")[1].split("\r")[0])


def used(server):
    return int(server.ask("INFO", "memory").split("used_memory:")[1].split("\r")[0])


class Driver:
    def __init__(self, scheme, options, program, shim, unsynced):
        self.scheme, self.options, self.program, self.shim, self.unsynced = scheme, options, program, shim, unsynced
        self.server = self.replica = None
        self.offset = 0
        self.can = ["stop", "kill", "freeze", "thaw", "fill", "unfill", "lag", "demote"]
        if shim:
            self.can += ["cut_power", "undurable", "clock"]

    def hello(self, line):
        self.folder = line["folder"]
        version = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True).stdout
        return {"driver": version.split(" sha=")[0], "can": self.can}

    def start(self, line):
        if self.server is None:
            self.server = Server(self.program, self.folder, shim=self.shim)
        if self.server.process is None:
            self.server.start(line.get("durable", True) and not self.unsynced)
        if "demote" in line.get("for", []) and self.replica is None:
            self.replica = Server(self.program, self.folder, "replica")
            self.replica.start(True, "--replicaof", "127.0.0.1", str(self.server.port))
            wait_until(lambda: "master_link_status:up" in self.replica.ask("INFO", "replication"), "it follows")
        return {"config": f"{self.scheme}://127.0.0.1:{self.server.port}/0?{self.options}"}

    def stop(self, line):
        self.server.end()

    def kill(self, line):
        self.server.end(signal.SIGKILL)

    def cut_power(self, line):
        self.server.end(signal.SIGKILL)
        return {"lost": self.server.forget_unsynced()}

    def clock(self, line):
        self.offset += line["by"]
        self.server.step(self.offset)
        return {"clock": time.time_ns() // 1000 + self.offset}

    def freeze(self, line):
        self.server.process.send_signal(signal.SIGSTOP)

    def thaw(self, line):
        self.server.process.send_signal(signal.SIGCONT)

    def fill(self, line):
        self.server.ask("CONFIG", "SET", "maxmemory", str(used(self.server) // 2))

    def unfill(self, line):
        self.server.ask("CONFIG", "SET", "maxmemory", "0")

    def lag(self, line):
        behind = offset(self.server, "master_repl_offset")  # what was acknowledged by now is there
        wait_until(lambda: offset(self.replica, "slave_repl_offset") >= behind, "the replica has what there is")
        self.replica.ask("REPLICAOF", "127.0.0.1", "1")  # where nobody is

    def demote(self, line):
        self.server.end(signal.SIGKILL)
        self.replica.ask("REPLICAOF", "NO", "ONE")
        self.server, self.replica = self.replica, None

    def end(self):
        for server in (self.server, self.replica):
            if server is not None and server.process is not None:
                server.process.send_signal(signal.SIGCONT)
                server.end(signal.SIGKILL)


def main():
    words, said = sys.argv[1:], {"--server": "redis-server", "--shim": None}
    for option in said:
        if option in words:
            at = words.index(option)
            said[option] = words[at + 1]
            del words[at:at + 2]
    unsynced = "--unsynced" in words
    words = [word for word in words if word != "--unsynced"]
    driver = Driver(words[0], words[1] if len(words) > 1 else "", said["--server"], said["--shim"], unsynced)
    try:
        for text in sys.stdin:
            try:
                line = json.loads(text)
                word = line["do"]
                if word not in ["hello", "start", *driver.can] or word == "undurable":
                    raise ValueError("it cannot")
                answer = {"ok": True, **(getattr(driver, word)(line) or {})}
            except Exception as error:  # whatever went wrong is for the report
                answer = {"ok": False, "error": str(error)}
            print(json.dumps(answer), flush=True)
    finally:
        driver.end()


if __name__ == "__main__":
    main()
