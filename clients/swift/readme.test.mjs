// What can be checked of the Swift package where there is no Swift.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

test("the README's example is the one that runs", () => {
  const [, example] = /```swift\n(.*?)```/s.exec(read("README.md"));
  assert.equal(example, read("Sources/surfaced-open/Open.swift"));
});

test("besides what is generated the library stays small", () => {
  const own = readdirSync(new URL("Sources/Surfaced", import.meta.url)).filter((name) => !["Wire.swift", "Api.swift"].includes(name));
  const lines = own.map((name) => read(`Sources/Surfaced/${name}`).split("\n").length - 1);
  assert.ok(lines.reduce((sum, count) => sum + count) < 600, lines.join(" + "));
});
