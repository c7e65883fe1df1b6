import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, SurfacedError } from "../dist/index.js";
import { enter, holds, needsDaemon, readJson, sandbox, scripted } from "../../testing/support.mjs";

const { cases } = readJson("conformance.json");

async function check(client, { name, method, params, expect }) {
  const outcome = await client.call(method, params).then(
    (result) => ({ result }),
    (error) => ({ error }),
  );
  if (expect.result) {
    assert.ok(holds(outcome.result, expect.result), `${name}: ${JSON.stringify(outcome.result)} ${outcome.error}`);
    return;
  }
  const { error } = outcome;
  assert.ok(error instanceof SurfacedError, `${name}: ${error ?? JSON.stringify(outcome.result)}`);
  for (const [field, expected] of Object.entries(expect.error)) {
    const actual = error[field];
    const within = (field === "message" || field === "hint") && expected !== "<text>";
    assert.ok(within ? actual?.includes(expected) : holds(actual, expected), `${name}: ${field} is ${JSON.stringify(actual)}`);
  }
}

for (const protocol of [0, 1, 2]) {
  test(`every case, with a daemon of protocol ${protocol}`, async (t) => {
    const { socket } = await scripted(t, protocol);
    const client = await Client.connect({ socket });
    assert.equal(client.hello.protocol, protocol);
    for (const one of cases) await check(client, one);
    client.close();
  });
}

test("every live case, with the daemon", needsDaemon, async (t) => {
  enter(t, sandbox(t));
  const client = await Client.connect();
  for (const one of cases.filter(({ live }) => live)) await t.test(one.name, () => check(client, one));
  client.close();
});
