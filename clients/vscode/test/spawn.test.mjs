import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { readJson } from "../../testing/support.mjs";

const require = createRequire(import.meta.url);
const vscode = require("vscode");
const { activate } = require("../dist/extension.js");
const { readSpawn } = require("../dist/spawn.js");

const query = (payload) => `p=${Buffer.from(JSON.stringify(payload)).toString("base64url")}`;

test("payloads are read as the daemon writes them", () => {
  for (const payload of [
    { command: "claude --resume cad0e546", cwd: "/x/y" },
    { command: "echo 'a&b=c' \"ä☂\" + %20", cwd: "/x y/&=", split: "right" },
    { command: "true", split: "down", agent: "claude", sessionId: "s", title: "T" },
  ]) {
    assert.deepEqual(readSpawn(query(payload)), payload);
  }
  assert.deepEqual(readSpawn(query({ cwd: "/", command: "" })), { cwd: "/" });
  assert.deepEqual(readSpawn(`other=1&${query({ command: "true", cwd: null, moon: 1 })}`), { command: "true" });
  // What the launch engine itself writes.
  const known = "eyJjb21tYW5kIjoiY2xhdWRlQDIuMS4xODcgLS1yZXN1bWUgY2FkMGU1NDYiLCJjd2QiOiIveC95Iiwic3BsaXQiOiJkb3duIn0";
  assert.deepEqual(readSpawn(`p=${known}`), { command: "claude@2.1.187 --resume cad0e546", cwd: "/x/y", split: "down" });
});

test("other payloads are refused with the reason", () => {
  const refused = [
    ["", /no payload/],
    ["p=", /no payload/],
    ["p=a+b", /base64url/],
    ["p=AAAA", /not JSON/],
    ["p=_w", /not JSON/],
    [query("text"), /not an object/],
    [query(null), /not an object/],
    [query({ command: 5 }), /command .* not text/],
    [query({ command: "a\0b" }), /NUL/],
    [query({ command: "a", cwd: "relative" }), /absolute/],
    [query({ command: "a", split: "left" }), /neither right nor down/],
    [query({ command: "a", title: {} }), /title .* not text/],
  ];
  for (const [text, reason] of refused) assert.throws(() => readSpawn(text), reason, text);
});

function started() {
  vscode.reset();
  const subscriptions = [];
  activate({ subscriptions });
  return { ...vscode.record, subscriptions, uri: (payload, path = "/spawn") => vscode.record.uriHandler.handleUri(new vscode.Uri("vscodium", path, query(payload))) };
}

test("spawn opens a terminal in the editor and runs the line", async () => {
  const { terminals, uri } = started();
  await uri({ command: "make test", cwd: "/x/y", title: "T", agent: "claude" });
  await uri({ command: "one", agent: "claude" });
  await uri({ cwd: "/" });
  assert.deepEqual(terminals.map(({ options }) => options), [
    { name: "T", cwd: "/x/y", location: { viewColumn: -1 } },
    { name: "claude", cwd: undefined, location: { viewColumn: -1 } },
    { name: undefined, cwd: "/", location: { viewColumn: -1 } },
  ]);
  assert.deepEqual(terminals[0].sent, [{ text: "make test", enter: true }]);
  assert.deepEqual(terminals[2].sent, []);
  assert.equal(terminals[0].shown, 1);
});

test("a split goes beside the terminal that was opened before, and is a tab where that is gone", async () => {
  const { terminals, closed, executed, uri } = started();
  await uri({ command: "a", split: "right" });
  await uri({ command: "b", split: "right" });
  await uri({ command: "c", split: "down" });
  for (const listener of closed) listener(terminals[2]);
  await uri({ command: "d", split: "right" });
  const places = terminals.map(({ options }) => options.location);
  assert.deepEqual(places, [{ viewColumn: -1 }, { parentTerminal: terminals[0] }, { viewColumn: -1 }, { viewColumn: -1 }]);
  assert.deepEqual(executed, ["workbench.action.newGroupBelow"]);
});

test("what is wrong is shown, and nothing is opened", async () => {
  const { terminals, messages, uri } = started();
  await uri({ command: "a" }, "/other");
  await uri({ cwd: "there" });
  assert.deepEqual(messages.map(({ kind, text }) => `${kind} ${text}`), ["error surfaced: no verb /other is known", "error surfaced: cwd in the URL's payload is not an absolute path"]);
  assert.equal(terminals.length, 0);
});

test("where the person wants to be asked, nothing runs before the answer", async () => {
  const { terminals, uri } = started();
  vscode.record.settings.confirmSpawn = true;
  await uri({ command: "rm -r x", cwd: "/x" });
  assert.equal(terminals.length, 0);
  assert.deepEqual(vscode.record.messages[0].rest[0], { modal: true, detail: "rm -r x" });
  vscode.record.answer = "Run";
  await uri({ command: "rm -r x" });
  assert.equal(terminals.length, 1);
});

test("the manifest and the code name the same commands", () => {
  const { commands } = started();
  const { contributes } = readJson("vscode/package.json");
  assert.deepEqual(Object.keys(commands).sort(), contributes.commands.map(({ command }) => command).sort());
});
