import { createConnection, type Socket } from "node:net";

import { ConnectionClosedError, fromReply, NoDaemonError, SurfacedError } from "./errors.js";
import { LineSplitter } from "./framing.js";
import { STREAM_ENDS } from "./protocol.js";
import { Subscription } from "./subscription.js";

export { Subscription };

/** How one call is made. */
export interface CallOptions {
  /** Cancels the call: it rejects with the signal's reason and the daemon is told. */
  signal?: AbortSignal | undefined;
}

interface Pending {
  method: string;
  settle(result: unknown): void;
  reject(error: unknown): void;
  /** Called off: the answer is still to come and nobody waits for it. */
  abandoned: boolean;
}

/** A message, a line. Throws for what JSON has no word for, numbers among them, which would arrive as null. */
function encode(message: object): string {
  const finite = (key: string, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${key} is ${value}`);
    return value;
  };
  return `${JSON.stringify({ jsonrpc: "2.0", ...message }, finite)}\n`;
}

/** One connection: JSON-RPC, a message a line, over a Unix socket.
 *
 * It keeps the process alive only while an answer or an item is awaited. */
export class Connection {
  readonly #socket: Socket;
  readonly #lines = new LineSplitter();
  readonly #pending = new Map<number, Pending>();
  readonly #subscriptions = new Map<number, Subscription<unknown>>();
  #nextId = 1;
  #awaited = 0;
  #closed: ConnectionClosedError | undefined;

  /** Connects; rejects with `NoDaemonError` where nothing listens. */
  static open(path: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(path);
      const refused = (cause: Error) =>
        reject(new NoDaemonError(`nothing answers at ${path}`, { cause, hint: "run: surfaced ensure" }));
      socket.once("error", refused);
      socket.once("connect", () => {
        socket.off("error", refused);
        resolve(new Connection(socket));
      });
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.unref();
    socket.on("data", (chunk: Buffer) => {
      for (const line of this.#lines.push(chunk)) this.#receive(line);
    });
    socket.on("error", (error) => this.#end("the connection to the daemon broke", error));
    socket.on("close", () => this.#end("the daemon closed the connection"));
  }

  /** Whether nothing can be asked any more. */
  get closed(): boolean {
    return this.#closed !== undefined;
  }

  /** How many answers are still to come. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Asks, and answers with the result. */
  request(method: string, params: object, options: CallOptions = {}): Promise<unknown> {
    return this.#ask(method, params, options, (result) => result);
  }

  /** Subscribes. No item is lost between the answer and the first read. */
  subscribe(method: string, params: object, options: CallOptions = {}): Promise<Subscription<unknown>> {
    return this.#ask(method, params, options, (result) => {
      const id = subscriptionId(result);
      if (id === undefined) throw new SurfacedError("internal", `${method} answered without a subscription`);
      const subscription = new Subscription<unknown>(
        id,
        () => this.#unsubscribe(method, id),
        (waiting) => this.#hold(waiting ? 1 : -1),
      );
      this.#subscriptions.set(id, subscription);
      return subscription;
    });
  }

  /** Ends the connection; what is pending rejects with `ConnectionClosedError`. */
  close(): void {
    this.#end("the connection was closed");
    this.#socket.destroy();
  }

  #ask<T>(method: string, params: object, options: CallOptions, read: (result: unknown) => T): Promise<T> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#closed) return Promise.reject(this.#closed);
    const id = this.#nextId++;
    let line: string;
    try {
      line = encode({ id, method, params });
    } catch (error) {
      // Nobody waits for an answer yet: there would be none.
      return Promise.reject(new SurfacedError("invalid-params", `the parameters of ${method} are not JSON: ${(error as Error).message}`));
    }
    return new Promise<T>((resolve, reject) => {
      const finish = () => {
        signal?.removeEventListener("abort", abort);
        this.#hold(-1);
      };
      const pending: Pending = {
        method,
        abandoned: false,
        settle(result) {
          finish();
          try {
            resolve(read(result));
          } catch (error) {
            reject(error);
          }
        },
        reject(error) {
          finish();
          reject(error);
        },
      };
      const abort = () => {
        pending.abandoned = true;
        pending.reject(signal?.reason);
        this.#send({ method: "$/cancelRequest", params: { id } });
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#pending.set(id, pending);
      this.#hold(1);
      this.#write(line);
    });
  }

  #send(message: object): void {
    this.#write(encode(message));
  }

  #write(line: string): void {
    if (!this.#closed) this.#socket.write(line);
  }

  #receive(line: string): void {
    let message;
    try {
      message = JSON.parse(line) as { id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown };
    } catch (error) {
      this.#end("the daemon sent something that is not JSON", error);
      this.#socket.destroy();
      return;
    }
    if (typeof message.method === "string") this.#item(message.params);
    else if (typeof message.id === "number") this.#answer(message.id, message);
  }

  #answer(id: number, message: { result?: unknown; error?: unknown }): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    if (pending.abandoned) {
      const subscription = subscriptionId(message.result);
      if (subscription !== undefined && pending.method in STREAM_ENDS) void this.#unsubscribe(pending.method, subscription);
    } else if (message.error) {
      pending.reject(fromReply(message.error));
    } else {
      pending.settle(message.result);
    }
  }

  #item(params: unknown): void {
    const { subscription: id, result } = (params ?? {}) as { subscription?: unknown; result?: { type?: unknown } };
    if (typeof id !== "number") return;
    const last = result?.type === "end";
    this.#subscriptions.get(id)?.push(result, last);
    if (last) this.#subscriptions.delete(id);
  }

  async #unsubscribe(method: string, subscription: number): Promise<void> {
    this.#subscriptions.delete(subscription);
    const end = (STREAM_ENDS as Record<string, string>)[method];
    // A subscription that ended meanwhile, or with its connection, needs no end.
    if (end && !this.#closed) await this.request(end, { subscription }).catch(() => undefined);
  }

  #hold(change: number): void {
    this.#awaited += change;
    if (this.#awaited > 0) this.#socket.ref();
    else this.#socket.unref();
  }

  #end(message: string, cause?: unknown): void {
    if (this.#closed) return;
    this.#closed = new ConnectionClosedError(message, cause);
    for (const pending of this.#pending.values()) {
      if (!pending.abandoned) pending.reject(new ConnectionClosedError(`${message} before it answered ${pending.method}`, cause));
    }
    this.#pending.clear();
    for (const subscription of this.#subscriptions.values()) subscription.fail(this.#closed);
    this.#subscriptions.clear();
  }
}

function subscriptionId(result: unknown): number | undefined {
  const id = (result as { subscription?: unknown } | null | undefined)?.subscription;
  return typeof id === "number" ? id : undefined;
}
