"""A place of its own for each test, the scripted daemon, and the real one where it was built."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

CLIENTS = Path(__file__).resolve().parent.parent.parent

#: The built `surfaced`. Without it a test fails where CI=true, and elsewhere says so and is left out.
BINARY = os.environ.get("SURFACED_TEST_BIN")

needs_daemon = unittest.skipUnless(BINARY or os.environ.get("CI") == "true", "SURFACED_TEST_BIN names no surfaced")
needs_node = unittest.skipUnless(shutil.which("node") or os.environ.get("CI") == "true", "node is not installed")


def read_json(path):
    return json.loads((CLIENTS / path).read_text())


class Case(unittest.TestCase):
    """A test with a HOME, a SURFACED_HOME and a TMUX_TMPDIR of its own."""

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="sfpy-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        for name in ("home", "state", "tmux", "bin", "cwd"):
            (self.root / name).mkdir(mode=0o700)
        if BINARY:
            (self.root / "bin" / "surfaced").symlink_to(BINARY)
        self.env = {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "HOME": f"{self.root}/home",
            "SURFACED_HOME": f"{self.root}/state",
            "TMUX_TMPDIR": f"{self.root}/tmux",
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(CLIENTS / "python"),
        }
        patch = mock.patch.dict(os.environ, self.env, clear=True)
        patch.start()
        self.addCleanup(patch.stop)
        self.addCleanup(self._stop)

    def _stop(self):
        def attempt(*command):
            return subprocess.run(command, env=self.env, capture_output=True, timeout=20).stdout

        attempt("tmux", "kill-server")
        if BINARY and (self.root / "state" / "daemon.json").exists():
            # Its terminals would outlive it.
            listed = json.loads(attempt(BINARY, "call", "terminal.list", "{}") or '{"terminals": []}')
            for terminal in listed["terminals"]:
                attempt(BINARY, "call", "terminal.remove", json.dumps({"id": terminal["id"]}))
            attempt(BINARY, "daemon", "stop")

    def scripted(self, protocol=1):
        """The socket of a scripted daemon; it ends with the test."""
        socket = str(self.root / "s")
        process = subprocess.Popen(
            ["node", CLIENTS / "testing" / "fake-daemon.mjs", socket, str(protocol)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

        def stop():
            process.terminate()
            process.communicate()

        self.addCleanup(stop)
        process.stdout.readline()
        return socket

    def tmux(self, *args):
        return subprocess.run(["tmux", *args], env=self.env, check=True, capture_output=True, text=True).stdout.rstrip("\n")

    def python(self, code):
        """What a script prints, run as a person runs it."""
        script = self.root / "cwd" / "script.py"
        script.write_text(code)
        command = ["python3", str(script)]
        done = subprocess.run(command, env=self.env, cwd=self.root / "cwd", capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def holds(actual, expected):
    """Whether `actual` is as expected: it may hold more, and "<text>" is any text."""
    if expected == "<text>":
        return isinstance(actual, str) and actual != ""
    if isinstance(expected, list):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(holds, actual, expected))
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(holds(actual.get(name), member) for name, member in expected.items())
    return actual == expected and type(actual) is type(expected)


def until(what, probe):
    """Waits for a state, with a deadline."""
    deadline = time.monotonic() + 60
    while True:
        value = probe()
        if value:
            return value
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)
