// What only a real daemon and a real tmux can show.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { availableBackends, buildRequests, Client, ConnectionClosedError, openSurfaces, resolveLaunchBackend, specForRequest } from "../dist/index.js";
import { enter, needsDaemon, readJson, sandbox, until } from "../../testing/support.mjs";

test("twenty clients at once start one daemon", needsDaemon, async (t) => {
  enter(t, sandbox(t));
  const clients = await Promise.all(Array.from({ length: 20 }, () => Client.connect()));
  const pids = await Promise.all(clients.map(async (client) => (await client.daemonStatus()).pid));
  assert.equal(new Set(pids).size, 1);
  for (const client of clients) client.close();
});

test("killing the daemon rejects the call at once, and the next call starts it again", needsDaemon, async (t) => {
  enter(t, sandbox(t));
  const client = await Client.connect();
  const terminal = await client.terminalCreate({ command: "cat" });
  const { pid } = await client.daemonStatus();
  const wait = client.terminalWait({ id: terminal.id });
  await client.daemonStatus(); // by now the wait was read
  process.kill(pid, "SIGKILL");
  await assert.rejects(wait, ConnectionClosedError);
  const after = await client.daemonStatus();
  assert.notEqual(after.pid, pid);
  assert.ok((await client.terminalGet({ id: terminal.id })).id, "the terminal outlived it");
  await client.terminalKill({ id: terminal.id });
  client.close();
});

test("a daemon that drains is waited out", needsDaemon, async (t) => {
  enter(t, sandbox(t));
  const client = await Client.connect();
  const { pid } = await client.daemonStatus();
  const { id } = await client.terminalCreate({ command: "cat" });
  const wait = client.terminalWait({ id }).catch((error) => error); // what keeps it from ending at once
  await client.daemonShutdown({ mode: "drain" });
  assert.deepEqual((await client.plan({ count: 1 })).layouts, ["tab"]);
  assert.notEqual((await client.daemonStatus()).pid, pid);
  await wait;
  await client.terminalKill({ id });
  client.close();
});

test("ten thousand calls leave the daemon as it was", needsDaemon, async (t) => {
  enter(t, sandbox(t));
  const client = await Client.connect();
  const { pid } = await client.daemonStatus();
  for (let at = 0; at < 10_000; at += 50) await Promise.all(Array.from({ length: 50 }, () => client.plan({ count: 3 })));
  const { inFlight, subscriptions, connections } = await client.daemonStatus();
  assert.deepEqual({ inFlight, subscriptions, connections }, { inFlight: 0, subscriptions: 0, connections: 1 });
  assert.equal((await client.daemonStatus()).pid, pid);
  client.close();
});

test("the functions of the launch engine", needsDaemon, async (t) => {
  const place = sandbox(t);
  enter(t, place);
  const options = { client: await Client.connect() };
  const items = [{ cwd: "/x/y", command: ["claude@2.1.187", "--resume", "cad0e546"] }];
  const [request] = await buildRequests(items, { backend: "ghostty", ...options });
  assert.deepEqual(request, { backend: "ghostty", layout: "tab", ...items[0] });
  const seeds = { tmux: ["tmux", "new-window", "-c", "/x/y", "zsh -ilc 'exec claude@2.1.187 --resume cad0e546'"] };
  assert.deepEqual((await specForRequest({ ...request, backend: "tmux" }, options)).argv, seeds.tmux);
  const session = { host: "ghostty", lastActivityMs: 2, somethingElse: true };
  const choice = await resolveLaunchBackend({ platform: "darwin", apps: ["iterm", "ghostty"] }, [{ host: "constructor" }, session], options);
  assert.deepEqual([choice.backend, choice.source, choice.host], ["ghostty", "active-session", "ghostty"]);
  assert.ok((await availableBackends(undefined, options)).includes("builtin"));
  const results = await openSurfaces([{ command: ["cat"] }, { cwd: "/no/such/place" }], { backend: "tmux", ...options });
  assert.deepEqual(results.map(({ ok, kind }) => [ok, kind]), [[true, undefined], [false, "cwd-missing"]]);
  options.client.close();
});

/** Runs the shim as a person does. */
async function shim(place, ...args) {
  const child = spawn(process.execPath, [new URL("../dist/shim.js", import.meta.url).pathname, ...args], { cwd: place.cwd, env: place.env });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const [code] = await once(child, "close");
  return { code, out, err };
}

test("surfaced-shim run: here it is the program, its words and its exit code", async (t) => {
  const place = sandbox(t);
  assert.deepEqual(await shim(place, "run", "--", "sh", "-c", 'printf "%s|" "$@"; exit 7', "x", "--terminal", "", "a b"), { code: 7, out: "--terminal||a b|", err: "" });
  assert.deepEqual(await shim(place, "-C", "/", "pwd"), { code: 0, out: "/\n", err: "" });
  assert.equal((await shim(place, "run", "--", "sh", "-c", "kill -TERM $$")).code, 143);
  assert.deepEqual(await shim(place, "run", "--", "no-such-program"), { code: 127, out: "", err: "error: cannot run no-such-program: no such program\n" });
  assert.equal((await shim(place, "run")).code, 2);
  assert.equal((await shim(place, "run", "--device", "x", "--", "true")).code, 2);
  assert.equal((await shim({ ...place, env: { ...place.env, SURFACED_SOCKET: "/no/socket" } }, "call", "plan", "{}")).code, 3);
});

test("surfaced-shim --terminal opens a terminal, or says why not", needsDaemon, async (t) => {
  const place = sandbox(t);
  place.tmux("-f", "/dev/null", "new-session", "-d", "-s", "own", "cat");
  const done = join(place.cwd, "done");
  const opened = await shim(place, "run", "--terminal", "tmux", "-C", place.cwd, "--", "sh", "-c", 'printf "%s|" "$@" > done', "x", "a b", "--terminal");
  assert.equal(opened.code, 0, opened.err);
  assert.match(opened.out, /tmux \(you asked for it\)/);
  assert.equal(await until("the program to run there", () => read(done)), "a b|--terminal|");
  const unknown = await shim(place, "run", "--terminal", "fix the bug");
  assert.equal(unknown.code, 2);
  const forced = await shim(place, "run", "--terminal", "xterm-9000", "--", "true");
  assert.equal(forced.code, 2, forced.err);
  assert.match(forced.err, /^error: .*tmux/m);
  assert.match(forced.err, /^hint: .*--$/m);
  const [plan] = readJson("cases/plan-layouts.json").cases.slice(-1);
  const call = await shim(place, "call", "plan", JSON.stringify({ count: plan.count, packing: plan.packing }));
  assert.deepEqual(JSON.parse(call.out).layouts, plan.layouts);
});

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
