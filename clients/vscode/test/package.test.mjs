import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import { clients, missing, readJson, sandbox } from "../../testing/support.mjs";

const own = join(clients, "vscode");

test("the packed extension holds what it needs, and loads", { skip: missing("python3") }, (t) => {
  const { root } = sandbox(t);
  const vsix = execFileSync(process.execPath, [join(own, "package.mjs"), root], { encoding: "utf8" }).trim();
  execFileSync("python3", ["-m", "zipfile", "-e", vsix, join(root, "out")]);
  const names = execFileSync("python3", ["-c", "import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep='\\n')", vsix], { encoding: "utf8" }).trim().split("\n");
  assert.equal(names[0], "extension.vsixmanifest");
  const files = names.filter((name) => !name.endsWith("/") && !name.includes("node_modules"));
  assert.deepEqual(files.sort(), [
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/README.md",
    ...["choose", "daemon", "extension", "spawn", "terminals"].map((name) => `extension/dist/${name}.js`),
    "extension/package.json",
  ].sort());
  assert.equal(names.some((name) => name.endsWith(".ts") || name.includes("@types") || name.includes("typescript")), false);
  // Its dependency is resolved inside it, not in this tree; `vscode` is the stub.
  const loaded = createRequire(join(root, "out/extension/package.json"))("./dist/extension.js");
  assert.equal(typeof loaded.activate, "function");
  const { name, publisher, version } = readJson("vscode/package.json");
  const manifest = readFileSync(join(root, "out/extension.vsixmanifest"), "utf8");
  assert.match(manifest, new RegExp(`Id="${name}" Version="${version}" Publisher="${publisher}"`));
});

test("the README's URL is one that the extension takes", () => {
  const { readSpawn } = createRequire(import.meta.url)("../dist/spawn.js");
  const readme = readFileSync(join(own, "README.md"), "utf8");
  const { name, publisher } = readJson("vscode/package.json");
  const [, id, query] = /vscodium:\/\/([^/]+)\/spawn\?([^\s']+)/.exec(readme);
  assert.equal(id, `${publisher}.${name}`);
  assert.deepEqual(readSpawn(query), { command: "make test", cwd: "/x/y", split: "right" });
});
