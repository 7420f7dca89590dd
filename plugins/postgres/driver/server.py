"""Private PostgreSQL servers in folders of their own, for drivers and tests: nothing of the machine's own is touched.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import glob
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# What harms nobody and is not waited for; a test that runs for seconds needs no more memory than that.
SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "max_connections": "300",
    "shared_buffers": "'256MB'",
    "log_min_messages": "warning",
    # Killed servers leave nothing in the machine's shared memory.
    "dynamic_shared_memory_type": "mmap",
    # Senders whose receiver was cut off are gone soon.
    "wal_sender_timeout": "'2s'",
    # A standby whose primary is gone looks for another way soon.
    "wal_retrieve_retry_interval": "'100ms'",
}


def programs():
    """The folder of the newest server that is installed."""
    said = os.environ.get("STILE_POSTGRES_BIN")
    found = [said] if said else sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda f: int(f.split("/")[4]))
    if not said and shutil.which("pg_config"):
        found.insert(0, subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True).stdout.strip())
    found = [folder for folder in found if os.access(folder + "/postgres", os.X_OK)]
    if not found:
        raise RuntimeError("no PostgreSQL server is installed (postgresql-15); STILE_POSTGRES_BIN names another place")
    return found[-1]


def wait_until(holds, what, patience=60):
    until = time.monotonic() + patience
    while not holds():
        if time.monotonic() > until:
            raise RuntimeError(f"waited {patience} s until {what}")
        time.sleep(0.01)


def free_port():
    """One that no outgoing connection is given: a caller who tries again and again would meet itself there, and a
    server that was killed would not get it back."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="utf-8") as file:
            first = int(file.read().split()[0])
    except (OSError, ValueError):
        first = 32768
    while True:
        port = random.randrange(10000, first) if first > 12000 else 0
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return probe.getsockname()[1]
            except OSError:
                pass


def owner():
    """Who runs it: the server refuses to be run by root."""
    if os.geteuid() != 0:
        return {}
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:  # a server that no package made a user for
        user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_us():
    """In a child: who started it may be killed, and leaves no server behind."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


def give(path):
    if os.geteuid() == 0:
        user = owner()
        os.chown(path, user["user"], user["group"])


def let_through(folder):
    """The server's user must get to the folder: what is ours below the folder of temporary files is opened for that."""
    top = os.path.realpath(tempfile.gettempdir()) + "/"
    at = os.path.realpath(folder)
    while at.startswith(top):
        status = os.stat(at)
        if status.st_uid == os.geteuid() and not status.st_mode & 0o001:
            os.chmod(at, status.st_mode & 0o7777 | 0o011)
        at = os.path.dirname(at)


def processes_of(pid):
    """A process and its children, as far as they are not over."""
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        state, parent = text[text.rindex(")") + 2:].split()[:2]
        number = int(stat.split("/")[2])
        if (number == pid or int(parent) == pid) and state not in "ZX":
            found.append(number)
    return found


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Server:
    """One server: made at its first start, listening on a socket in its folder and on a free port of 127.0.0.1."""

    def __init__(self, folder):
        self.bin, self.folder = programs(), os.path.abspath(folder)
        self.data = self.folder + "/data"
        self.process = None
        self.environment = {}
        self.clean = {k: v for k, v in os.environ.items() if not k.startswith("PG") and k != "LD_PRELOAD"}

    def run(self, name, *words, **more):
        done = subprocess.run([f"{self.bin}/{name}", *words], capture_output=True, text=True, env=self.clean, cwd="/",
                              **more)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout.strip()

    def make(self, **settings):
        os.makedirs(self.folder, exist_ok=True)
        give(self.folder)
        let_through(self.folder)
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                 "--no-sync", **owner())
        self.configure(port=free_port(), unix_socket_directories=f"'{self.folder}'", **SETTINGS, **settings)

    def configure(self, **settings):
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    @property
    def port(self):
        with open(self.data + "/postgresql.conf", encoding="utf-8") as file:
            return int([line for line in file if line.startswith("port = ")][-1].split()[2])

    @property
    def url(self):
        return f"postgres://postgres@127.0.0.1:{self.port}/stile"

    def status(self):
        """What its postmaster writes down: ready, standby, starting ..., None."""
        try:
            with open(self.data + "/postmaster.pid", encoding="utf-8") as file:
                return file.read().split("\n")[7].strip()
        except (OSError, IndexError):
            return None

    def start(self, stays=False):
        """stays: it goes on when we end."""
        if not os.path.exists(self.data):
            self.make()
        let_through(self.folder)
        made = self.folder + "/made"
        tries = 1 if os.path.exists(made) else 5
        while not self.begin(stays):
            tries -= 1
            if tries == 0 or "could not bind" not in self.log():
                raise RuntimeError("the server did not start: " + self.log()[-2000:])
            self.configure(port=free_port())  # somebody was faster
        if self.status() == "ready" and not os.path.exists(made):
            self.sql("CREATE DATABASE stile", database="postgres")
            open(made, "w", encoding="utf-8").close()
        return self

    def begin(self, stays):
        """Whether it runs."""
        with open(self.folder + "/log", "ab") as log:
            self.process = subprocess.Popen(
                [self.bin + "/postgres", "-D", self.data], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**self.clean, **self.environment}, cwd="/", preexec_fn=None if stays else end_with_us, **owner())
        pid, ready = self.process.pid, ("ready", "standby")
        wait_until(lambda: self.process.poll() is not None or self.pid() == pid and self.status() in ready,
                   "the server is ready")
        if self.process.poll() is None:
            return True
        self.process = None
        return False

    def log(self):
        with open(self.folder + "/log", encoding="utf-8", errors="replace") as log:
            return log.read()

    def pid(self):
        try:
            with open(self.data + "/postmaster.pid", encoding="utf-8") as file:
                return int(file.readline())
        except (OSError, ValueError):
            return None

    def sql(self, text, database="stile", **variables):
        words = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
        return self.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *words, "-h", self.folder, "-p", str(self.port), "-U",
                        "postgres", "-d", database, input=text)

    def reload(self, **settings):
        self.configure(**settings)
        os.kill(self.process.pid, signal.SIGHUP)
        for name, value in settings.items():
            wait_until(lambda: self.sql(f"SHOW {name}") == value.strip("'"), f"{name} is {value}")

    def stop(self, how=signal.SIGINT):
        """As its owner would; with SIGQUIT at once."""
        if self.process is not None:
            self.process.send_signal(how)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def freeze(self):
        """None of its processes does anything."""
        frozen = []
        while len(frozen) < len(found := processes_of(self.process.pid)):
            send(found, signal.SIGSTOP)
            frozen = found

    def thaw(self):
        send(processes_of(self.process.pid), signal.SIGCONT)

    def kill(self):
        """All of its processes, where they stand; none is left that could still commit."""
        if self.process is None:
            return
        self.freeze()
        pids = processes_of(self.process.pid)
        send(pids, signal.SIGKILL)
        self.process.wait()
        wait_until(lambda: not any(over(pid) is False for pid in pids), "its processes are gone")
        self.process = None
        self.leave_nothing()

    def leave_nothing(self):
        """A killed server leaves a segment of the machine's shared memory, which the next start would remove."""
        try:
            with open(self.data + "/postmaster.pid", encoding="utf-8") as file:
                words = file.read().split("\n")[6].split()
        except (OSError, IndexError):
            return
        if len(words) == 2:
            subprocess.run(["ipcrm", "-m", words[1]], capture_output=True)

    def follow(self, primary):
        """A standby that streams from a primary; not started."""
        os.makedirs(self.folder, exist_ok=True)
        give(self.folder)
        let_through(self.folder)
        self.run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync", "-h",
                 primary.folder, "-p", str(primary.port), "-U", "postgres", **owner())
        self.configure(port=free_port(), unix_socket_directories=f"'{self.folder}'")
        open(self.folder + "/made", "w", encoding="utf-8").close()
        return self

    def promote(self):
        self.sql("SELECT pg_promote(true, 60)", database="postgres")
        wait_until(lambda: self.sql("SELECT pg_is_in_recovery()") == "f", "it is promoted")


def over(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
        return text[text.rindex(")") + 2] in "ZX"
    except OSError:
        return True


if __name__ == "__main__":
    sys.exit("a module of driver.py, private_server and the tests")
