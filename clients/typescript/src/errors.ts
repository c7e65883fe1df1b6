import type { Kind } from "./protocol.js";

/** What this library itself reports, beside the kinds of the daemon. */
export type ClientKind = "connection-closed" | "no-daemon";

/** What an error says beside its message. */
export interface ErrorFacts {
  code?: number | undefined;
  hint?: string | undefined;
  path?: string | undefined;
  detail?: unknown;
  cause?: unknown;
}

/** A failed call. Branch on `kind`; show `message` and `hint`. */
export class SurfacedError extends Error {
  override name = "SurfacedError";
  /** What went wrong, as a word. */
  readonly kind: Kind | ClientKind;
  /** The JSON-RPC code; absent where no reply came. */
  readonly code: number | undefined;
  /** What the person can do next. */
  readonly hint: string | undefined;
  /** Which parameter is meant, such as `items[2].cwd`. */
  readonly path: string | undefined;
  /** More facts, in a shape that depends on the kind. */
  readonly detail: unknown;

  constructor(kind: Kind | ClientKind, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = kind;
    this.code = facts.code;
    this.hint = facts.hint;
    this.path = facts.path;
    this.detail = facts.detail;
  }
}

/** The connection ended before the answer came. What was asked may or may not have been done. */
export class ConnectionClosedError extends SurfacedError {
  override name = "ConnectionClosedError";

  constructor(message: string, cause?: unknown) {
    super("connection-closed", message, { cause });
  }
}

/** No daemon answers and none could be started. */
export class NoDaemonError extends SurfacedError {
  override name = "NoDaemonError";

  constructor(message: string, facts: ErrorFacts = {}) {
    super("no-daemon", message, facts);
  }
}

/** The error of a reply, whatever shape a daemon of another version gave it. */
export function fromReply(error: unknown): SurfacedError {
  const { code, message, data } = record(error);
  const { kind, hint, path, detail } = record(data);
  return new SurfacedError(text(kind) ?? "internal", text(message) ?? "the daemon sent an error without a message", {
    code: typeof code === "number" ? code : undefined,
    hint: text(hint),
    path: text(path),
    detail,
  });
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
