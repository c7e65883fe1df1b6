// Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.

/** Whether a conversation is begun or taken up. */
export type Action =
  | "create"
  | "resume";

/** A terminal agent. */
export interface Agent {
  /** A `UUIDv7`. */
  id: string;
  /** Its provider. */
  provider: string;
  /** Where it works. */
  cwd: string;
  /** Its model. */
  model?: string | null | undefined;
  /** Its mode. */
  modeId?: string | null | undefined;
  /** Its name for people. */
  title: string;
  /** Whatever callers mark it with. */
  labels: Record<string, string>;
  /** Always true. */
  terminal: boolean;
  /** What it does. */
  lifecycle: Lifecycle;
  /** Why it is in that state, one sentence. */
  reason?: string | null | undefined;
  /** The hosted terminal that it lives in. */
  terminalId?: string | null | undefined;
  /** The surface that it lives in. */
  surface?: string | null | undefined;
  /** The seat that it lives in. */
  seat?: string | null | undefined;
  /** The line that shows it. */
  attach?: string | null | undefined;
  /** What its conversation is called, where that is known. */
  persistence?: Handle | null | undefined;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. */
  updatedAt: string;
  /** RFC 3339; absent: it is not archived. */
  archivedAt?: string | null | undefined;
}

/** Parameters of `agent.archive`. */
export interface AgentArchiveParams {
  /** The agent. */
  id: string;
}

/** Parameters of `agent.close`. */
export interface AgentCloseParams {
  /** The agent. */
  id: string;
}

/** What an agent is started with. */
export interface AgentConfig {
  /** The working directory. */
  cwd?: string | null | undefined;
  /** The model, in the provider's words. */
  model?: string | null | undefined;
  /** The mode, one of the provider's. */
  modeId?: string | null | undefined;
  /** The first prompt. */
  prompt?: string | null | undefined;
  /** The id to give a new conversation. */
  sessionId?: string | null | undefined;
}

/** Parameters of `agent.create`. */
export interface AgentCreateParams {
  /** The provider. */
  provider: string;
  /** Where it works. */
  cwd: string;
  /** The model, in the provider's words. */
  model?: string | null | undefined;
  /** The mode, one of the provider's. */
  modeId?: string | null | undefined;
  /** The first prompt. */
  prompt?: string | null | undefined;
  /** Its name for people; absent: the provider's label. */
  title?: string | null | undefined;
  /** Whatever the caller marks it with. */
  labels?: Record<string, string> | null | undefined;
  /** Variables for it. */
  env?: Record<string, string> | null | undefined;
  /** Absent: true. False is refused: this service runs terminal agents only. */
  terminal?: boolean | null | undefined;
  /** Where it lives; absent: in a hosted terminal. */
  place?: Place | null | undefined;
}

/** Parameters of `agent.delete`. */
export interface AgentDeleteParams {
  /** The agent. */
  id: string;
}

/** Parameters of `agent.get`. */
export interface AgentGetParams {
  /** The agent. */
  id: string;
}

/** Parameters of `agent.list`. */
export interface AgentListParams {
  /** True: the archived ones too; absent: false. */
  archived?: boolean | null | undefined;
}

/** Result of `agent.list`. */
export interface AgentListResult {
  /** In the order in which they were made. */
  agents: Agent[];
}

/** Parameters of `agent.open`. */
export interface AgentOpenParams {
  /** The agent. */
  id: string;
  /** Where it shall live now; absent: as before. */
  place?: Place | null | undefined;
}

/** Parameters of `agent.send`. */
export interface AgentSendParams {
  /** The agent. */
  id: string;
  /** The message. */
  text: string;
}

/** Parameters of `agent.unarchive`. */
export interface AgentUnarchiveParams {
  /** The agent. */
  id: string;
}

/** Parameters of `agent.update`. */
export interface AgentUpdateParams {
  /** The agent. */
  id: string;
  /** Its new name; absent: unchanged. */
  title?: string | null | undefined;
  /** Its new labels, all of them; absent: unchanged. */
  labels?: Record<string, string> | null | undefined;
}

/** An item of `terminal.attach`. The stream may also carry `gap` and ends with `end`, as every stream. */
export type AttachItem =
  /** The whole screen. */
  | ({
      type: "snapshot";
    } & Snapshot)
  /** Bytes that the program wrote. */
  | {
      type: "output";
      /** The bytes. */
      dataBase64: string;
      /** Counts bytes: the total written up to the end of this item. */
      revision: number;
    }
  /** The title changed. */
  | {
      type: "title";
      /** The title. */
      title: string;
    }
  /** The size changed. */
  | {
      type: "resized";
      /** Rows. */
      rows: number;
      /** Columns. */
      cols: number;
    }
  /** The program ended; nothing but `end` follows. */
  | ({
      type: "exit";
    } & Exit)
  /** Items were left out because the reader was too slow. */
  | {
      type: "gap";
      /** How many. */
      missed: number;
    }
  /** Nothing follows. */
  | {
      type: "end";
      /** done, unsubscribed, lagged or shutting-down. */
      reason: string;
    };

/** The name of a backend: one of the built-in ones or of the configuration file's. */
export type BackendId = string;

/** One backend as `backends` lists it. */
export interface BackendInfo {
  /** Its id. */
  id: BackendId;
  /** Its name for people. */
  label: string;
  /** Whether it can be driven. */
  available: boolean;
  /** Why it can or cannot. */
  reason?: string | null | undefined;
  /** What to do so that it can. */
  remedy?: string | null | undefined;
  /** What it can do. */
  capabilities: Capabilities;
  /** Where its definition comes from. */
  source: BackendSource;
}

/** Where a backend's definition comes from. */
export type BackendSource =
  | "built-in"
  | "config"
  | (string & {});

/** Parameters of `backends`. */
export interface BackendsParams {
  /** Where the caller is. */
  context?: Context | null | undefined;
  /** Look on a host. */
  host?: string | null | undefined;
}

/** Result of `backends`. */
export interface BackendsResult {
  /** In registry order. */
  backends: BackendInfo[];
}

/** Parameters of `build`. */
export interface BuildParams {
  /** What to open. */
  items: Item[];
  /** Absent: as `resolveBackend`; with a host: `tmux`. */
  backend?: BackendId | null | undefined;
  /** The host of items that name none. */
  host?: string | null | undefined;
  /** Absent: `two-per-tab`. */
  packing?: Packing | null | undefined;
  /** Where the caller is; absent: what the daemon sees of its process. */
  context?: Context | null | undefined;
  /** The wrapping shell, a name or a path; absent: `zsh`. */
  shell?: string | null | undefined;
  /** `false`: the launch engine's own bare commands. Absent: true. */
  handles?: boolean | null | undefined;
}

/** Result of `build` and of `open` with `dryRun`. */
export interface BuildResult {
  /** One for each item, in order. */
  specs: Spec[];
}

/** What a backend can do. */
export interface Capabilities {
  /** Opens tabs. */
  tab: boolean;
  /** Splits to the right. */
  splitRight: boolean;
  /** Splits downwards. */
  splitDown: boolean;
  /** Opens windows. */
  window: boolean;
  /** Splits exactly the surface that is named, wherever the focus is. */
  exactTarget: boolean;
  /** Tells the identity of a new surface. */
  handle: boolean;
  /** Brings a surface to the front. */
  focus: boolean;
  /** Types text. */
  inject: boolean;
  /** Presses keys. */
  keys: boolean;
  /** Reads the screen. */
  capture: boolean;
  /** Closes a surface. */
  close: boolean;
  /** Works on a host over SSH. */
  remote: boolean;
  /** Works where nobody is logged in graphically. */
  headless: boolean;
}

/** What became of the configuration file. */
export interface ConfigurationStatus {
  /** The file that is read. */
  path: string;
  /** Whether it exists. */
  exists: boolean;
  /** Why it is not in force; the last good one is. */
  error?: string | null | undefined;
}

/** A prompt that is answered once when it shows on the pane. */
export interface Confirm {
  /** A regular expression that is looked for in the pane's text. */
  pattern: string;
  /** The keys to press, by tmux's names. */
  keys: string[];
  /** How long to look, in milliseconds; absent: 10000. */
  timeoutMs?: number | null | undefined;
}

/** A candidate that was looked at. */
export interface Considered {
  /** The backend. */
  backend: BackendId;
  /** Whether it could have been chosen. */
  ok: boolean;
  /** Why, or why not. */
  reason: string;
}

/** Where the caller is. An explicit one always wins over what the daemon sees of the caller's process. */
export interface Context {
  /** Absent: the daemon's. */
  platform?: Platform | null | undefined;
  /** The caller's environment, as far as it matters. Names that are no variable names are ignored. Absent: empty. */
  env?: Record<string, string> | null | undefined;
  /** The caller's directory. */
  cwd?: string | null | undefined;
  /** The caller's process, whose ancestors are then looked at. */
  pid?: number | null | undefined;
  /** The backends that are installed. */
  apps?: BackendId[] | null | undefined;
}

/** Where the cursor is, from 0. */
export interface Cursor {
  /** The row, from 0. */
  row: number;
  /** The column, from 0. */
  col: number;
  /** Whether it is shown. */
  visible: boolean;
}

/** Parameters of `daemon.hello`. */
export interface DaemonHelloParams {
  /** Who is calling, for the log. */
  client?: string | null | undefined;
  /** What it speaks; a range without the daemon's version is `protocol-mismatch`. */
  protocol?: ProtocolRange | null | undefined;
}

/** Parameters of `daemon.shutdown`. */
export interface DaemonShutdownParams {
  /** Absent: `drain`. */
  mode?: ShutdownMode | null | undefined;
}

/** Parameters of `daemon.status`. */
export interface DaemonStatusParams {
}

/** The direction of a split: `vertical` is side by side, `horizontal` stacked. */
export type Direction =
  | "vertical"
  | "horizontal";

/** The result of a method that has none: `{}`. */
export interface Empty {
}

/** `data` of every error on the wire. */
export interface ErrorData {
  /** What a program branches on. */
  kind: Kind;
  /** What the person can do next, one sentence. */
  hint?: string | null | undefined;
  /** Which parameter is meant, such as `items[2].cwd`. */
  path?: string | null | undefined;
  /** More facts, in a shape that depends on the kind. */
  detail?: unknown | undefined;
}

/** Something that happened. */
export type EventItem =
  /** One event. */
  | {
      type: "event";
      /** Its topic. */
      topic: string;
      /** When, RFC 3339. */
      at: string;
      /** What it is about: for most topics the whole object after the change. */
      payload: unknown;
    }
  /** Items were left out because the reader was too slow. */
  | {
      type: "gap";
      /** How many. */
      missed: number;
    }
  /** Nothing follows. */
  | {
      type: "end";
      /** done, unsubscribed, lagged or shutting-down. */
      reason: string;
    };

/** Parameters of `events.subscribe`. */
export interface EventsSubscribeParams {
  /** Only these topics; absent: all. A group such as `terminal` or `terminal.*` stands for all of its topics. */
  topics?: string[] | null | undefined;
}

/** Parameters of `events.unsubscribe`. */
export interface EventsUnsubscribeParams {
  /** The subscription. */
  subscription: number;
}

/** How a program ended, of every wait: `exited: false` means that the time was up; an unknown status has neither field. */
export interface Exit {
  /** Whether it ended. */
  exited: boolean;
  /** Its exit status, 0 to 255. */
  exitCode?: number | null | undefined;
  /** The signal that ended it, such as `SIGKILL`. */
  signal?: string | null | undefined;
}

/** What names an earlier conversation. */
export interface Handle {
  /** The provider's id of it. */
  sessionId: string;
  /** The provider's own name for it, where that is another one; it wins. */
  nativeHandle?: string | null | undefined;
}

/** Result of `daemon.hello`. */
export interface HelloResult {
  /** The protocol's version. */
  protocol: number;
  /** Program and version, such as `surfaced 0.1.0`. */
  server: string;
  /** The names of the methods that it has. */
  capabilities: string[];
  /** The limits in force. */
  limits: Limits;
  /** The path of its socket. */
  socket: string;
  /** Whether it takes new work. */
  state: State;
}

/** One surface to open. With neither `command` nor `shellCommand` it runs the person's shell. */
export interface Item {
  /** The working directory; absent: the caller's, else home. */
  cwd?: string | null | undefined;
  /** The argv, received byte for byte. */
  command?: string[] | null | undefined;
  /** One line for the wrapping shell, passed on as it is. */
  shellCommand?: string | null | undefined;
  /** Variables for the command; they travel in a launch script. */
  env?: Record<string, string> | null | undefined;
  /** The title of the surface. */
  title?: string | null | undefined;
  /** The agent that it runs, for terminals that show it. */
  agent?: string | null | undefined;
  /** The agent's session, for terminals that track it. */
  sessionId?: string | null | undefined;
  /** Its own layout, which wins over the packing. */
  layout?: Layout | null | undefined;
  /** Its own host, which wins over the call's. */
  host?: string | null | undefined;
  /** The surface to split. */
  target?: string | null | undefined;
  /** What becomes of the surface when its command ends. */
  onExit?: OnExit | null | undefined;
}

/** What went wrong, as a word that a program can branch on (`data.kind` on the wire, kebab-case). */
export type Kind =
  | "parse-error"
  | "invalid-request"
  | "method-not-found"
  | "invalid-params"
  | "internal"
  | "message-too-large"
  | "reply-too-large"
  | "busy"
  | "batch-too-large"
  | "shutting-down"
  | "protocol-mismatch"
  | "cancelled"
  | "backend-unknown"
  | "backend-unavailable"
  | "target-gone"
  | "not-supported"
  | "permission"
  | "not-found"
  | "conflict"
  | "timeout"
  | "host-invalid"
  | "host-unreachable"
  | "host-key"
  | "host-auth"
  | "host-tool-missing"
  | "cwd-missing"
  | "program-missing"
  | "spawn-failed"
  | "seat-refused"
  | "state-unknown"
  | "terminal-agent"
  | (string & {});

/** How a surface is placed. */
export type Layout =
  | "tab"
  | "split-right"
  | "split-down"
  | "window";

/** Parameters of `layout.close`. */
export interface LayoutCloseParams {
  /** The window. */
  window: string;
}

/** Parameters of `layout.open`. */
export interface LayoutOpenParams {
  /** The name of the window. */
  label: string;
  /** Its panes. */
  tab: TabItem;
  /** Whether it takes the focus; absent: false. */
  focus?: boolean | null | undefined;
  /** Where the caller is; it must be inside tmux. */
  context?: Context | null | undefined;
}

/** Result of `layout.open`. */
export interface LayoutOpened {
  /** The window's reference: a tmux reference without a pane. */
  window: string;
  /** The panes, in order. */
  panes: string[];
}

/** Result of `layout.refs`. */
export interface LayoutRefs {
  /** The windows of the caller's session with this label. */
  windows: string[];
}

/** Parameters of `layout.refs`. */
export interface LayoutRefsParams {
  /** The label to look for. */
  label: string;
  /** Where the caller is; it must be inside tmux. */
  context?: Context | null | undefined;
}

/** What an agent does. */
export type Lifecycle =
  | "idle"
  | "running"
  | "closed"
  | "interrupted"
  | "failed"
  | (string & {});

/** The limits in force. Each is refused with an error, never with silence or growth. */
export interface Limits {
  /** Bytes of one message. */
  messageBytes?: number | undefined;
  /** Bytes of one reply. */
  replyBytes?: number | undefined;
  /** Levels of arrays and objects in one message. */
  nesting?: number | undefined;
  /** Connections at a time. */
  connections?: number | undefined;
  /** Requests at a time on one connection; over it the daemon stops reading that connection. */
  inFlight?: number | undefined;
  /** Subscriptions and waits at a time on one connection. */
  subscriptions?: number | undefined;
  /** Requests in one batch. */
  batch?: number | undefined;
  /** Bytes of replies that a connection has not read. */
  unreadBytes?: number | undefined;
  /** How long a reader may make no progress while it is over `unreadBytes`. */
  stalledMs?: number | undefined;
  /** How long half a message may wait when connections are short. */
  halfSentMs?: number | undefined;
}

/** Result of `surface.list`. */
export interface ListResult {
  /** The surfaces that could be seen. */
  surfaces: SurfaceInfo[];
  /** Which terminals could not be asked, so that surfaces of theirs may be left out. */
  warnings?: string[] | null | undefined;
}

/** What becomes of a surface when its command ends. */
export type OnExit =
  | "close"
  | "hold"
  | "hold-on-failure";

/** Result of `open`; with `dryRun` it is a `BuildResult`. */
export type OpenAnswer = BuildResult | OpenAnswerResults;

/** What became of the items. */
export interface OpenAnswerResults {
  /** The first item's backend. */
  backend?: BackendId | null | undefined;
  /** Why that one. */
  source?: Source | null | undefined;
  /** One for each item, in order. */
  results: OpenResult[];
}

/** An item of `open.subscribe`. */
export type OpenItem =
  /** What became of one item. */
  | {
      type: "result";
      /** Its index in `items`. */
      index: number;
      /** What became of it. */
      result: OpenResult;
    }
  /** Items were left out because the reader was too slow. */
  | {
      type: "gap";
      /** How many. */
      missed: number;
    }
  /** Nothing follows. */
  | {
      type: "end";
      /** done, unsubscribed, lagged or shutting-down. */
      reason: string;
    };

/** Parameters of `open`. */
export interface OpenParams {
  /** What to open. */
  items: Item[];
  /** Absent: as `resolveBackend` with `headless`; with a host: `tmux`. */
  backend?: BackendId | null | undefined;
  /** The host of items that name none. */
  host?: string | null | undefined;
  /** Absent: `two-per-tab`. */
  packing?: Packing | null | undefined;
  /** Where the caller is; absent: what the daemon sees of its process. */
  context?: Context | null | undefined;
  /** The wrapping shell; absent: zsh where it exists, else the login shell. */
  shell?: string | null | undefined;
  /** `false`: the launch engine's own bare commands. Absent: true. */
  handles?: boolean | null | undefined;
  /** Milliseconds between items on terminals without ids; absent: 400 there, 0 elsewhere. */
  staggerMs?: number | null | undefined;
  /** Whether the new surfaces take the focus; absent: true. */
  focus?: boolean | null | undefined;
  /** The same key within ten minutes opens nothing again. */
  key?: string | null | undefined;
  /** Run every check and answer `{ specs }`. */
  dryRun?: boolean | null | undefined;
  /** How long to wait for a surface to be seen, in milliseconds; absent: 5000. */
  startTimeoutMs?: number | null | undefined;
}

/** What became of one item of `open`. */
export interface OpenResult {
  /** Whether it was opened. */
  ok: boolean;
  /** What was asked, as planned. */
  request: Request;
  /** Whether it was seen; absent where it was not opened. */
  started?: Started | null | undefined;
  /** The reference of the new surface, where the terminal tells it. */
  surface?: string | null | undefined;
  /** The process in the surface, where it is known. */
  pid?: number | null | undefined;
  /** The line that shows it, where it did not open in front of the person. */
  attach?: string | null | undefined;
  /** Where a lesser thing was done. */
  warnings?: string[] | null | undefined;
  /** One sentence a person can act on; absent when `ok`. */
  error?: string | null | undefined;
  /** What a program branches on; absent when `ok`. */
  kind?: Kind | null | undefined;
  /** What the person can do next; absent when `ok`. */
  hint?: string | null | undefined;
}

/** Parameters of `open.subscribe`. */
export interface OpenSubscribeParams {
  /** What to open. */
  items: Item[];
  /** Absent: as `resolveBackend` with `headless`; with a host: `tmux`. */
  backend?: BackendId | null | undefined;
  /** The host of items that name none. */
  host?: string | null | undefined;
  /** Absent: `two-per-tab`. */
  packing?: Packing | null | undefined;
  /** Where the caller is; absent: what the daemon sees of its process. */
  context?: Context | null | undefined;
  /** The wrapping shell; absent: zsh where it exists, else the login shell. */
  shell?: string | null | undefined;
  /** `false`: the launch engine's own bare commands. Absent: true. */
  handles?: boolean | null | undefined;
  /** Milliseconds between items on terminals without ids; absent: 400 there, 0 elsewhere. */
  staggerMs?: number | null | undefined;
  /** Whether the new surfaces take the focus; absent: true. */
  focus?: boolean | null | undefined;
  /** The same key within ten minutes opens nothing again. */
  key?: string | null | undefined;
  /** Run every check and answer `{ specs }`. */
  dryRun?: boolean | null | undefined;
  /** How long to wait for a surface to be seen, in milliseconds; absent: 5000. */
  startTimeoutMs?: number | null | undefined;
}

/** Parameters of `open.unsubscribe`. */
export interface OpenUnsubscribeParams {
  /** The subscription. */
  subscription: number;
}

/** What a reap found. */
export type Outcome =
  | "absent"
  | "reaped"
  | (string & {});

/** How a batch is laid out. */
export type Packing =
  | "two-per-tab"
  | "tabs";

/** One pane of a tab. */
export interface PaneItem {
  /** The program. */
  command: string;
  /** Its arguments. */
  args?: string[] | null | undefined;
  /** Variables for it. */
  env?: Record<string, string> | null | undefined;
  /** The working directory; absent: the caller's. */
  cwd?: string | null | undefined;
  /** A prompt to answer once. */
  confirm?: Confirm | null | undefined;
}

/** Where an agent lives. */
export type Place =
  /** In a terminal that the daemon hosts. */
  | {
      kind: "terminal";
    }
  /** In a surface of the person's terminal. */
  | {
      kind: "surface";
      /** Absent: as `open` chooses. */
      backend?: BackendId | null | undefined;
      /** Absent: this machine. */
      host?: string | null | undefined;
      /** Absent: a tab. */
      layout?: Layout | null | undefined;
    }
  /** In a seat. */
  | {
      kind: "seat";
      /** The space. */
      space: string;
    };

/** Parameters of `plan`. */
export interface PlanParams {
  /** The items to lay out. */
  items?: Item[] | null | undefined;
  /** Or how many. */
  count?: number | null | undefined;
  /** Absent: `two-per-tab`. */
  packing?: Packing | null | undefined;
  /** The backend of every item; with `host` and without it: `tmux`. */
  backend?: BackendId | null | undefined;
  /** The host of items that name none. */
  host?: string | null | undefined;
}

/** Result of `plan`. */
export interface PlanResult {
  /** One for each item, in order. */
  layouts: Layout[];
  /** The planned items, where items were given and every one's backend is known (a `backend`, or a host). */
  requests?: Request[] | null | undefined;
}

/** A family of operating systems. */
export type Platform =
  | "darwin"
  | "linux";

/** The versions that a client speaks. */
export interface ProtocolRange {
  /** The lowest. */
  min: number;
  /** The highest. */
  max: number;
}

/** A provider as `provider.list` shows it. */
export interface Provider {
  /** Its id. */
  id: string;
  /** Its name for people. */
  label: string;
  /** Its program. */
  command: string;
  /** Whether the program is there and answers. */
  available: boolean;
  /** Why not. */
  reason?: string | null | undefined;
  /** Its version, in its own words. */
  version?: string | null | undefined;
  /** What it can do. */
  capabilities: ProviderCapabilities;
  /** The ids of its modes. */
  modes: string[];
}

/** What a provider's program can do. */
export interface ProviderCapabilities {
  /** It has a terminal program of its own. */
  supportsTerminalMode: boolean;
  /** It takes up an earlier conversation. */
  supportsResume: boolean;
  /** A model can be named. */
  supportsModel: boolean;
  /** A mode can be named. */
  supportsMode: boolean;
  /** It takes a first prompt. */
  supportsPrompt: boolean;
  /** The id of a new conversation can be set beforehand. */
  supportsSessionId: boolean;
}

/** Parameters of `provider.command`. */
export interface ProviderCommandParams {
  /** The provider. */
  provider: string;
  /** Create or resume. */
  action: Action;
  /** What it is started with. */
  config?: AgentConfig | null | undefined;
  /** The conversation to take up. */
  handle?: Handle | null | undefined;
  /** The version that takes it; absent: today's form. */
  version?: string | null | undefined;
}

/** Parameters of `provider.list`. */
export interface ProviderListParams {
}

/** Result of `provider.list`. */
export interface ProviderListResult {
  /** Built-in ones first, then those of the configuration file. */
  providers: Provider[];
}

/** Result of `seat.reap`. */
export interface Reaped {
  /** What was found. */
  outcome: Outcome;
  /** One sentence. */
  detail: string;
}

/** An item that was planned: with its backend and layout. */
export interface Request {
  /** The terminal that opens it. */
  backend: BackendId;
  /** Where in it. */
  layout: Layout;
  /** The working directory. */
  cwd?: string | null | undefined;
  /** The argv. */
  command?: string[] | null | undefined;
  /** Or a line for the wrapping shell. */
  shellCommand?: string | null | undefined;
  /** Variables for the command. */
  env?: Record<string, string> | null | undefined;
  /** The host; absent: this machine. */
  host?: string | null | undefined;
  /** The surface to split. */
  target?: string | null | undefined;
  /** The agent that it runs. */
  agent?: string | null | undefined;
  /** The agent's session. */
  sessionId?: string | null | undefined;
  /** The title. */
  title?: string | null | undefined;
  /** What becomes of the surface when its command ends; absent: it closes. */
  onExit?: OnExit | null | undefined;
}

/** Parameters of `resolveBackend`. */
export interface ResolveBackendParams {
  /** Where the caller is; absent: what the daemon sees of its process. */
  context?: Context | null | undefined;
  /** Live sessions; absent: none with a pure context, else those of `sessions`. */
  sessions?: SessionSample[] | null | undefined;
  /** Use this backend or say why not. */
  forced?: BackendId | null | undefined;
  /** Fall back to `builtin` instead of to nothing; absent: false. */
  headless?: boolean | null | undefined;
}

/** Result of `resolveBackend`. */
export interface ResolveResult {
  /** `null`: nothing can be driven here. */
  backend?: BackendId | null | undefined;
  /** `null`: nothing can be driven here. */
  source?: Source | null | undefined;
  /** The session's host application, where `source` is `active-session`. */
  host?: string | null | undefined;
  /** One line for people, such as `Ghostty (where your ghostty sessions run)`. */
  description: string;
  /** The candidates in the order they were looked at. */
  considered: Considered[];
}

/** Parameters of `resume`. */
export interface ResumeParams {
  /** Ids of sessions, or beginnings of them that mean one session only, or ids of agents. At least one. */
  ids: string[];
  /** Absent: as `resolveBackend` with `headless`; with a host: `tmux`. */
  backend?: BackendId | null | undefined;
  /** The host that the sessions are on; absent: this machine. */
  on?: string | null | undefined;
  /** True: two to a tab; absent: a tab each. */
  splits?: boolean | null | undefined;
  /** Where the caller is; absent: what the daemon sees of its process. */
  context?: Context | null | undefined;
  /** Run every check and answer `{ specs }`. */
  dryRun?: boolean | null | undefined;
}

/** Parameters of `rpc.discover`. */
export interface RpcDiscoverParams {
}

/** A seat as `seat.list` shows it. */
export interface Seat {
  /** Names it in every call. */
  reference: string;
  /** Its space. */
  space: string;
  /** Its name. */
  name: string;
  /** The tmux session's name. */
  session: string;
  /** Whether it runs; absent: that cannot be told now. */
  state?: SeatState | null | undefined;
  /** Its exit status. */
  exitCode?: number | null | undefined;
  /** The signal that ended it. */
  signal?: string | null | undefined;
  /** The argv. */
  command: string[];
  /** Where it started. */
  cwd: string;
  /** Its process. */
  pid?: number | null | undefined;
  /** When it was spawned, RFC 3339. */
  startedAt: string;
  /** `true`: its pane or its window was moved out of its place. It is shown where it is now, and nothing is done to it: a stop or a
reap is refused until it is moved back. */
  moved?: boolean | null | undefined;
  /** The line that shows it; absent: it has ended. */
  attach?: string | null | undefined;
  /** The host; absent: this machine. */
  host?: string | null | undefined;
}

/** Parameters of `seat.capture`. */
export interface SeatCaptureParams {
  /** The seat. */
  reference: string;
  /** The last so many lines, scrollback included; absent: what is visible. */
  lines?: number | null | undefined;
}

/** Parameters of `seat.interrupt`. */
export interface SeatInterruptParams {
  /** The seat. */
  reference: string;
}

/** Parameters of `seat.list`. */
export interface SeatListParams {
  /** Only those of this space. */
  space?: string | null | undefined;
}

/** Result of `seat.list`. */
export interface SeatListResult {
  /** In the order in which they were spawned. */
  seats: Seat[];
}

/** Parameters of `seat.reap`. */
export interface SeatReapParams {
  /** The seat. */
  reference: string;
}

/** Parameters of `seat.spawn`. */
export interface SeatSpawnParams {
  /** The space, which becomes the tmux session `surfaced-<space>`. */
  space: string;
  /** The seat's name, which becomes the name of its window. */
  name: string;
  /** The program. */
  command: string;
  /** Its arguments. */
  args?: string[] | null | undefined;
  /** Variables over the base. */
  env?: Record<string, string> | null | undefined;
  /** Of the base keep only TERM, TMUX and `TMUX_PANE`; absent: false. */
  exactEnv?: boolean | null | undefined;
  /** The working directory; with `host` absent: the home there. Without `host` it has to be given. */
  cwd?: string | null | undefined;
  /** What a graceful stop types; absent: `/exit`. */
  exitPhrase?: string | null | undefined;
  /** A prompt to answer once. */
  confirm?: Confirm | null | undefined;
  /** The host; absent: this machine. */
  host?: string | null | undefined;
}

/** Whether a seat's program runs. */
export type SeatState =
  | "running"
  | "exited"
  | "gone"
  | (string & {});

/** Result of `seat.status`. */
export interface SeatStatus {
  /** Whether it runs. */
  state: SeatState;
  /** Its exit status, where it exited and that is known. */
  exitCode?: number | null | undefined;
  /** The signal that ended it. */
  signal?: string | null | undefined;
}

/** Parameters of `seat.status`. */
export interface SeatStatusParams {
  /** The seat. */
  reference: string;
}

/** Parameters of `seat.stop`. */
export interface SeatStopParams {
  /** The seat. */
  reference: string;
  /** Type the exit phrase first; absent: true. */
  graceful?: boolean | null | undefined;
  /** Milliseconds for the program to end by itself; absent: 1500. */
  graceMs?: number | null | undefined;
  /** Milliseconds for all of it, from the call; absent: 8000. */
  timeoutMs?: number | null | undefined;
}

/** Parameters of `seat.wait`. */
export interface SeatWaitParams {
  /** The seat. */
  reference: string;
  /** Milliseconds; absent: 8000. */
  timeoutMs?: number | null | undefined;
}

/** A live agent, or a session on disk. */
export interface Session {
  /** The agent's process; absent for a session on disk. */
  pid?: number | null | undefined;
  /** The provider, such as `claude`. */
  kind: string;
  /** The application that hosts it. */
  host?: string | null | undefined;
  /** The application in which the tmux client that shows it was last active. */
  viewingApp?: string | null | undefined;
  /** All applications that show it, most recently active first. */
  viewers?: string[] | null | undefined;
  /** Its working directory. */
  cwd?: string | null | undefined;
  /** Its terminal device. */
  tty?: string | null | undefined;
  /** Its tmux pane. */
  tmux?: TmuxPlace | null | undefined;
  /** The provider's id of the conversation, where it is known. */
  sessionId?: string | null | undefined;
  /** Milliseconds since 1970. */
  startedAtMs?: number | null | undefined;
  /** What its conversation is about: its title or the beginning of its first prompt. Of sessions on disk. */
  title?: string | null | undefined;
  /** The version of the program that wrote it last. Of sessions on disk. */
  version?: string | null | undefined;
  /** Milliseconds since 1970; from the terminal device and tmux, and of a session on disk from its file. */
  lastActivityMs?: number | null | undefined;
  /** Its surface, where it can be driven. */
  surface?: string | null | undefined;
  /** The host it runs on; absent: this machine. */
  machine?: string | null | undefined;
}

/** What is read of a session that a caller gives: the rest is ignored, since callers pass their own records. */
export interface SessionSample {
  /** The application that hosts it. */
  host?: string | null | undefined;
  /** The application that shows it, which outranks `host`. */
  viewingApp?: string | null | undefined;
  /** When something last happened in it, milliseconds since 1970. */
  lastActivityMs?: number | null | undefined;
  /** When it started, milliseconds since 1970. */
  startedAtMs?: number | null | undefined;
}

/** Parameters of `sessions`. */
export interface SessionsParams {
  /** Add the sessions on disk; absent: false. */
  includeFiles?: boolean | null | undefined;
  /** Those of a host. */
  on?: string | null | undefined;
}

/** Result of `sessions`. */
export interface SessionsResult {
  /** Those that run, most recently active first; then those on disk, newest first, without those that run. */
  sessions: Session[];
  /** What could not be looked at, a sentence each; absent: nothing was left out. */
  warnings?: string[] | null | undefined;
}

/** How to shut down. */
export type ShutdownMode =
  | "drain"
  | "now";

/** A place in a `Spec` whose text is known only while opening. */
export interface Slot {
  /** The index of the word in `argv`, or the name of the variable in `env`. */
  at: SlotAt;
  /** The text that stands there: `{surface:N}`, `{script}`, `{session}` or `{payload}`. */
  text: string;
}

/** Where a slot is. */
export type SlotAt = number | string;

/** Result of `terminal.snapshot`. */
export interface Snapshot {
  /** Rows of the content. */
  rows: number;
  /** Columns of the content. */
  cols: number;
  /** The cursor. */
  cursor: Cursor;
  /** base64 of escape sequences that redraw the screen in an emulator of this size. */
  screen: string;
  /** The revision that it shows; output with a greater one comes after it. */
  revision: number;
}

/** Why a backend was chosen. */
export type Source =
  | "forced"
  | "current-terminal"
  | "active-session"
  | "available"
  | "remote-default"
  | "headless"
  | (string & {});

/** Result of `seat.spawn`. */
export interface Spawned {
  /** Names the seat in every later call, also to another daemon. */
  reference: string;
  /** The tmux session's name. */
  session: string;
  /** `@N`. */
  windowId: string;
  /** `%N`. */
  paneId: string;
  /** The line that shows it. */
  attach: string;
}

/** The exact command that opens a surface. */
export interface Spec {
  /** The words; empty for `builtin`. */
  argv: string[];
  /** Variables of the terminal's own command (not of the program in the surface). */
  env?: Record<string, string> | null | undefined;
  /** Bytes for its standard input. */
  stdin?: string | null | undefined;
  /** The text of the launch script, whose path goes where `{script}` stands. */
  script?: string | null | undefined;
  /** What is known only while opening. */
  slots?: Slot[] | null | undefined;
  /** An editor's JSON, which goes where `{payload}` stands, encoded last. */
  payload?: unknown | undefined;
  /** Earlier steps of terminals that need a conversation. */
  before?: string[][] | null | undefined;
  /** The argv to use where no server runs. */
  otherwise?: string[] | null | undefined;
  /** What it opens. */
  request: Request;
  /** How it is run. */
  transport: Transport;
  /** A line to read and paste; no values of `env`. */
  display: string;
}

/** The command that a `dryRun` shows. */
export interface SpecShown {
  /** As `build` shows it. */
  spec: SurfaceSpec;
}

/** How the panes of a tab share it. */
export interface Split {
  /** Side by side or stacked. */
  direction: Direction;
  /** The part of the first pane, between 0 and 1; absent: equal parts. */
  ratio?: number | null | undefined;
}

/** Whether a new surface was seen. */
export type Started =
  | "seen"
  | "unconfirmed"
  | (string & {});

/** Whether the daemon takes new work. */
export type State =
  | "ready"
  | "draining"
  | (string & {});

/** Result of `daemon.status`. */
export interface StatusResult {
  /** The program's version. */
  version: string;
  /** The protocol's version. */
  protocol: number;
  /** Its process. */
  pid: number;
  /** New at each start. */
  instanceId: string;
  /** The path of its socket. */
  socket: string;
  /** Its home directory. */
  home: string;
  /** Its log. */
  log: string;
  /** Whether it takes new work. */
  state: State;
  /** How long it runs. */
  uptimeMs: number;
  /** When it started, RFC 3339. */
  startedAt: string;
  /** Connections now. */
  connections: number;
  /** Requests that run now, this one not counted. */
  inFlight: number;
  /** Subscriptions now. */
  subscriptions: number;
  /** The configuration file. */
  configuration: ConfigurationStatus;
}

/** Result of `seat.stop`. */
export interface Stopped {
  /** `exited`, or `gone` where it was not there any more. */
  state: SeatState;
}

/** The first answer of a subscribing method. */
export interface Subscribed {
  /** Names the subscription in its items and when it is ended. */
  subscription: number;
}

/** Parameters of `surface.capture`. */
export interface SurfaceCaptureParams {
  /** The surface to read. */
  surface: string;
  /** The last so many lines, scrollback included; absent: what is visible. */
  lines?: number | null | undefined;
  /** Only show the command. */
  dryRun?: boolean | null | undefined;
}

/** Result of `surface.capture`; with `dryRun` the command. */
export type SurfaceCaptureResult = SpecShown | Text;

/** Parameters of `surface.close`. */
export interface SurfaceCloseParams {
  /** The surface. */
  surface: string;
  /** Only show the command. */
  dryRun?: boolean | null | undefined;
}

/** Result of `surface.close`; with `dryRun` the command. */
export type SurfaceCloseResult = SpecShown | Empty;

/** Parameters of `surface.focus`. */
export interface SurfaceFocusParams {
  /** The surface. */
  surface: string;
  /** Only show the command. */
  dryRun?: boolean | null | undefined;
}

/** Result of `surface.focus`; with `dryRun` the command. */
export type SurfaceFocusResult = SpecShown | Empty;

/** A surface that exists now. */
export interface SurfaceInfo {
  /** Its reference. */
  surface: string;
  /** Its terminal. */
  backend: BackendId;
  /** Its title. */
  title?: string | null | undefined;
  /** The working directory of what runs in it. */
  cwd?: string | null | undefined;
  /** What runs in it. */
  command?: string | null | undefined;
  /** Whether it has the focus of its terminal. */
  active?: boolean | null | undefined;
  /** How its program ended, where it has and the terminal keeps the surface; absent: it runs, as far as is known. */
  exit?: Exit | null | undefined;
}

/** Parameters of `surface.inject`. */
export interface SurfaceInjectParams {
  /** The surface that gets the text. */
  surface: string;
  /** Literal text: `Enter` is five letters. */
  text: string;
  /** Press Enter after it; absent: true. */
  enter?: boolean | null | undefined;
  /** Text and Enter in one write; absent: false. */
  combined?: boolean | null | undefined;
  /** Only show the command. */
  dryRun?: boolean | null | undefined;
}

/** Result of `surface.inject`; with `dryRun` the command. */
export type SurfaceInjectResult = SpecShown | Writes;

/** Parameters of `surface.keys`. */
export interface SurfaceKeysParams {
  /** The surface that gets the keys. */
  surface: string;
  /** tmux's names: `Enter`, `Escape`, `C-c`, `M-x`, `Up`, `F1`, single characters. */
  keys: string[];
  /** Only show the command. */
  dryRun?: boolean | null | undefined;
}

/** Result of `surface.keys`; with `dryRun` the command. */
export type SurfaceKeysResult = SpecShown | Empty;

/** Parameters of `surface.list`. */
export interface SurfaceListParams {
  /** Only of this backend. */
  backend?: BackendId | null | undefined;
  /** Those of a host. */
  host?: string | null | undefined;
}

/** The exact command of one `surface.*` call. */
export interface SurfaceSpec {
  /** The words. */
  argv: string[];
  /** Bytes for its standard input. */
  stdin?: string | null | undefined;
  /** Later steps. */
  then?: string[][] | null | undefined;
  /** How it is run. */
  transport: Transport;
  /** A line to read and paste. */
  display: string;
}

/** Parameters of `surface.wait`. */
export interface SurfaceWaitParams {
  /** The surface. */
  surface: string;
  /** Milliseconds; absent: as long as it takes. */
  timeoutMs?: number | null | undefined;
  /** Only show the command. */
  dryRun?: boolean | null | undefined;
}

/** Result of `surface.wait`; with `dryRun` the command. */
export type SurfaceWaitResult = SpecShown | Exit;

/** The panes of a tab. */
export interface TabItem {
  /** At least one. */
  panes: PaneItem[];
  /** How they share it; absent: side by side in equal parts. */
  split?: Split | null | undefined;
}

/** A hosted terminal. */
export interface Terminal {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** The working directory: the program's own word (OSC 7), else where it started. */
  cwd: string;
  /** The title. */
  title: string;
  /** The argv. */
  command: string[];
  /** Rows. */
  rows: number;
  /** Columns. */
  cols: number;
  /** The program's process. */
  pid?: number | null | undefined;
  /** Whether the program runs. */
  state: TerminalState;
  /** How it ended. */
  exit?: Exit | null | undefined;
  /** Why it cannot be reached, or why its end is not known: the process that hosted it was ended. */
  reason?: string | null | undefined;
  /** Whether it seems to wait for a person; absent where that cannot be told. */
  waitingForInput?: boolean | null | undefined;
  /** The last 12 lines, after the exit. */
  lastOutputLines?: string[] | null | undefined;
  /** The terminal agent that it is for. */
  agentId?: string | null | undefined;
  /** The line that shows it. */
  attach: string;
  /** When it was made, RFC 3339. */
  createdAt: string;
}

/** Parameters of `terminal.attach`. */
export interface TerminalAttachParams {
  /** The terminal. */
  id: string;
  /** Begin with a snapshot; absent: true. */
  replay?: boolean | null | undefined;
  /** A person types here: with a size it resizes the terminal; absent: false. */
  interactive?: boolean | null | undefined;
  /** The viewer's rows; only together with `cols`. */
  rows?: number | null | undefined;
  /** The viewer's columns; only together with `rows`. */
  cols?: number | null | undefined;
}

/** Parameters of `terminal.capture`. */
export interface TerminalCaptureParams {
  /** The terminal. */
  id: string;
  /** The first line, from 0, the oldest kept; negative: from the end. Absent: 0. */
  start?: number | null | undefined;
  /** The line after the last; negative: from the end. Absent: all. */
  end?: number | null | undefined;
  /** Plain text; absent: true. */
  stripAnsi?: boolean | null | undefined;
}

/** Result of `terminal.capture`. */
export interface TerminalCaptureResult {
  /** The lines, without newlines. */
  lines: string[];
  /** How many are kept. */
  totalLines: number;
}

/** Result of `provider.command`. */
export interface TerminalCommand {
  /** The program. */
  command: string;
  /** Its arguments. */
  args: string[];
  /** Variables for it. */
  env: Record<string, string>;
}

/** Parameters of `terminal.create`. */
export interface TerminalCreateParams {
  /** Absent: the caller's, else home. */
  cwd?: string | null | undefined;
  /** The program; absent: the login shell. */
  command?: string | null | undefined;
  /** Its arguments. */
  args?: string[] | null | undefined;
  /** The shell to run where there is no command; absent: the login shell. */
  shell?: string | null | undefined;
  /** Variables over the daemon's allow-list. */
  env?: Record<string, string> | null | undefined;
  /** Absent: 24. */
  rows?: number | null | undefined;
  /** Absent: 80. */
  cols?: number | null | undefined;
  /** A name for people, of 1 to 200 characters of which none is a control character; absent: the program's. */
  name?: string | null | undefined;
  /** The title until the program sets one: at most 1000 characters, none of them a control character. */
  title?: string | null | undefined;
  /** A terminal agent: answers the terminal that it lives in, or opens it in a new one, as `agent.open` does. Its own
command, directory and variables hold. */
  agentId?: string | null | undefined;
}

/** Parameters of `terminal.detach`. */
export interface TerminalDetachParams {
  /** The subscription. */
  subscription: number;
}

/** Parameters of `terminal.get`. */
export interface TerminalGetParams {
  /** The terminal. */
  id: string;
}

/** Parameters of `terminal.input`. */
export interface TerminalInputParams {
  /** The terminal. */
  id: string;
  /** Text, sent as UTF-8. NUL is allowed here: it is a key. */
  data?: string | null | undefined;
  /** Bytes. */
  dataBase64?: string | null | undefined;
}

/** Parameters of `terminal.kill`. */
export interface TerminalKillParams {
  /** The terminal. */
  id: string;
  /** Milliseconds between hang-up and kill; absent: 2000. */
  gracefulTimeoutMs?: number | null | undefined;
  /** Milliseconds to wait after the kill; absent: 2000. */
  forceTimeoutMs?: number | null | undefined;
}

/** Parameters of `terminal.list`. */
export interface TerminalListParams {
  /** Only those of this directory. */
  cwd?: string | null | undefined;
}

/** Result of `terminal.list`. */
export interface TerminalListResult {
  /** In the order in which they were made. */
  terminals: Terminal[];
}

/** Parameters of `terminal.remove`. */
export interface TerminalRemoveParams {
  /** The terminal. */
  id: string;
}

/** Parameters of `terminal.resize`. */
export interface TerminalResizeParams {
  /** The terminal. */
  id: string;
  /** 1 to 1000. */
  rows: number;
  /** 1 to 1000. */
  cols: number;
}

/** Parameters of `terminal.snapshot`. */
export interface TerminalSnapshotParams {
  /** The terminal. */
  id: string;
}

/** Whether the program runs. */
export type TerminalState =
  | "running"
  | "exited"
  | (string & {});

/** Parameters of `terminal.wait`. */
export interface TerminalWaitParams {
  /** The terminal. */
  id: string;
  /** Milliseconds; absent: as long as it takes. */
  timeoutMs?: number | null | undefined;
}

/** Result of `surface.capture`. */
export interface Text {
  /** Lines that end in a newline, blanks at their ends removed. */
  text: string;
}

/** The tmux pane that a session runs in. */
export interface TmuxPlace {
  /** Path of the server's socket. */
  socket: string;
  /** The session's name. */
  session: string;
  /** `@N`. */
  window: string;
  /** `%N`. */
  pane: string;
}

/** How a `Spec` reaches the terminal. */
export type Transport =
  /** Run on this machine. */
  | {
      kind: "local";
    }
  /** Run on a host. */
  | {
      kind: "ssh";
      /** The host. */
      host: string;
      /** The argv as one POSIX line, for people. */
      command: string;
    }
  /** The daemon hosts it itself. */
  | {
      kind: "builtin";
    };

/** Result of `surface.inject`. */
export interface Writes {
  /** How many writes were made. */
  writes: number;
}

/** The parameters of each method. */
export interface MethodParams {
  "plan": PlanParams;
  "build": BuildParams;
  "open": OpenParams;
  "open.subscribe": OpenSubscribeParams;
  "open.unsubscribe": OpenUnsubscribeParams;
  "resolveBackend": ResolveBackendParams;
  "backends": BackendsParams;
  "sessions": SessionsParams;
  "resume": ResumeParams;
  "surface.list": SurfaceListParams;
  "surface.inject": SurfaceInjectParams;
  "surface.keys": SurfaceKeysParams;
  "surface.capture": SurfaceCaptureParams;
  "surface.focus": SurfaceFocusParams;
  "surface.close": SurfaceCloseParams;
  "surface.wait": SurfaceWaitParams;
  "seat.spawn": SeatSpawnParams;
  "seat.status": SeatStatusParams;
  "seat.stop": SeatStopParams;
  "seat.interrupt": SeatInterruptParams;
  "seat.capture": SeatCaptureParams;
  "seat.list": SeatListParams;
  "seat.wait": SeatWaitParams;
  "seat.reap": SeatReapParams;
  "layout.open": LayoutOpenParams;
  "layout.close": LayoutCloseParams;
  "layout.refs": LayoutRefsParams;
  "terminal.create": TerminalCreateParams;
  "terminal.list": TerminalListParams;
  "terminal.get": TerminalGetParams;
  "terminal.resize": TerminalResizeParams;
  "terminal.remove": TerminalRemoveParams;
  "terminal.input": TerminalInputParams;
  "terminal.capture": TerminalCaptureParams;
  "terminal.snapshot": TerminalSnapshotParams;
  "terminal.kill": TerminalKillParams;
  "terminal.wait": TerminalWaitParams;
  "terminal.attach": TerminalAttachParams;
  "terminal.detach": TerminalDetachParams;
  "provider.list": ProviderListParams;
  "provider.command": ProviderCommandParams;
  "agent.create": AgentCreateParams;
  "agent.open": AgentOpenParams;
  "agent.list": AgentListParams;
  "agent.get": AgentGetParams;
  "agent.update": AgentUpdateParams;
  "agent.close": AgentCloseParams;
  "agent.archive": AgentArchiveParams;
  "agent.unarchive": AgentUnarchiveParams;
  "agent.delete": AgentDeleteParams;
  "agent.send": AgentSendParams;
  "events.subscribe": EventsSubscribeParams;
  "events.unsubscribe": EventsUnsubscribeParams;
  "daemon.hello": DaemonHelloParams;
  "daemon.status": DaemonStatusParams;
  "daemon.shutdown": DaemonShutdownParams;
  "rpc.discover": RpcDiscoverParams;
}

/** The result of each method. */
export interface MethodResults {
  "plan": PlanResult;
  "build": BuildResult;
  "open": OpenAnswer;
  "open.subscribe": Subscribed;
  "open.unsubscribe": Empty;
  "resolveBackend": ResolveResult;
  "backends": BackendsResult;
  "sessions": SessionsResult;
  "resume": OpenAnswer;
  "surface.list": ListResult;
  "surface.inject": SurfaceInjectResult;
  "surface.keys": SurfaceKeysResult;
  "surface.capture": SurfaceCaptureResult;
  "surface.focus": SurfaceFocusResult;
  "surface.close": SurfaceCloseResult;
  "surface.wait": SurfaceWaitResult;
  "seat.spawn": Spawned;
  "seat.status": SeatStatus;
  "seat.stop": Stopped;
  "seat.interrupt": Empty;
  "seat.capture": Text;
  "seat.list": SeatListResult;
  "seat.wait": Exit;
  "seat.reap": Reaped;
  "layout.open": LayoutOpened;
  "layout.close": Empty;
  "layout.refs": LayoutRefs;
  "terminal.create": Terminal;
  "terminal.list": TerminalListResult;
  "terminal.get": Terminal;
  "terminal.resize": Empty;
  "terminal.remove": Empty;
  "terminal.input": Empty;
  "terminal.capture": TerminalCaptureResult;
  "terminal.snapshot": Snapshot;
  "terminal.kill": Exit;
  "terminal.wait": Exit;
  "terminal.attach": Subscribed;
  "terminal.detach": Empty;
  "provider.list": ProviderListResult;
  "provider.command": TerminalCommand;
  "agent.create": Agent;
  "agent.open": Agent;
  "agent.list": AgentListResult;
  "agent.get": Agent;
  "agent.update": Agent;
  "agent.close": Agent;
  "agent.archive": Agent;
  "agent.unarchive": Agent;
  "agent.delete": Empty;
  "agent.send": Empty;
  "events.subscribe": Subscribed;
  "events.unsubscribe": Empty;
  "daemon.hello": HelloResult;
  "daemon.status": StatusResult;
  "daemon.shutdown": Empty;
  "rpc.discover": unknown;
}

/** The items of each method that subscribes. */
export interface StreamItems {
  "open.subscribe": OpenItem;
  "terminal.attach": AttachItem;
  "events.subscribe": EventItem;
}

/** The method that ends a subscription of another. */
export const STREAM_ENDS = {
  "open.subscribe": "open.unsubscribe",
  "terminal.attach": "terminal.detach",
  "events.subscribe": "events.unsubscribe",
} as const satisfies Record<keyof StreamItems, keyof MethodParams>;

/** The JSON-RPC code that goes with each kind. */
export const KIND_CODES = {
  "parse-error": -32700,
  "invalid-request": -32600,
  "method-not-found": -32601,
  "invalid-params": -32602,
  "internal": -32603,
  "message-too-large": -32007,
  "reply-too-large": -32008,
  "busy": -32009,
  "batch-too-large": -32010,
  "shutting-down": -32012,
  "protocol-mismatch": -32013,
  "cancelled": -32800,
  "backend-unknown": -32020,
  "backend-unavailable": -32020,
  "target-gone": -32020,
  "not-supported": -32020,
  "permission": -32020,
  "not-found": -32020,
  "conflict": -32020,
  "timeout": -32020,
  "host-invalid": -32020,
  "host-unreachable": -32020,
  "host-key": -32020,
  "host-auth": -32020,
  "host-tool-missing": -32020,
  "cwd-missing": -32020,
  "program-missing": -32020,
  "spawn-failed": -32020,
  "seat-refused": -32020,
  "state-unknown": -32020,
  "terminal-agent": -32020,
} as const;
