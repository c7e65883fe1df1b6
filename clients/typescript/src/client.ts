import { Api } from "./api.js";
import { Connection, type CallOptions, type Subscription } from "./connection.js";
import { ConnectionClosedError, NoDaemonError, SurfacedError } from "./errors.js";
import { ensure, recordedSocket } from "./locate.js";
import type { HelloResult, MethodParams, MethodResults, StreamItems } from "./protocol.js";

/** The protocol that this library was written for; a daemon one version older or newer is fine. */
export const PROTOCOL = 1;

/** How to reach the daemon. */
export interface ClientOptions {
  /** Its socket. It is then never started. Absent: `$SURFACED_SOCKET`, else the daemon of this person, started if need be. */
  socket?: string | undefined;
  /** The program that starts it. Absent: `surfaced`. */
  program?: string | undefined;
  /** Who is calling, for the daemon's log. */
  name?: string | undefined;
  /** How long a daemon may take to say hello. Absent: 10000. */
  helloTimeoutMs?: number | undefined;
}

/** A client of the daemon. It connects when it is first asked, and again after the connection was lost. */
export class Client extends Api {
  readonly #options: ClientOptions;
  #connection: Promise<Connection> | undefined;
  #hello: HelloResult | undefined;
  #closed = false;

  constructor(options: ClientOptions = {}) {
    super();
    this.#options = options;
  }

  /** A client that is connected, to a daemon that was started where none ran. */
  static async connect(options: ClientOptions = {}): Promise<Client> {
    const client = new Client(options);
    await client.#connected();
    return client;
  }

  /** What the daemon said when it was connected to last. */
  get hello(): HelloResult | undefined {
    return this.#hello;
  }

  override call<M extends keyof MethodParams>(method: M, params: MethodParams[M], options?: CallOptions): Promise<MethodResults[M]>;
  override call(method: string, params?: object, options?: CallOptions): Promise<unknown>;
  override call(method: string, params: object = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#ask((connection) => connection.request(method, params, options), options);
  }

  override subscribe<M extends keyof StreamItems>(
    method: M,
    params: MethodParams[M],
    options: CallOptions = {},
  ): Promise<Subscription<StreamItems[M]>> {
    return this.#ask((connection) => connection.subscribe(method, params, options), options) as Promise<Subscription<StreamItems[M]>>;
  }

  /** Ends the connection. Pending calls reject with `ConnectionClosedError`. */
  close(): void {
    this.#closed = true;
    void this.#connection?.then(
      (connection) => connection.close(),
      () => undefined,
    );
    this.#connection = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #ask<T>(send: (connection: Connection) => Promise<T>, { signal }: CallOptions): Promise<T> {
    signal?.throwIfAborted();
    const connection = await this.#connected();
    try {
      return await send(connection);
    } catch (error) {
      if (!(error instanceof SurfacedError && error.kind === "shutting-down") || this.#socket()) throw error;
      // It refused the work and goes: its successor can do it, and `surfaced ensure` waits for that.
      return send(await this.#reconnected(connection));
    }
  }

  async #connected(): Promise<Connection> {
    if (this.#closed) throw new ConnectionClosedError("the client was closed");
    const known = await this.#connection?.catch(() => undefined);
    if (known && !known.closed) return known;
    return this.#dialOnce(() => this.#dial());
  }

  async #reconnected(old: Connection): Promise<Connection> {
    const known = await this.#connection?.catch(() => undefined);
    if (known && known !== old && !known.closed) return known;
    return this.#dialOnce(async () => this.#greet(await ensure(this.#program())));
  }

  /** Callers at the same time share one attempt. */
  #dialing: Promise<Connection> | undefined;
  #dialOnce(dial: () => Promise<Connection>): Promise<Connection> {
    this.#dialing ??= dial().finally(() => {
      this.#dialing = undefined;
    });
    this.#connection = this.#dialing;
    return this.#dialing;
  }

  async #dial(): Promise<Connection> {
    const fixed = this.#socket();
    if (fixed) return this.#greet(fixed);
    const recorded = await recordedSocket();
    const running = recorded && (await this.#greet(recorded).catch(absent));
    if (running && this.#hello?.state !== "draining") return running;
    if (running) running.close();
    return this.#greet(await ensure(this.#program()));
  }

  /** Connects, and waits for the answer to `daemon.hello`: only that shows that a daemon lives. */
  async #greet(socket: string): Promise<Connection> {
    const connection = await Connection.open(socket);
    try {
      const params = {
        client: this.#options.name ?? "surfaced for node",
        protocol: { min: PROTOCOL - 1, max: PROTOCOL + 1 },
      } satisfies MethodParams["daemon.hello"];
      const signal = AbortSignal.timeout(this.#options.helloTimeoutMs ?? 10_000);
      this.#hello = (await connection.request("daemon.hello", params, { signal })) as HelloResult;
    } catch (error) {
      connection.close();
      if (!(error instanceof DOMException)) throw error;
      throw new NoDaemonError(`the daemon at ${socket} does not answer`, { cause: error, hint: "run: surfaced doctor" });
    }
    if (this.#closed) connection.close();
    return connection;
  }

  #socket(): string | undefined {
    return this.#options.socket ?? (process.env["SURFACED_SOCKET"] || undefined);
  }

  #program(): string {
    return this.#options.program ?? "surfaced";
  }
}

/** Nothing where no daemon listens or the connection broke; other failures are passed on. */
function absent(error: unknown): undefined {
  if (error instanceof ConnectionClosedError) return;
  if (error instanceof NoDaemonError && (error.cause as NodeJS.ErrnoException | undefined)?.code !== undefined) return;
  throw error;
}
