// Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.

import type { CallOptions, Subscription } from "./connection.js";
import type {
  Agent,
  AgentArchiveParams,
  AgentCloseParams,
  AgentCreateParams,
  AgentDeleteParams,
  AgentGetParams,
  AgentListParams,
  AgentListResult,
  AgentOpenParams,
  AgentSendParams,
  AgentUnarchiveParams,
  AgentUpdateParams,
  AttachItem,
  BackendsParams,
  BackendsResult,
  BuildParams,
  BuildResult,
  DaemonHelloParams,
  DaemonShutdownParams,
  DaemonStatusParams,
  Empty,
  EventItem,
  EventsSubscribeParams,
  EventsUnsubscribeParams,
  Exit,
  HelloResult,
  LayoutCloseParams,
  LayoutOpenParams,
  LayoutOpened,
  LayoutRefs,
  LayoutRefsParams,
  ListResult,
  OpenAnswer,
  OpenAnswerResults,
  OpenItem,
  OpenParams,
  OpenSubscribeParams,
  OpenUnsubscribeParams,
  PlanParams,
  PlanResult,
  ProviderCommandParams,
  ProviderListParams,
  ProviderListResult,
  Reaped,
  ResolveBackendParams,
  ResolveResult,
  ResumeParams,
  RpcDiscoverParams,
  SeatCaptureParams,
  SeatInterruptParams,
  SeatListParams,
  SeatListResult,
  SeatReapParams,
  SeatSpawnParams,
  SeatStatus,
  SeatStatusParams,
  SeatStopParams,
  SeatWaitParams,
  SessionsParams,
  SessionsResult,
  Snapshot,
  Spawned,
  SpecShown,
  StatusResult,
  Stopped,
  SurfaceCaptureParams,
  SurfaceCaptureResult,
  SurfaceCloseParams,
  SurfaceCloseResult,
  SurfaceFocusParams,
  SurfaceFocusResult,
  SurfaceInjectParams,
  SurfaceInjectResult,
  SurfaceKeysParams,
  SurfaceKeysResult,
  SurfaceListParams,
  SurfaceWaitParams,
  SurfaceWaitResult,
  Terminal,
  TerminalAttachParams,
  TerminalCaptureParams,
  TerminalCaptureResult,
  TerminalCommand,
  TerminalCreateParams,
  TerminalDetachParams,
  TerminalGetParams,
  TerminalInputParams,
  TerminalKillParams,
  TerminalListParams,
  TerminalListResult,
  TerminalRemoveParams,
  TerminalResizeParams,
  TerminalSnapshotParams,
  TerminalWaitParams,
  Text,
  Writes,
  MethodParams,
  MethodResults,
  StreamItems,
} from "./protocol.js";

/** One typed method for each RPC. */
export abstract class Api {
  /** Calls any method by its name. */
  abstract call<M extends keyof MethodParams>(method: M, params: MethodParams[M], options?: CallOptions): Promise<MethodResults[M]>;

  /** Calls any method that subscribes by its name. */
  abstract subscribe<M extends keyof StreamItems>(
    method: M,
    params: MethodParams[M],
    options?: CallOptions,
  ): Promise<Subscription<StreamItems[M]>>;

  /** How a batch of surfaces is laid out. Pure. */
  plan(params: PlanParams = {}, options?: CallOptions): Promise<PlanResult> {
    return this.call("plan", params, options);
  }

  /** The exact commands that open would run; opens nothing. */
  build(params: BuildParams, options?: CallOptions): Promise<BuildResult> {
    return this.call("build", params, options);
  }

  /** Opens surfaces where the person works; failures of items are results. */
  open(params: OpenParams & { dryRun: true }, options?: CallOptions): Promise<BuildResult>;
  /** Opens surfaces where the person works; failures of items are results. */
  open(params: OpenParams & { dryRun?: false | null }, options?: CallOptions): Promise<OpenAnswerResults>;
  /** Opens surfaces where the person works; failures of items are results. */
  open(params: OpenParams, options?: CallOptions): Promise<OpenAnswer>;
  open(params: OpenParams, options?: CallOptions): Promise<OpenAnswer> {
    return this.call("open", params, options);
  }

  /** As open; each result is sent when it is known. */
  openSubscribe(params: OpenSubscribeParams, options?: CallOptions): Promise<Subscription<OpenItem>> {
    return this.subscribe("open.subscribe", params, options);
  }

  /** Ends a subscription of open.subscribe. */
  openUnsubscribe(params: OpenUnsubscribeParams, options?: CallOptions): Promise<Empty> {
    return this.call("open.unsubscribe", params, options);
  }

  /** Which terminal a surface would open in, and why. */
  resolveBackend(params: ResolveBackendParams = {}, options?: CallOptions): Promise<ResolveResult> {
    return this.call("resolveBackend", params, options);
  }

  /** The terminals, and for each why it can or cannot be driven here. */
  backends(params: BackendsParams = {}, options?: CallOptions): Promise<BackendsResult> {
    return this.call("backends", params, options);
  }

  /** Live agent processes and the terminals they are seen in. */
  sessions(params: SessionsParams = {}, options?: CallOptions): Promise<SessionsResult> {
    return this.call("sessions", params, options);
  }

  /** Takes up sessions again, each in its own directory in a surface; answers as open. */
  resume(params: ResumeParams & { dryRun: true }, options?: CallOptions): Promise<BuildResult>;
  /** Takes up sessions again, each in its own directory in a surface; answers as open. */
  resume(params: ResumeParams & { dryRun?: false | null }, options?: CallOptions): Promise<OpenAnswerResults>;
  /** Takes up sessions again, each in its own directory in a surface; answers as open. */
  resume(params: ResumeParams, options?: CallOptions): Promise<OpenAnswer>;
  resume(params: ResumeParams, options?: CallOptions): Promise<OpenAnswer> {
    return this.call("resume", params, options);
  }

  /** The surfaces that can be seen now. */
  surfaceList(params: SurfaceListParams = {}, options?: CallOptions): Promise<ListResult> {
    return this.call("surface.list", params, options);
  }

  /** Types text into one surface. */
  surfaceInject(params: SurfaceInjectParams & { dryRun: true }, options?: CallOptions): Promise<SpecShown>;
  /** Types text into one surface. */
  surfaceInject(params: SurfaceInjectParams & { dryRun?: false | null }, options?: CallOptions): Promise<Writes>;
  /** Types text into one surface. */
  surfaceInject(params: SurfaceInjectParams, options?: CallOptions): Promise<SurfaceInjectResult>;
  surfaceInject(params: SurfaceInjectParams, options?: CallOptions): Promise<SurfaceInjectResult> {
    return this.call("surface.inject", params, options);
  }

  /** Presses keys in one surface. */
  surfaceKeys(params: SurfaceKeysParams & { dryRun: true }, options?: CallOptions): Promise<SpecShown>;
  /** Presses keys in one surface. */
  surfaceKeys(params: SurfaceKeysParams & { dryRun?: false | null }, options?: CallOptions): Promise<Empty>;
  /** Presses keys in one surface. */
  surfaceKeys(params: SurfaceKeysParams, options?: CallOptions): Promise<SurfaceKeysResult>;
  surfaceKeys(params: SurfaceKeysParams, options?: CallOptions): Promise<SurfaceKeysResult> {
    return this.call("surface.keys", params, options);
  }

  /** The text on one surface. */
  surfaceCapture(params: SurfaceCaptureParams & { dryRun: true }, options?: CallOptions): Promise<SpecShown>;
  /** The text on one surface. */
  surfaceCapture(params: SurfaceCaptureParams & { dryRun?: false | null }, options?: CallOptions): Promise<Text>;
  /** The text on one surface. */
  surfaceCapture(params: SurfaceCaptureParams, options?: CallOptions): Promise<SurfaceCaptureResult>;
  surfaceCapture(params: SurfaceCaptureParams, options?: CallOptions): Promise<SurfaceCaptureResult> {
    return this.call("surface.capture", params, options);
  }

  /** Brings one surface to the front. */
  surfaceFocus(params: SurfaceFocusParams & { dryRun: true }, options?: CallOptions): Promise<SpecShown>;
  /** Brings one surface to the front. */
  surfaceFocus(params: SurfaceFocusParams & { dryRun?: false | null }, options?: CallOptions): Promise<Empty>;
  /** Brings one surface to the front. */
  surfaceFocus(params: SurfaceFocusParams, options?: CallOptions): Promise<SurfaceFocusResult>;
  surfaceFocus(params: SurfaceFocusParams, options?: CallOptions): Promise<SurfaceFocusResult> {
    return this.call("surface.focus", params, options);
  }

  /** Closes one surface. */
  surfaceClose(params: SurfaceCloseParams & { dryRun: true }, options?: CallOptions): Promise<SpecShown>;
  /** Closes one surface. */
  surfaceClose(params: SurfaceCloseParams & { dryRun?: false | null }, options?: CallOptions): Promise<Empty>;
  /** Closes one surface. */
  surfaceClose(params: SurfaceCloseParams, options?: CallOptions): Promise<SurfaceCloseResult>;
  surfaceClose(params: SurfaceCloseParams, options?: CallOptions): Promise<SurfaceCloseResult> {
    return this.call("surface.close", params, options);
  }

  /** Waits for the program in one surface to end. */
  surfaceWait(params: SurfaceWaitParams & { dryRun: true }, options?: CallOptions): Promise<SpecShown>;
  /** Waits for the program in one surface to end. */
  surfaceWait(params: SurfaceWaitParams & { dryRun?: false | null }, options?: CallOptions): Promise<Exit>;
  /** Waits for the program in one surface to end. */
  surfaceWait(params: SurfaceWaitParams, options?: CallOptions): Promise<SurfaceWaitResult>;
  surfaceWait(params: SurfaceWaitParams, options?: CallOptions): Promise<SurfaceWaitResult> {
    return this.call("surface.wait", params, options);
  }

  /** Runs a program in an isolated tmux window. */
  seatSpawn(params: SeatSpawnParams, options?: CallOptions): Promise<Spawned> {
    return this.call("seat.spawn", params, options);
  }

  /** Whether a seat's program runs. */
  seatStatus(params: SeatStatusParams, options?: CallOptions): Promise<SeatStatus> {
    return this.call("seat.status", params, options);
  }

  /** Ends a seat; answers when the end is proven. */
  seatStop(params: SeatStopParams, options?: CallOptions): Promise<Stopped> {
    return this.call("seat.stop", params, options);
  }

  /** Presses C-c in a seat. */
  seatInterrupt(params: SeatInterruptParams, options?: CallOptions): Promise<Empty> {
    return this.call("seat.interrupt", params, options);
  }

  /** The text on a seat's pane. */
  seatCapture(params: SeatCaptureParams, options?: CallOptions): Promise<Text> {
    return this.call("seat.capture", params, options);
  }

  /** The seats, with their state and how to look at them. */
  seatList(params: SeatListParams = {}, options?: CallOptions): Promise<SeatListResult> {
    return this.call("seat.list", params, options);
  }

  /** Waits for a seat's program to end. */
  seatWait(params: SeatWaitParams, options?: CallOptions): Promise<Exit> {
    return this.call("seat.wait", params, options);
  }

  /** Ends what is left of a seat and closes its window. */
  seatReap(params: SeatReapParams, options?: CallOptions): Promise<Reaped> {
    return this.call("seat.reap", params, options);
  }

  /** Opens a window of several panes in the caller's tmux session. */
  layoutOpen(params: LayoutOpenParams, options?: CallOptions): Promise<LayoutOpened> {
    return this.call("layout.open", params, options);
  }

  /** Closes a window that layout.open made. */
  layoutClose(params: LayoutCloseParams, options?: CallOptions): Promise<Empty> {
    return this.call("layout.close", params, options);
  }

  /** The windows with a label in the caller's tmux session. */
  layoutRefs(params: LayoutRefsParams, options?: CallOptions): Promise<LayoutRefs> {
    return this.call("layout.refs", params, options);
  }

  /** Makes a terminal that outlives the daemon. */
  terminalCreate(params: TerminalCreateParams = {}, options?: CallOptions): Promise<Terminal> {
    return this.call("terminal.create", params, options);
  }

  /** The terminals, exited ones included. */
  terminalList(params: TerminalListParams = {}, options?: CallOptions): Promise<TerminalListResult> {
    return this.call("terminal.list", params, options);
  }

  /** One terminal. */
  terminalGet(params: TerminalGetParams, options?: CallOptions): Promise<Terminal> {
    return this.call("terminal.get", params, options);
  }

  /** Changes the size of a terminal. */
  terminalResize(params: TerminalResizeParams, options?: CallOptions): Promise<Empty> {
    return this.call("terminal.resize", params, options);
  }

  /** Forgets a terminal; a running one is killed first. */
  terminalRemove(params: TerminalRemoveParams, options?: CallOptions): Promise<Empty> {
    return this.call("terminal.remove", params, options);
  }

  /** Sends bytes to the program. */
  terminalInput(params: TerminalInputParams, options?: CallOptions): Promise<Empty> {
    return this.call("terminal.input", params, options);
  }

  /** The kept lines of a terminal. */
  terminalCapture(params: TerminalCaptureParams, options?: CallOptions): Promise<TerminalCaptureResult> {
    return this.call("terminal.capture", params, options);
  }

  /** The screen as escape sequences. */
  terminalSnapshot(params: TerminalSnapshotParams, options?: CallOptions): Promise<Snapshot> {
    return this.call("terminal.snapshot", params, options);
  }

  /** Ends the program: hang-up, then kill. */
  terminalKill(params: TerminalKillParams, options?: CallOptions): Promise<Exit> {
    return this.call("terminal.kill", params, options);
  }

  /** Waits for the program to end. */
  terminalWait(params: TerminalWaitParams, options?: CallOptions): Promise<Exit> {
    return this.call("terminal.wait", params, options);
  }

  /** The screen of a terminal, then everything that happens to it, the exit last. */
  terminalAttach(params: TerminalAttachParams, options?: CallOptions): Promise<Subscription<AttachItem>> {
    return this.subscribe("terminal.attach", params, options);
  }

  /** Ends a subscription of terminal.attach. */
  terminalDetach(params: TerminalDetachParams, options?: CallOptions): Promise<Empty> {
    return this.call("terminal.detach", params, options);
  }

  /** The programs of terminal agents, and whether they are here. */
  providerList(params: ProviderListParams = {}, options?: CallOptions): Promise<ProviderListResult> {
    return this.call("provider.list", params, options);
  }

  /** The command that starts or resumes an agent. Pure. */
  providerCommand(params: ProviderCommandParams, options?: CallOptions): Promise<TerminalCommand> {
    return this.call("provider.command", params, options);
  }

  /** Starts a terminal agent. */
  agentCreate(params: AgentCreateParams, options?: CallOptions): Promise<Agent> {
    return this.call("agent.create", params, options);
  }

  /** Returns a live agent, or resumes one that ended. */
  agentOpen(params: AgentOpenParams, options?: CallOptions): Promise<Agent> {
    return this.call("agent.open", params, options);
  }

  /** The agents. */
  agentList(params: AgentListParams = {}, options?: CallOptions): Promise<AgentListResult> {
    return this.call("agent.list", params, options);
  }

  /** One agent. */
  agentGet(params: AgentGetParams, options?: CallOptions): Promise<Agent> {
    return this.call("agent.get", params, options);
  }

  /** Renames or marks an agent. */
  agentUpdate(params: AgentUpdateParams, options?: CallOptions): Promise<Agent> {
    return this.call("agent.update", params, options);
  }

  /** Ends an agent's program. */
  agentClose(params: AgentCloseParams, options?: CallOptions): Promise<Agent> {
    return this.call("agent.close", params, options);
  }

  /** Closes an agent and puts it away. */
  agentArchive(params: AgentArchiveParams, options?: CallOptions): Promise<Agent> {
    return this.call("agent.archive", params, options);
  }

  /** Takes an agent back. */
  agentUnarchive(params: AgentUnarchiveParams, options?: CallOptions): Promise<Agent> {
    return this.call("agent.unarchive", params, options);
  }

  /** Closes an agent and forgets it. */
  agentDelete(params: AgentDeleteParams, options?: CallOptions): Promise<Empty> {
    return this.call("agent.delete", params, options);
  }

  /** Refused: terminal agents take no messages. */
  agentSend(params: AgentSendParams, options?: CallOptions): Promise<Empty> {
    return this.call("agent.send", params, options);
  }

  /** What happens to terminals, surfaces, seats and agents, as it happens. */
  eventsSubscribe(params: EventsSubscribeParams = {}, options?: CallOptions): Promise<Subscription<EventItem>> {
    return this.subscribe("events.subscribe", params, options);
  }

  /** Ends a subscription of events.subscribe. */
  eventsUnsubscribe(params: EventsUnsubscribeParams, options?: CallOptions): Promise<Empty> {
    return this.call("events.unsubscribe", params, options);
  }

  /** Who answers, what it speaks and its limits. Proof of life. */
  daemonHello(params: DaemonHelloParams = {}, options?: CallOptions): Promise<HelloResult> {
    return this.call("daemon.hello", params, options);
  }

  /** What the daemon does now. */
  daemonStatus(params: DaemonStatusParams = {}, options?: CallOptions): Promise<StatusResult> {
    return this.call("daemon.status", params, options);
  }

  /** Ends the daemon; terminals and seats live on. The reply comes first. */
  daemonShutdown(params: DaemonShutdownParams = {}, options?: CallOptions): Promise<Empty> {
    return this.call("daemon.shutdown", params, options);
  }

  /** This document. */
  rpcDiscover(params: RpcDiscoverParams = {}, options?: CallOptions): Promise<unknown> {
    return this.call("rpc.discover", params, options);
  }
}
