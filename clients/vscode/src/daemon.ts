import { execFile } from "node:child_process";
import { createConnection, type Socket } from "node:net";
import { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter, type MessageConnection } from "vscode-jsonrpc/node";

/** The protocol that this was written for; a daemon one version older or newer is fine. */
const PROTOCOL = 1;

/** How long a daemon may take to say hello: one that listens and is silent is none. */
const HELLO_TIMEOUT_MS = 10_000;

/** A failed call. Branch on `kind`; show `message` and `hint`. */
export class DaemonError extends Error {
  constructor(
    readonly kind: string,
    message: string,
    readonly hint?: string,
    readonly code?: number,
    readonly path?: string,
    readonly detail?: unknown,
  ) {
    super(message);
    this.name = "DaemonError";
  }
}

/** A connection to the daemon that is made when it is first needed, and again after it was lost.
 *
 * vscode-jsonrpc speaks with Content-Length headers, which the daemon tells from the first bytes. */
export class Daemon {
  #connection: Promise<MessageConnection> | undefined;

  /** `program` is asked for the socket at each connection: it starts the daemon where none runs. */
  constructor(readonly program: () => string) {}

  /** Asks, and answers with the result. */
  async call<T>(method: string, params: object = {}): Promise<T> {
    this.#connection ??= this.#connect();
    const connection = await this.#connection.catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    try {
      return await connection.sendRequest<T>(method, params);
    } catch (error) {
      throw failure(error, method);
    }
  }

  dispose(): void {
    void this.#connection?.then(
      (connection) => connection.dispose(),
      () => undefined,
    );
    this.#connection = undefined;
  }

  async #connect(): Promise<MessageConnection> {
    const socket = await open(process.env["SURFACED_SOCKET"] || (await ensure(this.program())));
    const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    // Without this it would leave what is pending unanswered.
    const end = () => {
      this.#connection = undefined;
      connection.dispose();
      socket.destroy();
    };
    connection.onClose(end);
    connection.onError(end);
    connection.listen();
    const silence = setTimeout(end, HELLO_TIMEOUT_MS);
    try {
      await connection.sendRequest("daemon.hello", { client: "surfaced for vscode", protocol: { min: PROTOCOL - 1, max: PROTOCOL + 1 } });
    } catch (error) {
      throw failure(error, "daemon.hello");
    } finally {
      clearTimeout(silence);
    }
    return connection;
  }
}

function failure(error: unknown, method: string): DaemonError {
  if (error instanceof ResponseError) {
    const data = (error.data ?? {}) as { kind?: string; hint?: string; path?: string; detail?: unknown };
    // The codes of the library itself say that the connection is gone.
    if (data.kind !== undefined || error.code < -32099 || error.code > -32096) {
      return new DaemonError(data.kind ?? "internal", error.message, data.hint, error.code, data.path, data.detail);
    }
  }
  return new DaemonError("connection-closed", `the daemon closed the connection before it answered ${method}`);
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => reject(new DaemonError("no-daemon", `nothing answers at ${path}`, "run: surfaced ensure")));
  });
}

/** Starts the daemon where none answers, waits out a drain, and returns its socket. */
function ensure(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, ["ensure", "--json"], (error, stdout, stderr) => {
      const said = (label: string) => new RegExp(`^${label}: (.*)$`, "m").exec(stderr)?.[1];
      if ((error as NodeJS.ErrnoException | null)?.code === "ENOENT") {
        return reject(new DaemonError("no-daemon", `${program} is not on PATH`, "install surfaced, or set surfaced.program to its path"));
      }
      try {
        if (error) throw error;
        resolve((JSON.parse(stdout) as { socket: string }).socket);
      } catch (cause) {
        reject(new DaemonError("no-daemon", said("error") ?? `${program} ensure failed: ${String(cause)}`, said("hint") ?? "run: surfaced doctor"));
      }
    });
  });
}
