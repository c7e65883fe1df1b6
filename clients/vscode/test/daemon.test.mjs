import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { enter, holds, missing, needsDaemon, readJson, sandbox, scripted, until } from "../../testing/support.mjs";

const require = createRequire(import.meta.url);
const vscode = require("vscode");
const { activate } = require("../dist/extension.js");
const { Daemon, DaemonError } = require("../dist/daemon.js");

const { cases } = readJson("conformance.json");

async function check(daemon, { name, method, params, expect }) {
  const outcome = await daemon.call(method, params).then(
    (result) => ({ result }),
    (error) => ({ error }),
  );
  if (expect.result) return assert.ok(holds(outcome.result, expect.result), `${name}: ${JSON.stringify(outcome.result)} ${outcome.error}`);
  assert.ok(outcome.error instanceof DaemonError, name);
  for (const [field, expected] of Object.entries(expect.error)) {
    const actual = outcome.error[field];
    const within = (field === "message" || field === "hint") && expected !== "<text>";
    assert.ok(within ? actual?.includes(expected) : holds(actual, expected), `${name}: ${field} is ${JSON.stringify(actual)}`);
  }
}

for (const protocol of [0, 2]) {
  test(`every case, with a daemon of protocol ${protocol}`, async (t) => {
    const { socket } = await scripted(t, protocol);
    enter(t, { env: { ...process.env, SURFACED_SOCKET: socket } });
    const daemon = new Daemon(() => "surfaced");
    for (const one of cases) await check(daemon, one);
    daemon.dispose();
  });
}

test("every live case, with the daemon", needsDaemon, async (t) => {
  enter(t, sandbox(t));
  const daemon = new Daemon(() => "surfaced");
  for (const one of cases.filter(({ live }) => live)) await t.test(one.name, () => check(daemon, one));
  daemon.dispose();
});

test("a broken connection fails what is pending, and the next call connects again", async (t) => {
  const { socket } = await scripted(t);
  enter(t, { env: { ...process.env, SURFACED_SOCKET: socket } });
  const daemon = new Daemon(() => "surfaced");
  const outcomes = await Promise.allSettled([daemon.call("scripted.silence"), daemon.call("scripted.break")]);
  assert.deepEqual(outcomes.map(({ reason }) => reason?.kind), ["connection-closed", "connection-closed"]);
  assert.deepEqual(await daemon.call("scripted.echo", { again: 1 }), { again: 1 });
  daemon.dispose();
});

test("where there is no daemon, the error says so", async (t) => {
  enter(t, { env: { PATH: process.env.PATH, SURFACED_SOCKET: "/no/socket" } });
  await assert.rejects(new Daemon(() => "surfaced").call("plan"), { kind: "no-daemon", hint: "run: surfaced ensure" });
  delete process.env.SURFACED_SOCKET;
  await assert.rejects(new Daemon(() => "no-such-surfaced").call("plan"), { kind: "no-daemon", message: /no-such-surfaced/ });
});

function started(t) {
  vscode.reset();
  const subscriptions = [];
  activate({ subscriptions });
  t.after(() => subscriptions.forEach((one) => one.dispose()));
  return vscode.record;
}

test("the commands open the workspace and the selection in the person's terminal", { skip: needsDaemon.skip || missing("tmux") }, async (t) => {
  const place = sandbox(t);
  enter(t, place);
  const { commands } = started(t);
  vscode.workspace.workspaceFolders = [{ uri: new vscode.Uri("file", place.cwd) }];
  vscode.record.settings.backend = "tmux";
  await commands["surfaced.openWorkspace"]();
  vscode.window.activeTextEditor = { selection: {}, document: { uri: new vscode.Uri("file", `${place.cwd}/f`), getText: () => "echo se'lect'ed; exec cat" } };
  await commands["surfaced.openSelection"]();
  assert.deepEqual(vscode.record.messages.filter(({ kind }) => kind === "error"), []);
  await until("the selection to run", () => {
    const panes = place.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_current_path}").split("\n").map((line) => line.split(" "));
    return panes.some(([pane, cwd]) => cwd === place.cwd && place.tmux("capture-pane", "-p", "-t", pane).includes("selected"));
  });
});

test("without a terminal the daemon hosts it, and the line that shows it can run here", needsDaemon, async (t) => {
  const place = sandbox(t);
  enter(t, place);
  const { commands } = started(t);
  vscode.record.answer = "Show Here";
  await commands["surfaced.openWorkspace"]();
  assert.deepEqual(vscode.record.messages.map(({ kind }) => kind), ["information"], JSON.stringify(vscode.record.messages));
  assert.match(vscode.record.terminals[0].sent[0].text, /surfaced attach /);
});

test("a failure is shown with its hint", async (t) => {
  enter(t, { env: { PATH: process.env.PATH, SURFACED_SOCKET: "/no/socket" } });
  const { commands } = started(t);
  await commands["surfaced.openWorkspace"]();
  await commands["surfaced.openSelection"]();
  assert.deepEqual(vscode.record.messages.map(({ text }) => text), ["surfaced: nothing answers at /no/socket (run: surfaced ensure)", "surfaced: nothing is selected"]);
});
