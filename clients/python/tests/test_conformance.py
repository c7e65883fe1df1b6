import asyncio

from surfaced import AsyncClient, Client, SurfacedError

from .support import Case, holds, needs_daemon, needs_node, read_json

CASES = read_json("conformance.json")["cases"]


class Conformance(Case):
    def judge(self, case, outcome):
        name, expect = case["name"], case["expect"]
        if "result" in expect:
            self.assertTrue(holds(outcome, expect["result"]), f"{name}: {outcome!r}")
            return
        self.assertIsInstance(outcome, SurfacedError, name)
        for field, expected in expect["error"].items():
            actual = getattr(outcome, field)
            if field in ("message", "hint") and expected != "<text>":
                self.assertIn(expected, actual or "", f"{name}: {field}")
            else:
                self.assertTrue(holds(actual, expected), f"{name}: {field} is {actual!r}")

    def check(self, client, case):
        try:
            outcome = client.call(case["method"], case["params"])
        except SurfacedError as error:
            outcome = error
        self.judge(case, outcome)

    async def check_async(self, client, case):
        try:
            outcome = await client.call(case["method"], case["params"])
        except SurfacedError as error:
            outcome = error
        self.judge(case, outcome)

    @needs_node
    def test_scripted(self):
        for protocol in (0, 1, 2):
            with self.subTest(protocol=protocol), Client(socket=self.scripted(protocol)) as client:
                for case in CASES:
                    self.check(client, case)
                self.assertEqual(client.hello["protocol"], protocol)
            (self.root / "s").unlink()

    @needs_node
    def test_scripted_asyncio(self):
        async def main():
            async with AsyncClient(socket=self.scripted()) as client:
                for case in CASES:
                    await self.check_async(client, case)

        asyncio.run(main())

    @needs_daemon
    def test_live(self):
        with Client() as client:
            for case in CASES:
                if case.get("live"):
                    with self.subTest(case["name"]):
                        self.check(client, case)
