#!/usr/bin/env python3
"""Starts real servers for the suite and does them harm (conformance/servers/README.md is the protocol).

Usage: stile-conformance --driver 'driver.py [OPTIONS] [--shim FILE]' --level 4
OPTIONS is what the config string says behind the question mark, such as clock=manual. --shim: the library that power
cuts and stepped clocks need.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from server import LIBC, Server, give, wait_until  # noqa: E402

ROOM = 48 << 20


class Disk:
    """A small disk for what a database keeps; the server's log lies elsewhere, as where one cares for it."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.mount(ROOM)
        give(folder)
        os.mkdir(folder + "/space")
        give(folder + "/space")

    def mount(self, size, how="nosuid,nodev"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"{how},size={size}", "tmpfs", self.folder], check=True,
                       capture_output=True)

    def fill(self):
        with open(self.folder + "/filler", "ab", buffering=0) as file:
            size = 1 << 20
            while size > 0:  # ever less at a time, until there is no room for one byte
                try:
                    if file.write(b"x" * size) == size:
                        continue
                except OSError:
                    pass
                size //= 2

    def make_room(self):
        """As much as at first, whatever the store has come to keep."""
        os.remove(self.folder + "/filler")
        space = os.statvfs(self.folder)
        self.mount((space.f_blocks - space.f_bfree) * space.f_frsize + ROOM, "remount")

    def end(self):
        subprocess.run(["umount", "-l", self.folder], capture_output=True)


def keep_mounts():
    """What we mount is gone with us and our servers, however we end."""
    CLONE_NEWNS = 0x00020000
    if os.geteuid() == 0 and LIBC.unshare(CLONE_NEWNS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True)


def can_mount(folder):
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True)
    if done.returncode == 0:
        subprocess.run(["umount", folder], capture_output=True)
    return done.returncode == 0


def take_back(journal):
    """Undoes what was written and not synced, the latest first; the entries are those of shim.cpp."""
    head = struct.Struct("=IIQQQ")
    with open(journal, "rb") as file:
        every = file.read()
    entries, at = [], 0
    while at + head.size <= len(every):
        what, name_size, offset, overwritten, old_size = head.unpack_from(every, at)
        at += head.size
        if at + name_size + overwritten > len(every):
            break  # killed while it wrote this: not begun
        name = every[at:at + name_size]
        entries.append((what, name, offset, every[at + name_size:at + name_size + overwritten], old_size))
        at += name_size + overwritten
    synced, lost = set(), 0
    for what, name, offset, old, old_size in reversed(entries):
        if what == 2:
            synced.add(name)
        elif name not in synced and os.path.exists(name):
            with open(name, "r+b") as file:
                now = os.fstat(file.fileno()).st_size
                file.seek(offset)
                lost += sum(a != b for a, b in zip(file.read(len(old)), old)) + max(0, now - old_size)
                file.seek(offset)
                file.write(old)
                file.truncate(old_size)
    return lost


class Driver:
    def __init__(self, options, shim):
        self.options, self.shim = options, shim
        self.server = self.standby = self.disk = None
        self.all = []  # what the config string names
        self.offset = self.cuts = 0
        self.durable = True
        self.can = ["stop", "kill", "freeze", "thaw", "read_only", "writable", "lag", "demote"]
        if shim:
            self.can += ["cut_power", "undurable", "clock"]

    def hello(self, line):
        self.folder = line["folder"]
        if can_mount(self.folder + "/disk"):
            self.can += ["fill", "unfill"]
        server = Server(self.folder + "/primary")
        return {"driver": server.run("postgres", "--version"), "can": self.can}

    def start(self, line):
        words = line.get("for", [])
        if self.server is None:
            self.server = Server(self.folder + "/primary")
            self.all.append(self.server)
            self.make(words)
        if self.server.process is None:
            for old in (self.journal, self.held):
                if os.path.exists(old):
                    os.remove(old)
            self.server.start()
        if "fill" in words and self.disk is None:
            self.disk = Disk(self.folder + "/disk")
            self.server.sql(f"CREATE TABLESPACE small LOCATION '{self.disk.folder}/space'", database="postgres")
            self.server.sql("ALTER DATABASE stile SET TABLESPACE small", database="postgres")
        if "demote" in words and len(self.all) == 1:
            self.standby = Server(self.folder + "/standby").follow(self.server).start()
            self.all.append(self.standby)
        self.durable = line.get("durable", True)
        options = [self.options] if self.options else []
        if not self.durable:
            options.append("synchronous_commit=off")
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in self.all)
        return {"config": f"postgres://postgres@{hosts}/stile?" + "&".join(["prepare=auto", *options])}

    def make(self, words):
        environment = {}
        if "cut_power" in words:
            environment |= {"STILE_SHIM_JOURNAL": self.journal, "STILE_SHIM_SYNC_HELD_BY": self.held}
        if "clock" in words:
            with open(self.folder + "/clock", "wb") as file:
                file.write(struct.pack("=q", 0))
            environment["STILE_SHIM_CLOCK"] = self.folder + "/clock"
        self.server.make()
        if environment:
            self.server.environment = {**environment, "LD_PRELOAD": self.shim}

    @property
    def journal(self):
        return self.folder + "/primary/journal"

    @property
    def held(self):
        return self.folder + "/primary/held"

    def stop(self, line):
        self.server.stop()

    def kill(self, line):
        self.server.kill()

    def freeze(self, line):
        self.server.freeze()

    def thaw(self, line):
        self.server.thaw()

    def cut_power(self, line):
        """Every other cut is in the middle of a sync, so that there is something to take back however fast the disk."""
        self.cuts += 1
        if self.durable and self.cuts % 2 == 1:
            self.hold_syncs()
        self.server.kill()
        return {"lost": take_back(self.journal)}

    def hold_syncs(self):
        """Until whoever writes has come to its sync."""
        open(self.held, "w", encoding="utf-8").close()
        until, size, still = time.monotonic() + 2, -1, time.monotonic()
        while time.monotonic() < min(until, still + 0.05):
            now = os.stat(self.journal).st_size
            if now != size:
                size, still = now, time.monotonic()
            time.sleep(0.001)

    def fill(self, line):
        self.disk.fill()

    def unfill(self, line):
        self.disk.make_room()

    def read_only(self, line):
        """As a service does to a database that is too large."""
        self.server.reload(default_transaction_read_only="on")

    def writable(self, line):
        self.server.reload(default_transaction_read_only="off")

    def clock(self, line):
        self.offset += line["by"]
        with open(self.folder + "/clock", "r+b", buffering=0) as file:
            file.write(struct.pack("=q", self.offset))
        seconds = self.server.sql("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
        return {"clock": int(seconds)}

    def lag(self, line):
        """The link to the standby is cut; until then it had everything."""
        behind = "SELECT coalesce(max(pg_current_wal_lsn() - replay_lsn), 1) > 0 FROM pg_stat_replication"
        wait_until(lambda: self.server.sql(behind) == "f", "the standby has followed")
        self.standby.sql("ALTER SYSTEM SET primary_conninfo TO ''", database="postgres")
        self.standby.sql("SELECT pg_reload_conf()", database="postgres")
        wait_until(lambda: self.server.sql("SELECT count(*) FROM pg_stat_replication") == "0", "the link is cut")

    def demote(self, line):
        self.server.kill()
        self.standby.promote()
        self.server, self.standby = self.standby, None

    def end(self):
        for server in self.all:
            if server.process is not None:
                server.thaw()
                server.stop(signal.SIGQUIT)
        if self.disk:
            self.disk.end()


def main():
    words, shim = sys.argv[1:], None
    if "--shim" in words:
        at = words.index("--shim")
        shim = os.path.realpath(words[at + 1])
        del words[at:at + 2]
    keep_mounts()
    driver = Driver(words[0] if words else "", shim)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        for text in sys.stdin:
            try:
                line = json.loads(text)
                word = line["do"]
                if word not in ["hello", "start", *driver.can]:
                    raise ValueError("it cannot")
                answer = {"ok": True, **(getattr(driver, word)(line) or {})}
            except Exception as error:  # whatever went wrong is for the report
                answer = {"ok": False, "error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), flush=True)
    finally:
        driver.end()


if __name__ == "__main__":
    main()
