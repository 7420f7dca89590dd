#!/usr/bin/env python3
"""A driver for any embedded store: its server is the processes that have it open (README.md is the protocol).

Usage: stile-conformance --driver 'example_driver.py mystore:FOLDER/data' --only 'Servers.*'
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import sys

SIGNALS = {"kill": signal.SIGKILL, "freeze": signal.SIGSTOP, "thaw": signal.SIGCONT}
CAN = ["stop", *SIGNALS]
folder = None


def do(line):
    global folder
    word = line["do"]
    if word == "hello":
        folder = line["folder"]
        return {"driver": "the example", "embedded": True, "can": CAN}
    if word == "start":
        return {"config": sys.argv[1].replace("FOLDER", folder)}
    if word in SIGNALS:
        for caller in line["callers"]:
            os.kill(caller, SIGNALS[word])
    elif word not in CAN:
        raise ValueError("it cannot")
    return {}


for text in sys.stdin:
    try:
        answer = {"ok": True, **do(json.loads(text))}
    except Exception as error:  # whatever went wrong is for the report
        answer = {"ok": False, "error": str(error)}
    print(json.dumps(answer), flush=True)
