import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { clients, needsDaemon, readJson, sandbox, until } from "../../testing/support.mjs";

const own = join(clients, "typescript");

function pack(...args) {
  return JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", ...args], { cwd: own, encoding: "utf8" }))[0];
}

test("the packed files are these", () => {
  const modules = ["api", "client", "connection", "describe", "engine", "errors", "framing", "index", "locate", "protocol", "run", "shim", "subscription", "terminal-flag"];
  const expected = ["README.md", "package.json", ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])];
  const files = pack("--dry-run").files.map(({ path }) => path);
  assert.deepEqual(files.sort(), expected.sort());
  assert.deepEqual(readJson("typescript/package.json").dependencies, undefined);
});

/** The package as a person installs it: packed, unpacked into node_modules of an empty project. */
function install(place) {
  const { filename } = pack("--pack-destination", place.root);
  const target = join(place.cwd, "node_modules", "surfaced");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", join(place.root, filename), "-C", target, "--strip-components=1"]);
}

/** Runs a script of the README. */
function run(place, name, code) {
  writeFileSync(join(place.cwd, name), code);
  return execFileSync(process.execPath, [name], { cwd: place.cwd, env: place.env, encoding: "utf8", timeout: 60_000 });
}

const readme = readFileSync(join(own, "README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);

test("the README's example opens two splits and tells of each", needsDaemon, async (t) => {
  const place = sandbox(t);
  install(place);
  const out = run(place, "example.mjs", examples[0]);
  assert.match(out, /^0 tmux:\d+\.@\d+\.%\d+;socket=\S+$/m);
  assert.match(out, /^1 tmux:\d+\.@\d+\.%\d+;socket=\S+$/m);
  const panes = place.tmux("list-panes", "-a", "-F", "#{window_id} #{pane_id}").split("\n");
  const left = panes.find((line) => out.includes(line.replace(" ", ".")));
  assert.equal(panes.filter((line) => line.split(" ")[0] === left.split(" ")[0]).length, 2, panes.join("; "));
  await until("both to print", () => {
    const texts = panes.map((line) => place.tmux("capture-pane", "-p", "-t", line.split(" ")[1])).join("\n");
    return texts.includes("left") && texts.includes("right");
  });
});

test("the launch engine's usage works with another import", needsDaemon, async (t) => {
  const place = sandbox(t);
  install(place);
  const code = examples.find((code) => code.includes("openSurfaces"));
  const sessions = `const sessions = [1, 2].map((n) => ({ cwd: "/", version: "1.2." + n, id: "id" + n }));\n`;
  // The same statement, where it can be seen here: tmux, on this machine.
  const here = code.replace('backend: "ghostty"', 'backend: "tmux"').replace(/ *host: .*\n/, "").replace("await openSurfaces", "const results = await openSurfaces");
  run(place, "usage.mjs", `${sessions}${here}\nconsole.log(JSON.stringify(results));`);
  // And as it stands: there is no such host, which is a result and no exception.
  run(place, "unchanged.mjs", `${sessions}${code}`);
});
