#!/usr/bin/env node
// A scripted daemon for the tests of every client: fake-daemon.mjs SOCKET [PROTOCOL]
//
// It answers the calls of conformance.json with the replies written there, and plays what a real daemon does rarely: unknown
// fields, unknown items, silence, a connection that breaks. Both framings. It prints "ready" once it listens and ends when
// its standard input does.

import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { isDeepStrictEqual } from "node:util";

const [socketPath, protocol = "1"] = process.argv.slice(2);
const { cases } = JSON.parse(readFileSync(new URL("../conformance.json", import.meta.url), "utf8"));

/** How often these came, over all connections. */
let cancelled = 0;
let unsubscribed = 0;
let lastSubscription = 9;
/** Requests whose answer crosses their cancellation on the way. */
const crossing = new Set();

const opened = (index) => ({
  type: "result",
  index,
  novelty: true,
  result: { ok: true, started: "dreamt", surface: `tmux:1.@${index}.%${index};socket=%2Fs`, request: { backend: "tmux", layout: "tab" } },
});

const methods = {
  "daemon.hello": () => ({
    protocol: Number(protocol),
    server: "scripted",
    capabilities: ["plan"],
    limits: {},
    socket: socketPath,
    state: "ready",
    // Of a version that no client knows.
    moon: { phase: "waxing" },
  }),
  "open.subscribe": (_params, connection) => {
    connection.later(() => {
      const items = [{ type: "weather", sky: "clear" }, opened(0), { type: "gap", missed: 2 }, opened(1), { type: "end", reason: "done", moon: 1 }];
      for (const item of items) connection.send({ jsonrpc: "2.0", method: "open.subscribe", params: { subscription: 7, result: item } });
    });
    return { subscription: 7, moon: true };
  },
  // Its items never end.
  "events.subscribe": (_params, connection) => {
    const subscription = (lastSubscription += 1);
    connection.later(() => {
      const item = { type: "event", topic: "moon.rose", at: "2026-01-01T00:00:00Z", payload: { moon: 1 } };
      connection.send({ jsonrpc: "2.0", method: "events.subscribe", params: { subscription, result: item } });
    });
    return { subscription };
  },
  "events.unsubscribe": () => {
    unsubscribed += 1;
    return {};
  },
  "terminal.detach": () => {
    unsubscribed += 1;
    return {};
  },
  "scripted.echo": (params) => params,
  "scripted.counts": () => ({ cancelled, unsubscribed }),
  // In pieces, with a character that is cut in two.
  "scripted.pieces": () => ({ text: "ä".repeat(100_000) }),
};

createServer((socket) => {
  const connection = { framed: undefined, buffer: Buffer.alloc(0), later: setImmediate, send };
  function send(message) {
    const body = Buffer.from(JSON.stringify(message));
    if (connection.framed) socket.write(`Content-Length: ${body.length}\r\n\r\n`);
    socket.write(connection.framed ? body : Buffer.concat([body, Buffer.from("\n")]));
  }
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    connection.buffer = Buffer.concat([connection.buffer, chunk]);
    connection.framed ??= /^content-/i.test(connection.buffer.toString("latin1"));
    for (let message = next(connection); message; message = next(connection)) answer(message, connection, socket);
  });
}).listen(socketPath, () => console.log("ready"));

process.stdin.resume().on("end", () => process.exit(0));

function next(connection) {
  const { buffer, framed } = connection;
  const head = buffer.indexOf(framed ? "\r\n\r\n" : "\n");
  if (head === -1) return undefined;
  const start = framed ? head + 4 : 0;
  const end = framed ? start + Number(/content-length: *(\d+)/i.exec(buffer.toString("latin1", 0, head))[1]) : head;
  if (buffer.length < end) return undefined;
  connection.buffer = buffer.subarray(framed ? end : end + 1);
  return JSON.parse(buffer.toString("utf8", start, end));
}

function answer({ id, method, params = {} }, connection, socket) {
  const reply = (body) => id !== undefined && connection.send({ jsonrpc: "2.0", id, ...body });
  if (method === "$/cancelRequest") {
    cancelled += 1;
    if (crossing.delete(params.id)) return connection.send({ jsonrpc: "2.0", id: params.id, result: { subscription: 9 } });
    connection.send({ jsonrpc: "2.0", id: params.id, error: { code: -32800, message: "cancelled", data: { kind: "cancelled" } } });
  } else if (method === "scripted.silence") {
    return;
  } else if (method === "terminal.attach" && params.id === "crossing") {
    crossing.add(id);
  } else if (method === "scripted.break") {
    socket.write('{"jsonrpc":"2.0","id":');
    socket.destroy();
  } else {
    const known = cases.find((it) => it.method === method && isDeepStrictEqual(it.params, params));
    const play = methods[method];
    if (known) reply(known.reply);
    else if (play) reply({ result: play(params, connection) });
    else reply({ error: { code: -32601, message: `no method ${method}`, data: { kind: "method-not-found" } } });
  }
}
