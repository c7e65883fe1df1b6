// A place of its own for each test, the scripted daemon, and the real one where it was built.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const clients = fileURLToPath(new URL("../", import.meta.url));

export function readJson(path) {
  return JSON.parse(readFileSync(join(clients, path), "utf8"));
}

/** The built `surfaced`. Without it a test fails where CI=true, and elsewhere says so and is left out. */
export const binary = process.env.SURFACED_TEST_BIN;
export const needsDaemon = { skip: binary || process.env.CI === "true" ? false : "SURFACED_TEST_BIN names no surfaced" };

/** A fresh tree with a HOME, a SURFACED_HOME and a TMUX_TMPDIR, removed with the test. */
export function sandbox(t) {
  const root = mkdtempSync("/tmp/sfc-");
  for (const name of ["home", "state", "tmux", "bin", "cwd"]) mkdirSync(join(root, name), { mode: 0o700 });
  if (binary) symlinkSync(binary, join(root, "bin", "surfaced"));
  const env = {
    PATH: `${join(root, "bin")}:${process.env.PATH}`,
    HOME: join(root, "home"),
    SURFACED_HOME: join(root, "state"),
    TMUX_TMPDIR: join(root, "tmux"),
    SHELL: "/bin/sh",
    LANG: "C.UTF-8",
  };
  const place = { root, env, cwd: join(root, "cwd"), tmux: (...args) => execFileSync("tmux", args, { env, encoding: "utf8" }).trimEnd() };
  t.after(() => {
    const attempt = (program, ...args) => {
      try {
        return execFileSync(program, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 20_000 });
      } catch {
        return undefined; // it was not running
      }
    };
    attempt("tmux", "kill-server");
    if (existsSync(join(env.SURFACED_HOME, "daemon.json"))) {
      // Its terminals would outlive it.
      const { terminals } = JSON.parse(attempt(binary, "call", "terminal.list", "{}") ?? '{"terminals":[]}');
      for (const { id } of terminals) attempt(binary, "call", "terminal.remove", JSON.stringify({ id }));
      attempt(binary, "daemon", "stop");
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return place;
}

/** Lets this process see the place as its own, for functions that read the environment. */
export function enter(t, { env }) {
  const before = { ...process.env };
  const set = (to) => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, to);
  };
  set(env);
  t.after(() => set(before));
}

/** The scripted daemon; ends with the test. */
export async function scripted(t, protocol = 1) {
  const { root } = sandbox(t);
  const socket = join(root, "s");
  const child = spawn(process.execPath, [join(clients, "testing/fake-daemon.mjs"), socket, String(protocol)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  t.after(() => child.kill());
  return { socket, child };
}

/** Whether `actual` is as expected: it may hold more, and "<text>" is any text. */
export function holds(actual, expected) {
  if (expected === "<text>") return typeof actual === "string" && actual.length > 0;
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length && expected.every((item, index) => holds(actual[index], item));
  }
  if (expected !== null && typeof expected === "object") {
    return actual !== null && typeof actual === "object" && Object.entries(expected).every(([name, member]) => holds(actual[name], member));
  }
  return actual === expected || (expected === null && actual === undefined);
}

/** Waits for a state, with a deadline. */
export async function until(what, probe) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** For `skip`: which of these programs is missing. Where CI=true that is an error. */
export function missing(...programs) {
  for (const program of programs) {
    try {
      execFileSync("which", [program], { stdio: "ignore" });
    } catch {
      if (process.env.CI === "true") throw new Error(`${program} is not installed; ./test installs it`);
      return `${program} is not installed`;
    }
  }
  return false;
}
