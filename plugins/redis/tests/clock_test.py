#!/usr/bin/env python3
"""A server whose clock steps.

Environment: as own_test.py, and STILE_TEST_SHIM (what is made of shim.c).
SPDX-License-Identifier: Apache-2.0
"""
import os
import signal
import unittest

from stores import SERVER, OnServer, driver


class Clock(OnServer):
    def test_what_was_ready_stays_so_when_it_steps_back(self):
        server = driver.Server(SERVER, self.folder, "stepped", os.environ["STILE_TEST_SHIM"])
        server.start(False)
        try:
            store = self.open(server=server)
            server.step(3_600_000_000)
            at = store.call("enqueue", workflow="w")["visible_at"]
            server.step(-3_600_000_000)
            got = store.call("receive", lease="1h", wait="20s")
            self.assertEqual([d["workflow"] for d in got["deliveries"]], ["w"])
            self.assertGreaterEqual(got["store_time"], at)
            self.assertGreaterEqual(store.call("info")["store_time"], at)
            store.call("enqueue", workflow="x", delay="100ms")  # it does not stand still either
            got = store.call("receive", lease="1h", wait="20s")
            self.assertEqual([d["workflow"] for d in got["deliveries"]], ["x"])
        finally:
            server.end(signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
