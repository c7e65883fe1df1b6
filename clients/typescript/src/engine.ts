/** The functions of the launch engine, for code that used it in its own process. */

import { Client } from "./client.js";
import type { CallOptions } from "./connection.js";
import type {
  BackendId,
  Context,
  Item,
  Layout,
  OpenParams,
  OpenResult,
  Packing,
  Request,
  ResolveResult,
  SessionSample,
  Spec,
} from "./protocol.js";

let shared: Client | undefined;

/** The client that the functions of this module share. It never keeps the process alive by itself. */
export function sharedClient(): Client {
  shared ??= new Client();
  return shared;
}

interface Through {
  /** Another client than the shared one. */
  client?: Client | undefined;
}

/** Options of `openSurfaces`: those of `open`. */
export interface OpenSurfacesOptions extends Omit<OpenParams, "items" | "backend" | "dryRun">, Through, CallOptions {
  /** The backend, or a promise of it such as `detectCurrentBackend` gives. Absent: where the person works; with a host: tmux. */
  backend?: BackendId | null | undefined | Promise<BackendId | undefined>;
}

/** Opens the items and says of each what became of it. A failed item is a result with `ok: false`, not an exception. */
export async function openSurfaces(items: Item[], options: OpenSurfacesOptions = {}): Promise<OpenResult[]> {
  const { client = sharedClient(), signal, backend, ...rest } = options;
  const params: OpenParams = { items, context: callerContext(), ...rest, backend: await backend };
  return (await client.open(omitUndefined({ ...params, dryRun: false as const }), { signal })).results;
}

/** Opens one planned item. */
export async function openSurface(request: Request, options: OpenSurfacesOptions = {}): Promise<OpenResult> {
  const { backend, ...item } = request;
  const [result] = await openSurfaces([item], { backend, ...options });
  return result as OpenResult;
}

/** How a batch is laid out: `two-per-tab` is tab, split-right, tab, …; `tabs` is all tabs. */
export function planLayouts(count: number, packing: Packing = "two-per-tab"): Layout[] {
  return Array.from({ length: Math.max(0, Math.trunc(count)) }, (_, index) =>
    packing === "two-per-tab" && index % 2 === 1 ? "split-right" : "tab",
  );
}

/** The items with their backend and layout. Needs a `backend` or a `host` (then tmux). */
export async function buildRequests(
  items: Item[],
  options: { backend?: BackendId; host?: string; packing?: Packing } & Through & CallOptions,
): Promise<Request[]> {
  const { client = sharedClient(), signal, ...rest } = options;
  return (await client.plan(omitUndefined({ items, ...rest }), { signal })).requests ?? [];
}

/** The exact command that opens a request. Absent `handles`: the launch engine's own bare command. */
export async function specForRequest(
  request: Request,
  options: { handles?: boolean; shell?: string; context?: Context } & Through & CallOptions = {},
): Promise<Spec> {
  const { client = sharedClient(), signal, handles = false, ...rest } = options;
  const { backend, ...item } = request;
  const { specs } = await client.build(omitUndefined({ items: [item], backend, handles, context: callerContext(), ...rest }), { signal });
  return specs[0] as Spec;
}

/** Which terminal to open in: where the caller runs, else where the person's most recent session runs, else the first available. */
export async function resolveLaunchBackend(
  context?: Context,
  sessions?: SessionSample[],
  options: { forced?: BackendId; headless?: boolean } & Through & CallOptions = {},
): Promise<ResolveResult> {
  const { client = sharedClient(), signal, ...rest } = options;
  return client.resolveBackend(omitUndefined({ context: context ?? callerContext(), sessions, ...rest }), { signal });
}

/** The backend that the caller runs in. */
export async function detectCurrentBackend(context?: Context, options: Through & CallOptions = {}): Promise<BackendId | undefined> {
  const { backend, source } = await resolveLaunchBackend(context, [], options);
  return source === "current-terminal" ? (backend ?? undefined) : undefined;
}

/** The backends that can be driven here, in registry order. */
export async function availableBackends(context?: Context, options: Through & CallOptions = {}): Promise<BackendId[]> {
  const { client = sharedClient(), signal } = options;
  const { backends } = await client.backends(omitUndefined({ context: context ?? callerContext() }), { signal });
  return backends.filter(({ available }) => available).map(({ id }) => id);
}

/** Where this process is: its platform, environment, directory and process id. */
export function currentContext(): Context {
  const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const context: Context = { env, pid: process.pid };
  if (process.platform === "darwin" || process.platform === "linux") context.platform = process.platform;
  const cwd = currentDirectory();
  if (cwd) context.cwd = cwd;
  return context;
}

/** The context to send where the caller gave none: on macOS the system withholds our environment from the daemon. */
function callerContext(): Context | undefined {
  return process.platform === "darwin" ? currentContext() : undefined;
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // it was removed
  }
}

function omitUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
