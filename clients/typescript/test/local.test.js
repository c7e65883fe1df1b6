// The functions that stay local: they share their cases with the daemon.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, currentContext, describeBackendChoice, planLayouts, readTerminalFlag, stripTerminalFlag } from "../dist/index.js";
import { enter, needsDaemon, readJson, sandbox } from "../../testing/support.mjs";

const plans = readJson("cases/plan-layouts.json").cases;
const choices = readJson("cases/describe-backend-choice.json").cases;

test("planLayouts", () => {
  for (const { count, packing, layouts } of plans) assert.deepEqual(planLayouts(count, packing), layouts);
  assert.equal(planLayouts(10_000).length, 10_000);
});

test("stripTerminalFlag", () => {
  for (const { argv, stripped, terminal, backend } of readJson("cases/terminal-flag.json").cases) {
    const before = [...argv];
    assert.deepEqual(stripTerminalFlag(argv), stripped, argv.join(" "));
    const read = readTerminalFlag(argv);
    assert.deepEqual([read.terminal, read.backend], [terminal, backend], argv.join(" "));
    assert.deepEqual(argv, before, "the caller's argv is left as it is");
  }
});

test("describeBackendChoice", () => {
  for (const { choice, description } of choices) assert.equal(describeBackendChoice(choice), description);
  assert.equal(describeBackendChoice({ backend: "foot", source: "forced" }), "foot (you asked for it)");
  assert.equal(describeBackendChoice({ backend: "x", source: "of the future", description: "X (why not)" }), "X (why not)");
});

test("currentContext", () => {
  const { platform, env, cwd, pid } = currentContext();
  assert.deepEqual({ platform, cwd, pid }, { platform: process.platform, cwd: process.cwd(), pid: process.pid });
  assert.equal(env.PATH, process.env.PATH);
});

test("the daemon gives the same answers", needsDaemon, async (t) => {
  enter(t, sandbox(t));
  const client = await Client.connect();
  for (const { count, packing, layouts } of plans) assert.deepEqual((await client.plan({ count, packing })).layouts, layouts);
  for (const { ask, choice, description } of choices.filter(({ ask }) => ask)) {
    const answer = await client.resolveBackend(ask);
    assert.equal(answer.description, description, JSON.stringify(ask));
    assert.deepEqual([answer.backend ?? null, answer.source ?? null], [choice.backend, choice.source], description);
    assert.equal(describeBackendChoice(choice), answer.description);
  }
  client.close();
});
