import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { binary, clients, holds, missing, needsDaemon, readJson, sandbox, scripted, until } from "../../testing/support.mjs";

const own = join(clients, "shell");
const { cases } = readJson("conformance.json");
const shells = ["dash", "bash", "zsh"];

/** A PATH that holds only these programs, so that what is used is what is meant. */
function only(place, ...programs) {
  const dir = join(place.root, `only-${programs.join("-")}`);
  mkdirSync(dir);
  for (const name of ["sh", "awk", "sed", "cat", ...programs]) symlinkSync(execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(), join(dir, name));
  if (binary) symlinkSync(binary, join(dir, "surfaced"));
  return dir;
}

/** Runs a line in a shell that has the functions. */
async function run(shell, line, words, { env, cwd = own }) {
  const source = shell === "fish" ? `source ${own}/surfaced.fish` : `set -eu; . ${own}/surfaced.sh`;
  const args = shell === "fish" ? ["--no-config", "-c", `${source}; ${line}`, "--", ...words] : ["-c", `${source}; ${line}`, shell, ...words];
  const child = spawn(execFileSync("which", [shell], { encoding: "utf8" }).trim(), args, { cwd, env });
  child.stdin.end();
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => (out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk) => (err += chunk));
  const [code] = await once(child, "close");
  return { code, out, err };
}

const callLine = (shell) => (shell === "fish" ? "surfaced_call $argv" : 'surfaced_call "$@"');

async function check(shell, place, { name, method, params, expect }) {
  const { code, out, err } = await run(shell, callLine(shell), [method, JSON.stringify(params)], place);
  const told = `${shell}: ${name}: ${code} ${out} ${err}`;
  if (expect.result) {
    assert.equal(code, 0, told);
    assert.ok(holds(JSON.parse(out), expect.result), told);
    return;
  }
  const said = (label) => new RegExp(`^${label}: (.+)$`, "m").exec(err)?.[1] ?? "";
  assert.equal(code, 1, told);
  assert.equal(out, "", told);
  assert.equal(said("kind"), expect.error.kind, told);
  for (const [label, field] of [["error", "message"], ["hint", "hint"]]) {
    const expected = expect.error[field] ?? "";
    assert.ok(expected === "<text>" ? said(label) : said(label).includes(expected), told);
  }
}

for (const [shell, ...programs] of [["dash", "nc", "jq"], ["dash", "socat"], ["bash", "nc"], ["zsh", "socat", "jq"], ["fish", "nc", "jq"]]) {
  test(`every case, in ${shell} with ${programs.join(" and ")}`, { skip: missing(shell, ...programs) }, async (t) => {
    const { socket } = await scripted(t, 2);
    const place = sandbox(t);
    place.env = { ...place.env, PATH: only(place, ...programs), SURFACED_SOCKET: socket };
    for (const one of cases) await check(shell, place, one);
  });
}

test("every live case, with the daemon", { skip: needsDaemon.skip || missing("dash", "nc", "jq") }, async (t) => {
  const place = sandbox(t);
  place.env.PATH = only(place, "nc", "jq");
  for (const one of cases.filter(({ live }) => live)) await t.test(one.name, () => check("dash", place, one));
});

for (const shell of [...shells, "fish"]) {
  test(`words, items and failures in ${shell}`, { skip: missing(shell, "nc", "jq") }, async (t) => {
    const { socket } = await scripted(t);
    const place = sandbox(t);
    place.env = { ...place.env, PATH: only(place, "nc", "jq"), SURFACED_SOCKET: socket };
    const all = shell === "fish" ? "$argv" : '"$@"';
    const words = ["a b", "'\"\\", "line\nbreak\n", "", "-x", "ä☂𝄞", "$HOME `id` %s \\n", "\t\u0001"];
    assert.deepEqual(JSON.parse((await run(shell, `surfaced_json ${all}`, words, place)).out), words);
    const items = await run(shell, `surfaced_subscribe ${all}`, ["open.subscribe", '{"items":[]}'], place);
    assert.deepEqual(items.out.trim().split("\n").map((line) => JSON.parse(line).type), ["weather", "result", "gap", "result", "end"]);
    const lost = await run(shell, `surfaced_call ${all}`, ["scripted.break"], place);
    assert.match(lost.err, /^kind: connection-closed$/m);
    assert.equal(lost.code, 1);
    const none = await run(shell, `surfaced_call ${all}`, ["plan", "{}"], { ...place, env: { ...place.env, SURFACED_SOCKET: "/no/socket" } });
    assert.match(none.err, /^error: nothing answers at \/no\/socket\nhint: .*\nkind: no-daemon$/m);
    assert.equal(none.code, 3);
    const option = await run(shell, `surfaced_open ${all}`, ["--sideways"], place);
    assert.equal(option.code, 2);
    const big = await run(shell, `surfaced_call ${all}`, ["scripted.pieces"], place);
    assert.equal(JSON.parse(big.out).text.length, 100_000);
  });
}

const examples = [...readFileSync(join(own, "README.md"), "utf8").matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code);

for (const shell of shells) {
  test(`the README's examples in ${shell}`, { skip: needsDaemon.skip || missing(shell, "nc", "jq", "tmux") }, async (t) => {
    const place = sandbox(t);
    const script = join(place.root, "example");
    writeFileSync(script, examples[0].replace("./surfaced.sh", `${own}/surfaced.sh`));
    const lines = (await run(shell, `. ${script}`, [], { env: place.env, cwd: place.cwd })).out.trim().split("\n");
    assert.equal(lines.length, 3, lines.join("\n"));
    for (const line of lines) assert.match(line, /^(opened )?tmux:\d+\.@\d+\.%\d+;socket=/);
    const panes = place.tmux("list-panes", "-a", "-F", "#{window_id} #{pane_id}").split("\n").map((line) => line.split(" "));
    const [, right] = /\.(%\d+);/.exec(lines[0]);
    const [window] = panes.find(([, pane]) => pane === right);
    const [, left] = panes.find(([other, pane]) => other === window && pane !== right);
    for (const [pane, text] of [[left, "left"], [right, "right"]]) {
      await until(text, () => place.tmux("capture-pane", "-p", "-t", pane).includes(text));
    }
    writeFileSync(script, examples[1].replace("./surfaced.sh", `${own}/surfaced.sh`));
    assert.equal((await run(shell, `. ${script}`, [], { env: place.env, cwd: place.cwd })).out, "it is gone\n");
  });
}

test("a split that is none is a usage error, and nothing is asked", { skip: missing("dash") }, async (t) => {
  const place = sandbox(t);
  const wrong = await run("dash", "surfaced_open --split up -- cat", [], { env: { ...place.env, PATH: "/usr/bin:/bin" }, cwd: place.root });
  assert.equal(wrong.code, 2, wrong.err);
  assert.match(wrong.err, /--split takes right or down, not up/);
});

test("the command arrives byte for byte", { skip: needsDaemon.skip || missing("dash", "nc", "tmux") }, async (t) => {
  const place = sandbox(t);
  const words = ["a b", "'\"\\", "line\nbreak", "", "-x", "ä☂", "$HOME `id`"];
  const line = 'surfaced_open -b tmux -C cwd -- sh -c \'printf "%s|" "$@" > got.part; mv got.part got\' x "$@"';
  const opened = await run("dash", line, words, { env: place.env, cwd: place.root });
  assert.equal(opened.code, 0, opened.err);
  const got = await until("the command to run", () => {
    try {
      return readFileSync(join(place.cwd, "got"), "utf8");
    } catch {
      return undefined;
    }
  });
  assert.equal(got, words.map((word) => `${word}|`).join(""));
});
