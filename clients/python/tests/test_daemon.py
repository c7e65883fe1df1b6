"""What only a real daemon and a real tmux can show."""

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor

from surfaced import Client, ConnectionClosed

from .support import CLIENTS, Case, needs_daemon, until

EXAMPLES = re.findall(r"```python\n(.*?)```", (CLIENTS / "python" / "README.md").read_text(), re.DOTALL)


@needs_daemon
class Daemon(Case):
    def test_the_example_opens_two_splits(self):
        out = self.python(EXAMPLES[0])
        self.assertRegex(out, r"(?m)^0 tmux:\d+\.@\d+\.%\d+;socket=")
        self.assertRegex(out, r"(?m)^1 tmux:\d+\.@\d+\.%\d+;socket=")
        windows = re.findall(r"^[01] tmux:\d+\.(@\d+)\.", out, re.MULTILINE)
        self.assertEqual(windows[0], windows[1])
        panes = re.findall(r"\.(%\d+);", out)
        for pane, text in zip(panes, ("left", "right")):
            until(text, lambda: text in self.tmux("capture-pane", "-p", "-t", pane))

    def test_the_asyncio_example(self):
        out = self.python(EXAMPLES[1])
        self.assertEqual(out, "['tab', 'split-right', 'tab', 'split-right', 'tab'] ready\n")

    def test_twenty_clients_start_one_daemon(self):
        with ThreadPoolExecutor(20) as pool:
            clients = list(pool.map(lambda _: Client.connect(), range(20)))
        self.assertEqual(len({client.daemon_status()["pid"] for client in clients}), 1)
        for client in clients:
            client.close()

    def test_killing_it_fails_the_call_and_the_next_one_starts_it(self):
        with Client() as client, ThreadPoolExecutor(1) as pool:
            terminal = client.terminal_create(command="cat")["id"]
            pid = client.daemon_status()["pid"]
            wait = pool.submit(client.terminal_wait, id=terminal)
            until("the wait to be on its way", lambda: client._connection._wire._pending)
            client.daemon_status()
            os.kill(pid, signal.SIGKILL)
            self.assertIsInstance(wait.exception(timeout=60), ConnectionClosed)
            self.assertNotEqual(client.daemon_status()["pid"], pid)
            client.terminal_kill(id=terminal)

    def test_a_drain_is_waited_out(self):
        with Client() as client, ThreadPoolExecutor(1) as pool:
            pid = client.daemon_status()["pid"]
            terminal = client.terminal_create(command="cat")["id"]
            wait = pool.submit(client.terminal_wait, id=terminal)  # what keeps it from ending at once
            until("the wait to be on its way", lambda: client._connection._wire._pending)
            client.daemon_shutdown(mode="drain")
            self.assertEqual(client.plan(count=1), {"layouts": ["tab"]})
            self.assertNotEqual(client.daemon_status()["pid"], pid)
            wait.exception(timeout=60)
            client.terminal_kill(id=terminal)
