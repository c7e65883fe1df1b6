import Foundation

/// The protocol that this library was written for; a daemon one version older or newer is fine.
public let surfacedProtocol = 1

/// A client of the daemon. It connects when it is first asked, and again after the connection was lost.
public actor Client {
    /// How to reach the daemon.
    public struct Options: Sendable {
        /// Its socket. It is then never started. Absent: `$SURFACED_SOCKET`, else the daemon of this person.
        public var socket: String?
        /// The program that starts it.
        public var program = "surfaced"
        /// Who is calling, for the daemon's log.
        public var name = "surfaced for swift"
        /// How long a daemon may take to say hello.
        public var helloTimeout: Duration = .seconds(10)

        public init() {}
    }

    /// As much of `daemon.hello` as is needed to connect to a daemon of any version.
    private struct Hello: Decodable, Sendable { var state: String? }

    private let options: Options
    private var connection: Connection?
    private var dialing: Task<Connection, any Error>?
    private var isClosed = false

    public init(_ options: Options = Options()) { self.options = options }

    /// A client that is connected, to a daemon that was started where none ran.
    public static func connect(_ options: Options = Options()) async throws -> Client {
        let client = Client(options)
        _ = try await client.connected(insteadOf: nil)
        return client
    }

    /// Calls any method by its name. Cancelling the task cancels the call.
    public func call<Params: Encodable & Sendable, Answer: Decodable & Sendable>(
        _ method: String, _ params: Params
    ) async throws -> Answer {
        try await ask { connection in try await connection.call(method, params) }
    }

    /// Calls any method that subscribes by its name.
    public func subscribe<Params: Encodable & Sendable, Item: Decodable & Sendable>(
        _ method: String, _ params: Params
    ) async throws -> Subscription<Item> {
        try await ask { connection in try await connection.subscribe(method, params) }
    }

    /// Ends the connection. Pending calls throw `connection-closed`.
    public func close() async {
        isClosed = true
        await connection?.close(SurfacedError(kind: .connectionClosed, message: "the client was closed"))
    }

    private var fixedSocket: String? {
        if let socket = options.socket { return socket }
        let given = ProcessInfo.processInfo.environment["SURFACED_SOCKET"] ?? ""
        return given.isEmpty ? nil : given
    }

    private func ask<Answer: Sendable>(_ send: @Sendable (Connection) async throws -> Answer) async throws -> Answer {
        let first = try await connected(insteadOf: nil)
        do {
            return try await send(first)
        } catch let error as SurfacedError where error.kind == .shuttingDown && fixedSocket == nil {
            // It refused the work and goes: its successor can do it, and `surfaced ensure` waits for that.
            return try await send(try await connected(insteadOf: first))
        }
    }

    /// Callers at the same time share one attempt.
    private func connected(insteadOf old: Connection?) async throws -> Connection {
        if isClosed { throw SurfacedError(kind: .connectionClosed, message: "the client was closed") }
        if let known = connection, known !== old {
            let gone = await known.isClosed
            if !gone { return known }
        }
        if let dialing { return try await dialing.value }
        let restart = old != nil
        let task = Task { try await self.dial(restart: restart) }
        dialing = task
        defer { dialing = nil }
        let fresh = try await task.value
        connection = fresh
        return fresh
    }

    private func dial(restart: Bool) async throws -> Connection {
        if let socket = fixedSocket { return try await greet(socket).0 }
        if !restart, let socket = Daemon.recordedSocket() {
            do {
                let (running, hello) = try await greet(socket)
                if hello.state != "draining" { return running }
            } catch let error as SurfacedError where error.kind == .connectionClosed || error == .nothingAnswers(socket) {
                // Nothing listens there any more.
            }
        }
        return try await greet(try await Daemon.ensure(options.program)).0
    }

    /// Connects, and waits for the answer to `daemon.hello`: only that shows that a daemon lives.
    private func greet(_ path: String) async throws -> (Connection, Hello) {
        let connection = Connection(socket: try UnixSocket(path: path))
        await connection.start()
        let silence = SurfacedError(
            kind: .noDaemon, message: "the daemon at \(path) does not answer", hint: "run: surfaced doctor")
        let timeout = options.helloTimeout
        let timer = Task {
            try await Task.sleep(for: timeout)
            await connection.close(silence)
        }
        defer { timer.cancel() }
        let range = Wire.ProtocolRange(min: surfacedProtocol - 1, max: surfacedProtocol + 1)
        let params = Wire.DaemonHelloParams(client: options.name, protocol: range)
        let hello: Hello = try await connection.call("daemon.hello", params)
        return (connection, hello)
    }
}
