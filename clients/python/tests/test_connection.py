import asyncio
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

from surfaced import AsyncClient, CallTimeout, Client, ConnectionClosed, NoDaemon, SurfacedError
from surfaced._wire import Wire

from .support import Case, needs_node


class Framing(Case):
    def test_lines_are_cut_wherever_the_pieces_end(self):
        class Answers(list):
            def done(self):
                return False

            set_result = list.append

        replies = b'{"id":1,"result":"\xc3\xa4"}\n\n{"id":2,"result":[2]}\n'
        for size in range(1, len(replies)):
            wire, answers = Wire(), Answers()
            for method in ("a", "b"):
                wire.request(method, {}, answers)
            for at in range(0, len(replies), size):
                wire.feed(replies[at : at + size])
            self.assertEqual(answers, ["ä", [2]])

    def test_a_request_is_one_line(self):
        number, data = Wire().request("plan", {"title": "a\nb"}, None)
        self.assertEqual(data.count(b"\n"), 1)
        self.assertEqual(json.loads(data), {"jsonrpc": "2.0", "id": number, "method": "plan", "params": {"title": "a\nb"}})


@needs_node
class Blocking(Case):
    def test_threads_share_a_client(self):
        with Client(socket=self.scripted()) as client:
            silent = threading.Thread(target=lambda: self.assertRaises(ConnectionClosed, client.call, "scripted.silence"))
            silent.start()
            with ThreadPoolExecutor(16) as pool:
                answers = list(pool.map(lambda n: client.call("scripted.echo", {"n": n}), range(200)))
            self.assertEqual(answers, [{"n": n} for n in range(200)])
            self.assertEqual(len(client.call("scripted.pieces")["text"]), 100_000)
        silent.join()

    def test_items(self):
        with Client(socket=self.scripted()) as client:
            types = [item["type"] for item in client.open_subscribe(items=[])]
            self.assertEqual(types, ["weather", "result", "gap", "result", "end"])
            with client.events_subscribe() as events:
                self.assertEqual(next(events)["topic"], "moon.rose")
                self.assertRaises(CallTimeout, events.get, timeout=0.01)
            self.assertEqual(client.call("scripted.counts")["unsubscribed"], 1)

    def test_what_is_not_json_fails_at_once_and_leaves_nothing(self):
        with Client(socket=self.scripted()) as client:
            for value in (float("nan"), float("inf"), -float("inf"), b"x", object()):
                with self.assertRaises(SurfacedError) as caught:
                    client.call("scripted.echo", {"n": value}, timeout=60)
                self.assertEqual(caught.exception.kind, "invalid-params")
            self.assertEqual(client.call("scripted.echo", {"n": 1.5}), {"n": 1.5})
            self.assertEqual(client._connection._wire._pending, {})

    def test_a_timeout_cancels(self):
        with Client(socket=self.scripted()) as client:
            with self.assertRaises(TimeoutError) as caught:
                client.call("scripted.silence", timeout=0.01)
            self.assertEqual(caught.exception.kind, "timeout")
            with self.assertRaises(CallTimeout):
                client.terminal_attach(id="crossing", timeout=0.05)
            client.call("scripted.echo")
            self.assertEqual(client.call("scripted.counts"), {"cancelled": 2, "unsubscribed": 1})

    def test_a_broken_connection(self):
        with Client(socket=self.scripted()) as client:
            events = client.events_subscribe()
            self.assertEqual(next(events)["type"], "event")
            with ThreadPoolExecutor(2) as pool:
                silent = pool.submit(client.call, "scripted.silence")
                self.assertRaises(ConnectionClosed, client.call, "scripted.break")
                self.assertIsInstance(silent.exception(), ConnectionClosed)
            self.assertRaises(ConnectionClosed, next, events)
            self.assertEqual(client.call("scripted.echo", {"again": 1}), {"again": 1})
        self.assertRaises(ConnectionClosed, client.call, "scripted.echo")

    def test_ten_thousand_calls_leave_nothing(self):
        with Client(socket=self.scripted()) as client:
            for n in range(10_000):
                client.call("scripted.echo", {"n": n})
            wire = client._connection._wire
            self.assertEqual((wire._pending, wire._sinks, wire._pieces), ({}, {}, []))


class NoneThere(Case):
    def test_nothing_listens(self):
        with self.assertRaises(NoDaemon) as caught:
            Client.connect(socket=str(self.root / "none"))
        self.assertEqual(caught.exception.kind, "no-daemon")
        self.assertTrue(caught.exception.hint)

    def test_no_program(self):
        with self.assertRaises(NoDaemon) as caught:
            Client.connect(program="no-such-surfaced")
        self.assertIn("no-such-surfaced", caught.exception.message)

    def test_a_daemon_that_says_nothing(self):
        with socket.socket(socket.AF_UNIX) as mute:
            mute.bind(str(self.root / "mute"))
            mute.listen()
            with self.assertRaisesRegex(NoDaemon, "does not answer"):
                Client.connect(socket=str(self.root / "mute"), hello_timeout=0.05)


@needs_node
class Asyncio(Case):
    def run_with_client(self, body):
        async def main():
            async with AsyncClient(socket=self.scripted()) as client:
                await body(client)

        asyncio.run(main())

    def test_calls_and_items(self):
        async def body(client):
            answers = await asyncio.gather(*(client.call("scripted.echo", {"n": n}) for n in range(200)))
            self.assertEqual(answers, [{"n": n} for n in range(200)])
            types = [item["type"] async for item in await client.open_subscribe(items=[])]
            self.assertEqual(types, ["weather", "result", "gap", "result", "end"])
            async with await client.events_subscribe() as events:
                self.assertEqual((await anext(events))["topic"], "moon.rose")
            self.assertEqual((await client.call("scripted.counts"))["unsubscribed"], 1)

        self.run_with_client(body)

    def test_cancelling(self):
        async def body(client):
            task = asyncio.create_task(client.terminal_attach(id="crossing"))
            await asyncio.sleep(0)
            await client.call("scripted.echo")
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            with self.assertRaises(CallTimeout):
                await client.call("scripted.silence", timeout=0.01)
            await client.call("scripted.echo")
            self.assertEqual(await client.call("scripted.counts"), {"cancelled": 2, "unsubscribed": 1})

        self.run_with_client(body)

    def test_a_broken_connection(self):
        async def body(client):
            calls = (client.call("scripted.silence"), client.call("scripted.break"))
            for outcome in await asyncio.gather(*calls, return_exceptions=True):
                self.assertIsInstance(outcome, ConnectionClosed)
            self.assertEqual(await client.call("scripted.echo", {"again": 1}), {"again": 1})

        self.run_with_client(body)
