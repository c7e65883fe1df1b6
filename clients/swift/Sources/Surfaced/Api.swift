// Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.

extension Client {
    /// How a batch of surfaces is laid out. Pure.
    public func plan(_ params: Wire.PlanParams = .init()) async throws -> Wire.PlanResult {
        try await call("plan", params)
    }

    /// The exact commands that open would run; opens nothing.
    public func build(_ params: Wire.BuildParams) async throws -> Wire.BuildResult {
        try await call("build", params)
    }

    /// Opens surfaces where the person works; failures of items are results.
    public func open(_ params: Wire.OpenParams) async throws -> Wire.OpenAnswerResults {
        try await call("open", params)
    }

    /// What `open` would do: the same with `dryRun`.
    public func openDryRun(_ params: Wire.OpenParams) async throws -> Wire.BuildResult {
        var params = params
        params.dryRun = true
        return try await call("open", params)
    }

    /// As open; each result is sent when it is known.
    public func openSubscribe(_ params: Wire.OpenSubscribeParams) async throws -> Subscription<Wire.OpenItem> {
        try await subscribe("open.subscribe", params)
    }

    /// Ends a subscription of open.subscribe.
    public func openUnsubscribe(_ params: Wire.OpenUnsubscribeParams) async throws -> Wire.Empty {
        try await call("open.unsubscribe", params)
    }

    /// Which terminal a surface would open in, and why.
    public func resolveBackend(_ params: Wire.ResolveBackendParams = .init()) async throws -> Wire.ResolveResult {
        try await call("resolveBackend", params)
    }

    /// The terminals, and for each why it can or cannot be driven here.
    public func backends(_ params: Wire.BackendsParams = .init()) async throws -> Wire.BackendsResult {
        try await call("backends", params)
    }

    /// Live agent processes and the terminals they are seen in.
    public func sessions(_ params: Wire.SessionsParams = .init()) async throws -> Wire.SessionsResult {
        try await call("sessions", params)
    }

    /// Takes up sessions again, each in its own directory in a surface; answers as open.
    public func resume(_ params: Wire.ResumeParams) async throws -> Wire.OpenAnswerResults {
        try await call("resume", params)
    }

    /// What `resume` would do: the same with `dryRun`.
    public func resumeDryRun(_ params: Wire.ResumeParams) async throws -> Wire.BuildResult {
        var params = params
        params.dryRun = true
        return try await call("resume", params)
    }

    /// The surfaces that can be seen now.
    public func surfaceList(_ params: Wire.SurfaceListParams = .init()) async throws -> Wire.ListResult {
        try await call("surface.list", params)
    }

    /// Types text into one surface.
    public func surfaceInject(_ params: Wire.SurfaceInjectParams) async throws -> Wire.Writes {
        try await call("surface.inject", params)
    }

    /// What `surfaceInject` would do: the same with `dryRun`.
    public func surfaceInjectDryRun(_ params: Wire.SurfaceInjectParams) async throws -> Wire.SpecShown {
        var params = params
        params.dryRun = true
        return try await call("surface.inject", params)
    }

    /// Presses keys in one surface.
    public func surfaceKeys(_ params: Wire.SurfaceKeysParams) async throws -> Wire.Empty {
        try await call("surface.keys", params)
    }

    /// What `surfaceKeys` would do: the same with `dryRun`.
    public func surfaceKeysDryRun(_ params: Wire.SurfaceKeysParams) async throws -> Wire.SpecShown {
        var params = params
        params.dryRun = true
        return try await call("surface.keys", params)
    }

    /// The text on one surface.
    public func surfaceCapture(_ params: Wire.SurfaceCaptureParams) async throws -> Wire.Text {
        try await call("surface.capture", params)
    }

    /// What `surfaceCapture` would do: the same with `dryRun`.
    public func surfaceCaptureDryRun(_ params: Wire.SurfaceCaptureParams) async throws -> Wire.SpecShown {
        var params = params
        params.dryRun = true
        return try await call("surface.capture", params)
    }

    /// Brings one surface to the front.
    public func surfaceFocus(_ params: Wire.SurfaceFocusParams) async throws -> Wire.Empty {
        try await call("surface.focus", params)
    }

    /// What `surfaceFocus` would do: the same with `dryRun`.
    public func surfaceFocusDryRun(_ params: Wire.SurfaceFocusParams) async throws -> Wire.SpecShown {
        var params = params
        params.dryRun = true
        return try await call("surface.focus", params)
    }

    /// Closes one surface.
    public func surfaceClose(_ params: Wire.SurfaceCloseParams) async throws -> Wire.Empty {
        try await call("surface.close", params)
    }

    /// What `surfaceClose` would do: the same with `dryRun`.
    public func surfaceCloseDryRun(_ params: Wire.SurfaceCloseParams) async throws -> Wire.SpecShown {
        var params = params
        params.dryRun = true
        return try await call("surface.close", params)
    }

    /// Waits for the program in one surface to end.
    public func surfaceWait(_ params: Wire.SurfaceWaitParams) async throws -> Wire.Exit {
        try await call("surface.wait", params)
    }

    /// What `surfaceWait` would do: the same with `dryRun`.
    public func surfaceWaitDryRun(_ params: Wire.SurfaceWaitParams) async throws -> Wire.SpecShown {
        var params = params
        params.dryRun = true
        return try await call("surface.wait", params)
    }

    /// Runs a program in an isolated tmux window.
    public func seatSpawn(_ params: Wire.SeatSpawnParams) async throws -> Wire.Spawned {
        try await call("seat.spawn", params)
    }

    /// Whether a seat's program runs.
    public func seatStatus(_ params: Wire.SeatStatusParams) async throws -> Wire.SeatStatus {
        try await call("seat.status", params)
    }

    /// Ends a seat; answers when the end is proven.
    public func seatStop(_ params: Wire.SeatStopParams) async throws -> Wire.Stopped {
        try await call("seat.stop", params)
    }

    /// Presses C-c in a seat.
    public func seatInterrupt(_ params: Wire.SeatInterruptParams) async throws -> Wire.Empty {
        try await call("seat.interrupt", params)
    }

    /// The text on a seat's pane.
    public func seatCapture(_ params: Wire.SeatCaptureParams) async throws -> Wire.Text {
        try await call("seat.capture", params)
    }

    /// The seats, with their state and how to look at them.
    public func seatList(_ params: Wire.SeatListParams = .init()) async throws -> Wire.SeatListResult {
        try await call("seat.list", params)
    }

    /// Waits for a seat's program to end.
    public func seatWait(_ params: Wire.SeatWaitParams) async throws -> Wire.Exit {
        try await call("seat.wait", params)
    }

    /// Ends what is left of a seat and closes its window.
    public func seatReap(_ params: Wire.SeatReapParams) async throws -> Wire.Reaped {
        try await call("seat.reap", params)
    }

    /// Opens a window of several panes in the caller's tmux session.
    public func layoutOpen(_ params: Wire.LayoutOpenParams) async throws -> Wire.LayoutOpened {
        try await call("layout.open", params)
    }

    /// Closes a window that layout.open made.
    public func layoutClose(_ params: Wire.LayoutCloseParams) async throws -> Wire.Empty {
        try await call("layout.close", params)
    }

    /// The windows with a label in the caller's tmux session.
    public func layoutRefs(_ params: Wire.LayoutRefsParams) async throws -> Wire.LayoutRefs {
        try await call("layout.refs", params)
    }

    /// Makes a terminal that outlives the daemon.
    public func terminalCreate(_ params: Wire.TerminalCreateParams = .init()) async throws -> Wire.Terminal {
        try await call("terminal.create", params)
    }

    /// The terminals, exited ones included.
    public func terminalList(_ params: Wire.TerminalListParams = .init()) async throws -> Wire.TerminalListResult {
        try await call("terminal.list", params)
    }

    /// One terminal.
    public func terminalGet(_ params: Wire.TerminalGetParams) async throws -> Wire.Terminal {
        try await call("terminal.get", params)
    }

    /// Changes the size of a terminal.
    public func terminalResize(_ params: Wire.TerminalResizeParams) async throws -> Wire.Empty {
        try await call("terminal.resize", params)
    }

    /// Forgets a terminal; a running one is killed first.
    public func terminalRemove(_ params: Wire.TerminalRemoveParams) async throws -> Wire.Empty {
        try await call("terminal.remove", params)
    }

    /// Sends bytes to the program.
    public func terminalInput(_ params: Wire.TerminalInputParams) async throws -> Wire.Empty {
        try await call("terminal.input", params)
    }

    /// The kept lines of a terminal.
    public func terminalCapture(_ params: Wire.TerminalCaptureParams) async throws -> Wire.TerminalCaptureResult {
        try await call("terminal.capture", params)
    }

    /// The screen as escape sequences.
    public func terminalSnapshot(_ params: Wire.TerminalSnapshotParams) async throws -> Wire.Snapshot {
        try await call("terminal.snapshot", params)
    }

    /// Ends the program: hang-up, then kill.
    public func terminalKill(_ params: Wire.TerminalKillParams) async throws -> Wire.Exit {
        try await call("terminal.kill", params)
    }

    /// Waits for the program to end.
    public func terminalWait(_ params: Wire.TerminalWaitParams) async throws -> Wire.Exit {
        try await call("terminal.wait", params)
    }

    /// The screen of a terminal, then everything that happens to it, the exit last.
    public func terminalAttach(_ params: Wire.TerminalAttachParams) async throws -> Subscription<Wire.AttachItem> {
        try await subscribe("terminal.attach", params)
    }

    /// Ends a subscription of terminal.attach.
    public func terminalDetach(_ params: Wire.TerminalDetachParams) async throws -> Wire.Empty {
        try await call("terminal.detach", params)
    }

    /// The programs of terminal agents, and whether they are here.
    public func providerList(_ params: Wire.ProviderListParams = .init()) async throws -> Wire.ProviderListResult {
        try await call("provider.list", params)
    }

    /// The command that starts or resumes an agent. Pure.
    public func providerCommand(_ params: Wire.ProviderCommandParams) async throws -> Wire.TerminalCommand {
        try await call("provider.command", params)
    }

    /// Starts a terminal agent.
    public func agentCreate(_ params: Wire.AgentCreateParams) async throws -> Wire.Agent {
        try await call("agent.create", params)
    }

    /// Returns a live agent, or resumes one that ended.
    public func agentOpen(_ params: Wire.AgentOpenParams) async throws -> Wire.Agent {
        try await call("agent.open", params)
    }

    /// The agents.
    public func agentList(_ params: Wire.AgentListParams = .init()) async throws -> Wire.AgentListResult {
        try await call("agent.list", params)
    }

    /// One agent.
    public func agentGet(_ params: Wire.AgentGetParams) async throws -> Wire.Agent {
        try await call("agent.get", params)
    }

    /// Renames or marks an agent.
    public func agentUpdate(_ params: Wire.AgentUpdateParams) async throws -> Wire.Agent {
        try await call("agent.update", params)
    }

    /// Ends an agent's program.
    public func agentClose(_ params: Wire.AgentCloseParams) async throws -> Wire.Agent {
        try await call("agent.close", params)
    }

    /// Closes an agent and puts it away.
    public func agentArchive(_ params: Wire.AgentArchiveParams) async throws -> Wire.Agent {
        try await call("agent.archive", params)
    }

    /// Takes an agent back.
    public func agentUnarchive(_ params: Wire.AgentUnarchiveParams) async throws -> Wire.Agent {
        try await call("agent.unarchive", params)
    }

    /// Closes an agent and forgets it.
    public func agentDelete(_ params: Wire.AgentDeleteParams) async throws -> Wire.Empty {
        try await call("agent.delete", params)
    }

    /// Refused: terminal agents take no messages.
    public func agentSend(_ params: Wire.AgentSendParams) async throws -> Wire.Empty {
        try await call("agent.send", params)
    }

    /// What happens to terminals, surfaces, seats and agents, as it happens.
    public func eventsSubscribe(_ params: Wire.EventsSubscribeParams = .init()) async throws -> Subscription<Wire.EventItem> {
        try await subscribe("events.subscribe", params)
    }

    /// Ends a subscription of events.subscribe.
    public func eventsUnsubscribe(_ params: Wire.EventsUnsubscribeParams) async throws -> Wire.Empty {
        try await call("events.unsubscribe", params)
    }

    /// Who answers, what it speaks and its limits. Proof of life.
    public func daemonHello(_ params: Wire.DaemonHelloParams = .init()) async throws -> Wire.HelloResult {
        try await call("daemon.hello", params)
    }

    /// What the daemon does now.
    public func daemonStatus(_ params: Wire.DaemonStatusParams = .init()) async throws -> Wire.StatusResult {
        try await call("daemon.status", params)
    }

    /// Ends the daemon; terminals and seats live on. The reply comes first.
    public func daemonShutdown(_ params: Wire.DaemonShutdownParams = .init()) async throws -> Wire.Empty {
        try await call("daemon.shutdown", params)
    }

    /// This document.
    public func rpcDiscover(_ params: Wire.RpcDiscoverParams = .init()) async throws -> JSONValue {
        try await call("rpc.discover", params)
    }
}

/// The method that ends a subscription of another.
let streamEnds: [String: String] = [
    "open.subscribe": "open.unsubscribe",
    "terminal.attach": "terminal.detach",
    "events.subscribe": "events.unsubscribe",
]
