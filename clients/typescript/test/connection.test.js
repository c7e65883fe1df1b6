import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { Client, ConnectionClosedError, NoDaemonError, SurfacedError } from "../dist/index.js";
import { LineSplitter } from "../dist/framing.js";
import { sandbox, scripted } from "../../testing/support.mjs";

test("lines are cut wherever the pieces end", () => {
  const text = Buffer.from('{"a":"ä"}\n{}\n\n{"b":1}\npart');
  for (let size = 1; size < text.length; size += 1) {
    const splitter = new LineSplitter();
    const lines = [];
    for (let at = 0; at < text.length; at += size) lines.push(...splitter.push(text.subarray(at, at + size)));
    assert.deepEqual(lines, ['{"a":"ä"}', "{}", "", '{"b":1}']);
  }
});

test("calls run concurrently, and each gets its own answer", async (t) => {
  const client = await Client.connect(await scripted(t));
  const silent = client.call("scripted.silence").catch((error) => error);
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => client.call("scripted.echo", { n })));
  assert.deepEqual(answers, Array.from({ length: 200 }, (_, n) => ({ n })));
  assert.equal((await client.call("scripted.pieces")).text.length, 100_000);
  client.close();
  assert.ok((await silent) instanceof ConnectionClosedError);
});

test("what is not JSON rejects at once and leaves nothing", async (t) => {
  const client = await Client.connect(await scripted(t));
  const circular = {};
  circular.self = circular;
  for (const value of [NaN, Infinity, 1n, circular]) {
    const error = await client.call("scripted.echo", { value }).catch((error) => error);
    assert.ok(error instanceof SurfacedError, String(error));
    assert.equal(error.kind, "invalid-params");
  }
  assert.deepEqual(await client.call("scripted.echo", { value: 1.5 }), { value: 1.5 });
  client.close();
});

test("items come in order, unknown ones too, and the loop ends after the end", async (t) => {
  const client = await Client.connect(await scripted(t));
  const types = [];
  for await (const item of await client.openSubscribe({ items: [] })) types.push(item.type);
  assert.deepEqual(types, ["weather", "result", "gap", "result", "end"]);
  client.close();
});

test("leaving the loop unsubscribes", async (t) => {
  const client = await Client.connect(await scripted(t));
  for await (const item of await client.eventsSubscribe()) {
    assert.equal(item.topic, "moon.rose");
    break;
  }
  assert.equal((await client.call("scripted.counts")).unsubscribed, 1);
  client.close();
});

test("a signal cancels a call, and the daemon is told", async (t) => {
  const client = await Client.connect(await scripted(t));
  const abort = new AbortController();
  const call = client.call("scripted.silence", {}, { signal: abort.signal });
  setImmediate(() => abort.abort(new Error("enough")));
  await assert.rejects(call, /enough/);
  await assert.rejects(client.call("plan", { count: 1 }, { signal: AbortSignal.abort(new Error("before")) }), /before/);
  assert.equal((await client.call("scripted.counts")).cancelled, 1);
  client.close();
});

test("an answer to subscribe that crosses its cancellation is unsubscribed", async (t) => {
  const client = await Client.connect(await scripted(t));
  const abort = new AbortController();
  const call = client.terminalAttach({ id: "crossing" }, { signal: abort.signal });
  await client.call("scripted.echo"); // by now the request was read
  abort.abort();
  await assert.rejects(call, { name: "AbortError" });
  await client.call("scripted.echo"); // by now its answer came
  assert.deepEqual(await client.call("scripted.counts"), { cancelled: 1, unsubscribed: 1 });
  client.close();
});

test("a broken connection rejects all that is pending, by name, and the next call connects again", async (t) => {
  const client = await Client.connect(await scripted(t));
  const items = await client.eventsSubscribe();
  assert.equal((await items.next()).value.type, "event");
  const outcomes = await Promise.allSettled([
    client.call("scripted.silence"),
    client.call("scripted.silence"),
    items.next(),
    client.call("scripted.break"),
  ]);
  for (const { status, reason } of outcomes) {
    assert.equal(status, "rejected");
    assert.ok(reason instanceof ConnectionClosedError, String(reason));
    assert.equal(reason.name, "ConnectionClosedError");
    assert.equal(reason.kind, "connection-closed");
  }
  assert.match(outcomes[0].reason.message, /scripted\.silence/);
  assert.deepEqual(await client.call("scripted.echo", { again: 1 }), { again: 1 });
  client.close();
  await assert.rejects(client.call("scripted.echo"), ConnectionClosedError);
});

test("where nothing listens and nothing may be started, the error says so", async (t) => {
  const { root } = sandbox(t);
  await assert.rejects(Client.connect({ socket: join(root, "none") }), (error) => {
    assert.ok(error instanceof NoDaemonError);
    assert.equal(error.kind, "no-daemon");
    assert.ok(error.hint);
    return true;
  });
});

test("a daemon that says nothing is not a daemon", async (t) => {
  const { root } = sandbox(t);
  const server = createServer((socket) => socket.resume()).listen(join(root, "mute"));
  await once(server, "listening");
  t.after(() => server.close());
  await assert.rejects(Client.connect({ socket: join(root, "mute"), helloTimeoutMs: 50 }), /does not answer/);
});

test("ten thousand calls on one connection leave nothing behind", async (t) => {
  const client = await Client.connect(await scripted(t));
  const { signal } = new AbortController();
  const run = async (count) => {
    for (let at = 0; at < count; at += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => client.call("scripted.echo", { n }, { signal })));
    }
  };
  await run(1000);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  await run(10_000);
  globalThis.gc?.();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(!globalThis.gc || grown < 2_000_000, `${grown} bytes more`);
  client.close();
});
