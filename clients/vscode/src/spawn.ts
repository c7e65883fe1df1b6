/** What `/spawn?p=…` asks for: a terminal in the editor that runs a line of the shell; without one only the shell. */
export interface Spawn {
  command?: string;
  cwd?: string;
  split?: "right" | "down";
  agent?: string;
  sessionId?: string;
  title?: string;
}

/** Reads the query of a spawn URL: `p` is base64url of JSON, so that the editor's own decoding of the query leaves it alone.
 *
 * Throws an `Error` that says what is wrong. Fields of later versions are ignored. */
export function readSpawn(query: string): Spawn {
  const encoded = new URLSearchParams(query).get("p");
  if (!encoded || !/^[A-Za-z0-9_-]+$/.test(encoded)) throw new Error("the URL has no payload p in base64url");
  let payload: unknown;
  try {
    payload = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64url")));
  } catch {
    throw new Error("the URL's payload is not JSON");
  }
  if (typeof payload !== "object" || payload === null) throw new Error("the URL's payload is not an object");
  const fields = payload as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = fields[name] ?? undefined;
    if (value !== undefined && typeof value !== "string") throw new Error(`${name} in the URL's payload is not text`);
    return value;
  };
  const command = text("command");
  if (command?.includes("\0")) throw new Error("the command in the URL's payload holds a NUL");
  const cwd = text("cwd");
  if (cwd !== undefined && !cwd.startsWith("/")) throw new Error("cwd in the URL's payload is not an absolute path");
  const split = text("split");
  if (split !== undefined && split !== "right" && split !== "down") throw new Error("split in the URL's payload is neither right nor down");
  const spawn: Spawn = {};
  if (command) spawn.command = command;
  if (cwd) spawn.cwd = cwd;
  if (split) spawn.split = split;
  for (const name of ["agent", "sessionId", "title"] as const) {
    const value = text(name);
    if (value) spawn[name] = value;
  }
  return spawn;
}
