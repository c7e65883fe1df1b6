#!/usr/bin/env node
/** `surfaced-shim`: what a command line written in TypeScript needs of `surfaced`, without the binary's own one. */

import { resolve as absolute } from "node:path";
import { parseArgs } from "node:util";

import { describeBackendChoice } from "./describe.js";
import { openSurfaces, resolveLaunchBackend, sharedClient } from "./engine.js";
import { NoDaemonError, SurfacedError } from "./errors.js";
import type { Item, Layout, OpenResult } from "./protocol.js";
import { runHere } from "./run.js";
import { readTerminalFlag } from "./terminal-flag.js";

const USAGE = `usage: surfaced-shim [run] [--terminal[=BACKEND]] [-C DIR] -- COMMAND...   run here, or in a terminal
       surfaced-shim open [-b BACKEND] [-H HOST] [--split right|down] [-C DIR] -- COMMAND...
       surfaced-shim resolve [--terminal=BACKEND]                          which terminal it would be, and why
       surfaced-shim call METHOD [JSON]                                    any method; prints its result
`;

class UsageError extends Error {}

async function main(argv: string[]): Promise<number> {
  const [verb, ...rest] = argv;
  switch (verb) {
    case "open":
      return open(rest);
    case "resolve":
      return resolve(rest);
    case "call":
      return call(rest);
    case "-h":
    case "--help":
      process.stdout.write(USAGE);
      return 0;
    case "run":
      return run(rest);
    default:
      return run(argv);
  }
}

/** Runs the command here, or re-opens it in a terminal. */
async function run(argv: string[]): Promise<number> {
  const { options, terminal, backend, command } = parse(argv, { directory: { type: "string", short: "C" } });
  if (command.length === 0) throw new UsageError("a command is missing");
  const cwd = directory(options);
  if (!terminal) return runHere(command, cwd);
  const choice = await resolveLaunchBackend(undefined, undefined, { headless: true, ...(backend === undefined ? {} : { forced: backend }) });
  const description = describeBackendChoice(choice);
  if (!choice.backend) throw new SurfacedError("backend-unavailable", description, { hint: "run: surfaced doctor" });
  const results = await openSurfaces([{ cwd: cwd ?? process.cwd(), command }], { backend: choice.backend, packing: "tabs" });
  if (results.every(({ ok }) => ok)) process.stdout.write(`${description}\n`);
  return report(results);
}

async function open(argv: string[]): Promise<number> {
  const { options, command, terminal } = parse(argv, {
    backend: { type: "string", short: "b" },
    host: { type: "string", short: "H" },
    split: { type: "string" },
    directory: { type: "string", short: "C" },
  });
  if (terminal) throw new UsageError("open takes -b BACKEND, not --terminal");
  const split = options["split"];
  if (split !== undefined && split !== "right" && split !== "down") throw new UsageError("--split takes right or down");
  const item: Item = { cwd: options["host"] ? options["directory"] : (directory(options) ?? process.cwd()) };
  if (command.length > 0) item.command = command;
  if (split) item.layout = `split-${split}` satisfies Layout;
  return report(await openSurfaces([item], { backend: options["backend"], host: options["host"] }));
}

async function resolve(argv: string[]): Promise<number> {
  const { backend, command } = parse(argv, {});
  if (command.length > 0) throw new UsageError("resolve takes no command");
  const choice = await resolveLaunchBackend(undefined, undefined, backend === undefined ? {} : { forced: backend });
  process.stdout.write(`${describeBackendChoice(choice)}\n`);
  return choice.backend ? 0 : 1;
}

async function call([method, json = "{}", ...more]: string[]): Promise<number> {
  if (!method || more.length > 0) throw new UsageError("call takes a method and JSON");
  let params: object;
  try {
    params = JSON.parse(json) as object;
  } catch {
    throw new UsageError("the parameters are not JSON");
  }
  process.stdout.write(`${JSON.stringify(await sharedClient().call(method, params))}\n`);
  return 0;
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

interface Parsed {
  options: Record<string, string | undefined>;
  terminal: boolean;
  backend: string | undefined;
  command: string[];
}

/** Reads options up to `--` or to the first word that is none; the rest is the command. */
function parse(argv: string[], options: Options): Parsed {
  const takesValue = (word: string) => Object.entries(options).some(([name, { short }]) => word === `--${name}` || word === `-${short}`);
  let end = 0;
  while (end < argv.length && argv[end] !== "--" && argv[end]?.startsWith("-")) {
    const next = argv[end] === "--terminal" && argv[end + 1]?.startsWith("-") === false;
    end += next || takesValue(argv[end] as string) ? 2 : 1;
  }
  const { terminal, backend, argv: args } = readTerminalFlag(argv.slice(0, end));
  const command = argv.slice(argv[end] === "--" ? end + 1 : end);
  try {
    return { options: parseArgs({ args, options }).values as Parsed["options"], terminal, backend, command };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function directory(options: Record<string, string | undefined>): string | undefined {
  const given = options["directory"];
  return given === undefined ? undefined : absolute(given);
}

/** Prints what people must know of the results; 1 where one of them was not opened. */
function report(results: OpenResult[]): number {
  for (const { ok, error, hint, attach, warnings } of results) {
    for (const warning of warnings ?? []) process.stderr.write(`warning: ${warning}\n`);
    if (attach) process.stdout.write(`${attach}\n`);
    if (!ok) complain(error ?? "the surface did not open", hint);
  }
  return results.every(({ ok }) => ok) ? 0 : 1;
}

function complain(message: string, hint: string | null | undefined): void {
  process.stderr.write(`error: ${message}\n`);
  if (hint) process.stderr.write(`hint: ${hint}\n`);
}

/** 2 for what was typed wrong, 3 where no daemon answers, 1 for the rest. */
function failed(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`error: ${error.message}\n${USAGE}`);
    return 2;
  }
  if (!(error instanceof SurfacedError)) throw error;
  const forced = error.path === "forced";
  complain(error.message, forced ? "a prompt that follows --terminal goes after --" : error.hint);
  if (error instanceof NoDaemonError) return 3;
  return forced ? 2 : 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = failed(error);
  },
);
