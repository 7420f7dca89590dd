#!/usr/bin/env python3
"""Connecting: encryption, passwords, and what is refused with the fix.

Environment: as own_test.py.
SPDX-License-Identifier: Apache-2.0
"""
import os
import socket
import subprocess
import threading
import time
import unittest

from stores import LUA, SERVER, SCHEME, OnServer, driver, fresh_folder, told

class Impostor(threading.Thread):
    """Answers whatever is asked with the same, and is no server at all."""

    def __init__(self, text):
        super().__init__(daemon=True)
        self.text, self.listener = text.encode(), socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                if connection.recv(65536):
                    connection.sendall(self.text)
                    connection.settimeout(5)
                    try:
                        while connection.recv(65536):
                            connection.sendall(self.text)
                    except OSError:
                        pass

    def close(self):
        self.listener.close()


class Refused(OnServer):
    def said(self, port, login=""):
        return told(f"{SCHEME}://{login}127.0.0.1:{port}/0?namespace={self.ns()}&prepare=auto")

    def impostor(self, text):
        other = Impostor(text)
        try:
            return self.said(other.port)
        finally:
            other.close()

    def test_another_program(self):
        said = self.impostor("HTTP/1.1 400 Bad Request\r\n\r\n")
        self.assertIn("no Redis", said)
        self.assertIn("unsupported", said)

    def test_one_that_is_too_old(self):
        info = "# Server\r\nredis_version:5.0.14\r\nrole:master\r\n"
        said = self.impostor("+OK\r\n" + f"${len(info)}\r\n{info}\r\n" + "*0\r\n")
        self.assertIn("6.2 or newer", said)

    def test_one_in_protected_mode(self):
        self.assertIn("set a password", self.impostor("-DENIED Redis is running in protected mode\r\n"))

    def test_one_of_a_cluster(self):
        node = driver.Server(SERVER, self.folder, "node")
        node.start(False, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf")
        try:
            self.assertIn("cluster-enabled no", self.said(node.port))
        finally:
            node.end()

    def test_one_without_scripts(self):
        bare = driver.Server(SERVER, self.folder, "bare")
        bare.start(False, "--rename-command", "EVALSHA", "")
        try:
            self.assertIn("lacks a command", self.said(bare.port))
        finally:
            bare.end()

    def test_a_user_who_may_not_do_all_of_it(self):
        self.ask("ACL", "SETUSER", "poor", "on", ">secret", "~*", "&*", "+@all", "-zadd")
        said = self.said(self.server.port, "poor:secret@")
        self.assertIn("ZADD", said)
        self.assertIn("denied", said)

    def test_the_user_of_the_readme_may(self):
        with open(os.path.join(LUA, "..", "..", "README.md"), encoding="utf-8") as file:
            words = next(line for line in file if line.startswith("ACL SETUSER")).split()
        self.ask(*[word.replace("orders", self.ns()) for word in words])
        said = self.said(self.server.port, "stile:secret@")
        self.assertIn('"ok"', said)


class Login(OnServer):
    server_options = ("--requirepass", "secret")

    def test_a_password(self):
        self.assertEqual(self.open(login=":secret@").call("info")["status"], "ok")
        said = told(self.config())
        self.assertIn("password", said)
        self.assertNotIn("secret", said)


class Encrypted(OnServer):
    """Against a server with a certificate of our own making."""

    @classmethod
    def setUpClass(cls):
        cls.folder = fresh_folder()
        cls.make_certificates()
        cls.server = cls.start("tls", "--tls-auth-clients", "no")

    @classmethod
    def file(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def openssl(cls, *words):
        subprocess.run(["openssl", *words], cwd=cls.folder, check=True, capture_output=True)

    @classmethod
    def make_certificates(cls):
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-batch")
        cls.openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca", "-days", "2")
        with open(cls.file("names"), "w", encoding="utf-8") as file:
            file.write("subjectAltName=IP:127.0.0.1,DNS:redis.example")
        for name in ("server", "client"):
            cls.openssl("req", *key, "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
            cls.openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                        "-days", "2", "-extfile", "names", "-out", name + ".crt")

    @classmethod
    def start(cls, name, *more):
        server = driver.Server(SERVER, cls.folder, name)
        server.start(False, "--port", "0", "--tls-port", str(server.port),
                     "--tls-cert-file", cls.file("server.crt"),
                     "--tls-key-file", cls.file("server.key"), "--tls-ca-cert-file", cls.file("ca.crt"), *more)
        return server

    def options(self, *more):
        return "&".join(["prepare=auto", "tls=yes", "tls_ca=" + self.file("ca.crt"), *more])

    def said(self, options, server=None, **more):
        return told(self.config(options, server=server), **more)

    def test_calls_and_pushes(self):
        def heard():
            store, other = self.open(options=self.options()), self.open(options=self.options())
            other.call("info")
            store.send({"op": "receive", "lease": "1h", "wait": "50s"})
            begun = time.monotonic()
            got = other.call("supply", workflow="w", key="k", value="v" * 300000, enqueue={})
            self.assertEqual(got["status"], "ok")
            self.assertEqual(store.answer()["deliveries"][0]["workflow"], "w")
            self.assertEqual(len(other.call("load", workflow="w")["records"][0]["value"]), 300000)
            return time.monotonic() - begun < 4  # sooner than who hears nothing looks again

        self.in_time(heard)

    def test_a_certificate_that_nobody_trusts(self):
        said = self.said("prepare=auto&tls=yes")
        self.assertIn("certificate", said)
        self.assertIn("denied", said)

    def test_a_certificate_for_another(self):
        self.assertIn('"ok"', self.said(self.options("tls_name=redis.example")))
        self.assertIn("certificate", self.said(self.options("tls_name=other.example")))

    def test_files_that_are_not_there(self):
        self.assertIn("tls_ca=/nowhere", self.said("prepare=auto&tls=yes&tls_ca=/nowhere"))
        self.assertIn("go together", self.said(self.options("tls_cert=" + self.file("client.crt"))))

    def test_one_side_alone(self):
        self.in_time(lambda: "unavailable" in self.said("prepare=auto", deadline="3s"))
        plain = driver.Server(SERVER, self.folder, "plain")
        plain.start(False)
        try:
            self.in_time(lambda: "TLS with" in self.said(self.options(), plain, deadline="3s"))
        finally:
            plain.end()

    def test_a_server_that_wants_to_know_its_clients(self):
        strict = self.start("strict", "--tls-auth-clients", "yes")
        try:
            self.assertNotIn('"ok"', self.said(self.options(), strict, deadline="3s"))
            mine = ("tls_cert=" + self.file("client.crt"), "tls_key=" + self.file("client.key"))
            self.assertIn('"ok"', self.said(self.options(*mine), strict))
        finally:
            strict.end()


if __name__ == "__main__":
    unittest.main()
