export { Client, PROTOCOL, type ClientOptions } from "./client.js";
export type { CallOptions, Subscription } from "./connection.js";
export { describeBackendChoice, type BackendChoice } from "./describe.js";
export * from "./engine.js";
export { ConnectionClosedError, NoDaemonError, SurfacedError, type ClientKind } from "./errors.js";
export * from "./protocol.js";
export { readTerminalFlag, stripTerminalFlag, type TerminalFlag } from "./terminal-flag.js";
