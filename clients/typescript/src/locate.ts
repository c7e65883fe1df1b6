import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";

import { NoDaemonError } from "./errors.js";

/** The daemon's home: `$SURFACED_HOME`, else a place under the home directory of the password database. */
export function home(): string {
  const set = process.env["SURFACED_HOME"];
  if (set) return set;
  const person = userInfo().homedir;
  return process.platform === "darwin"
    ? join(person, "Library", "Application Support", "surfaced")
    : join(person, ".local", "state", "surfaced");
}

/** The socket that the last daemon of this home wrote down. It may be gone. */
export async function recordedSocket(): Promise<string | undefined> {
  try {
    const { socket } = JSON.parse(await readFile(join(home(), "daemon.json"), "utf8")) as { socket?: unknown };
    return typeof socket === "string" ? socket : undefined;
  } catch {
    return undefined;
  }
}

/** Starts the daemon where none answers, waits out a drain, and returns the socket: `surfaced ensure --json`. */
export function ensure(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, ["ensure", "--json"], (error, stdout, stderr) => {
      if (error) return reject(failed(program, error, stderr));
      try {
        const { socket } = JSON.parse(stdout) as { socket?: unknown };
        if (typeof socket === "string") return resolve(socket);
        reject(new NoDaemonError(`${program} ensure named no socket`));
      } catch (cause) {
        reject(new NoDaemonError(`${program} ensure printed no JSON`, { cause }));
      }
    });
  });
}

function failed(program: string, cause: NodeJS.ErrnoException | Error, stderr: string): NoDaemonError {
  if ("code" in cause && cause.code === "ENOENT") {
    return new NoDaemonError(`no daemon answers and ${program} is not on PATH`, {
      cause,
      hint: "install surfaced, or give its path as the option program",
    });
  }
  const said = (label: string) => new RegExp(`^${label}: (.*)$`, "m").exec(stderr)?.[1];
  return new NoDaemonError(said("error") ?? `${program} ensure failed: ${stderr.trim() || cause.message}`, {
    cause,
    hint: said("hint") ?? "run: surfaced doctor",
  });
}
