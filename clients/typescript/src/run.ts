import { spawn } from "node:child_process";
import { constants } from "node:os";

/** Runs a program here, in place of this process as far as Node can: same descriptors, its signals, its exit code. */
export function runHere(command: readonly string[], cwd: string | undefined): Promise<number> {
  const [program, ...args] = command as [string, ...string[]];
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit", ...(cwd === undefined ? {} : { cwd }) });
    // The terminal sends these to the whole foreground group; whoever started us sends them to us alone.
    const forwarded: NodeJS.Signals[] = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"];
    for (const signal of forwarded) process.on(signal, () => child.kill(signal));
    for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => undefined);
    child.on("error", (error: NodeJS.ErrnoException) => {
      process.stderr.write(`error: cannot run ${program}: ${error.code === "ENOENT" ? "no such program" : error.message}\n`);
      resolve(error.code === "ENOENT" ? 127 : 126);
    });
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
