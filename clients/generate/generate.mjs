#!/usr/bin/env node
// Writes the types of every client from schema/openrpc.json. With --check it writes nothing and fails where a file differs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { read } from "./model.mjs";
import * as python from "./python.mjs";
import * as swift from "./swift.mjs";
import * as typescript from "./typescript.mjs";

const clients = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The text of every generated file, by its path under clients/. */
export function generate(document) {
  const model = read(document);
  return {
    "typescript/src/protocol.ts": typescript.types(model),
    "typescript/src/api.ts": typescript.api(model),
    "python/surfaced/protocol.py": python.types(model),
    "python/surfaced/_api.py": python.api(model),
    "swift/Sources/Surfaced/Wire.swift": swift.types(model),
    "swift/Sources/Surfaced/Api.swift": swift.api(model),
  };
}

function main(args) {
  const check = args[0] === "--check";
  if (args.length > 1 || (args.length === 1 && !check)) {
    console.error("usage: generate.mjs [--check]");
    return 2;
  }
  const schema = join(clients, "..", "schema", "openrpc.json");
  const files = generate(JSON.parse(readFileSync(schema, "utf8")));
  let stale = 0;
  for (const [path, text] of Object.entries(files)) {
    const target = join(clients, path);
    if (check) {
      if (current(target) === text) continue;
      console.error(`error: clients/${path} does not match schema/openrpc.json`);
      stale += 1;
    } else {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
  }
  if (stale > 0) console.error("hint: run node clients/generate/generate.mjs and commit what it writes");
  return stale > 0 ? 1 : 0;
}

function current(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
