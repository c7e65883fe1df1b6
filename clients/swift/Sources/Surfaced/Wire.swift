// Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.

/// The types of the protocol.
public enum Wire {
    /// Whether a conversation is begun or taken up.
    public struct Action: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// A new one.
        public static let create = Action(rawValue: "create")
        /// An earlier one.
        public static let resume = Action(rawValue: "resume")
    }

    /// A terminal agent.
    public struct Agent: Decodable, Hashable, Sendable {
        /// A `UUIDv7`.
        public var id: String
        /// Its provider.
        public var provider: String
        /// Where it works.
        public var cwd: String
        /// Its model.
        public var model: String?
        /// Its mode.
        public var modeId: String?
        /// Its name for people.
        public var title: String
        /// Whatever callers mark it with.
        public var labels: [String: String]
        /// Always true.
        public var terminal: Bool
        /// What it does.
        public var lifecycle: Lifecycle
        /// Why it is in that state, one sentence.
        public var reason: String?
        /// The hosted terminal that it lives in.
        public var terminalId: String?
        /// The surface that it lives in.
        public var surface: String?
        /// The seat that it lives in.
        public var seat: String?
        /// The line that shows it.
        public var attach: String?
        /// What its conversation is called, where that is known.
        public var persistence: Handle?
        /// RFC 3339.
        public var createdAt: String
        /// RFC 3339.
        public var updatedAt: String
        /// RFC 3339; absent: it is not archived.
        public var archivedAt: String?
        public init(id: String, provider: String, cwd: String, model: String? = nil, modeId: String? = nil, title: String, labels: [String: String], terminal: Bool, lifecycle: Lifecycle, reason: String? = nil, terminalId: String? = nil, surface: String? = nil, seat: String? = nil, attach: String? = nil, persistence: Handle? = nil, createdAt: String, updatedAt: String, archivedAt: String? = nil) {
            self.id = id
            self.provider = provider
            self.cwd = cwd
            self.model = model
            self.modeId = modeId
            self.title = title
            self.labels = labels
            self.terminal = terminal
            self.lifecycle = lifecycle
            self.reason = reason
            self.terminalId = terminalId
            self.surface = surface
            self.seat = seat
            self.attach = attach
            self.persistence = persistence
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.archivedAt = archivedAt
        }
    }

    /// Parameters of `agent.archive`.
    public struct AgentArchiveParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// Parameters of `agent.close`.
    public struct AgentCloseParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// What an agent is started with.
    public struct AgentConfig: Codable, Hashable, Sendable {
        /// The working directory.
        public var cwd: String?
        /// The model, in the provider's words.
        public var model: String?
        /// The mode, one of the provider's.
        public var modeId: String?
        /// The first prompt.
        public var prompt: String?
        /// The id to give a new conversation.
        public var sessionId: String?
        public init(cwd: String? = nil, model: String? = nil, modeId: String? = nil, prompt: String? = nil, sessionId: String? = nil) {
            self.cwd = cwd
            self.model = model
            self.modeId = modeId
            self.prompt = prompt
            self.sessionId = sessionId
        }
    }

    /// Parameters of `agent.create`.
    public struct AgentCreateParams: Codable, Hashable, Sendable {
        /// The provider.
        public var provider: String
        /// Where it works.
        public var cwd: String
        /// The model, in the provider's words.
        public var model: String?
        /// The mode, one of the provider's.
        public var modeId: String?
        /// The first prompt.
        public var prompt: String?
        /// Its name for people; absent: the provider's label.
        public var title: String?
        /// Whatever the caller marks it with.
        public var labels: [String: String]?
        /// Variables for it.
        public var env: [String: String]?
        /// Absent: true. False is refused: this service runs terminal agents only.
        public var terminal: Bool?
        /// Where it lives; absent: in a hosted terminal.
        public var place: Place?
        public init(provider: String, cwd: String, model: String? = nil, modeId: String? = nil, prompt: String? = nil, title: String? = nil, labels: [String: String]? = nil, env: [String: String]? = nil, terminal: Bool? = nil, place: Place? = nil) {
            self.provider = provider
            self.cwd = cwd
            self.model = model
            self.modeId = modeId
            self.prompt = prompt
            self.title = title
            self.labels = labels
            self.env = env
            self.terminal = terminal
            self.place = place
        }
    }

    /// Parameters of `agent.delete`.
    public struct AgentDeleteParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// Parameters of `agent.get`.
    public struct AgentGetParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// Parameters of `agent.list`.
    public struct AgentListParams: Codable, Hashable, Sendable {
        /// True: the archived ones too; absent: false.
        public var archived: Bool?
        public init(archived: Bool? = nil) {
            self.archived = archived
        }
    }

    /// Result of `agent.list`.
    public struct AgentListResult: Decodable, Hashable, Sendable {
        /// In the order in which they were made.
        public var agents: [Agent]
        public init(agents: [Agent]) {
            self.agents = agents
        }
    }

    /// Parameters of `agent.open`.
    public struct AgentOpenParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        /// Where it shall live now; absent: as before.
        public var place: Place?
        public init(id: String, place: Place? = nil) {
            self.id = id
            self.place = place
        }
    }

    /// Parameters of `agent.send`.
    public struct AgentSendParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        /// The message.
        public var text: String
        public init(id: String, text: String) {
            self.id = id
            self.text = text
        }
    }

    /// Parameters of `agent.unarchive`.
    public struct AgentUnarchiveParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// Parameters of `agent.update`.
    public struct AgentUpdateParams: Codable, Hashable, Sendable {
        /// The agent.
        public var id: String
        /// Its new name; absent: unchanged.
        public var title: String?
        /// Its new labels, all of them; absent: unchanged.
        public var labels: [String: String]?
        public init(id: String, title: String? = nil, labels: [String: String]? = nil) {
            self.id = id
            self.title = title
            self.labels = labels
        }
    }

    /// An item of `terminal.attach`. The stream may also carry `gap` and ends with `end`, as every stream.
    public enum AttachItem: Decodable, Hashable, Sendable {
        public struct Output: Decodable, Hashable, Sendable {
            /// The bytes.
            public var dataBase64: String
            /// Counts bytes: the total written up to the end of this item.
            public var revision: Int
            public init(dataBase64: String, revision: Int) {
                self.dataBase64 = dataBase64
                self.revision = revision
            }
        }
        public struct Title: Decodable, Hashable, Sendable {
            /// The title.
            public var title: String
            public init(title: String) {
                self.title = title
            }
        }
        public struct Resized: Decodable, Hashable, Sendable {
            /// Rows.
            public var rows: Int
            /// Columns.
            public var cols: Int
            public init(rows: Int, cols: Int) {
                self.rows = rows
                self.cols = cols
            }
        }
        public struct Gap: Decodable, Hashable, Sendable {
            /// How many.
            public var missed: Int
            public init(missed: Int) {
                self.missed = missed
            }
        }
        public struct End: Decodable, Hashable, Sendable {
            /// done, unsubscribed, lagged or shutting-down.
            public var reason: String
            public init(reason: String) {
                self.reason = reason
            }
        }
        /// The whole screen.
        case snapshot(Snapshot)
        /// Bytes that the program wrote.
        case output(Output)
        /// The title changed.
        case title(Title)
        /// The size changed.
        case resized(Resized)
        /// The program ended; nothing but `end` follows.
        case exit(Exit)
        /// Items were left out because the reader was too slow.
        case gap(Gap)
        /// Nothing follows.
        case end(End)
        /// Something that this version does not know.
        case unknown(JSONValue)

        private enum CodingKeys: String, CodingKey {
            case type
        }
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .type) {
            case "snapshot": self = .snapshot(try Snapshot(from: decoder))
            case "output": self = .output(try Output(from: decoder))
            case "title": self = .title(try Title(from: decoder))
            case "resized": self = .resized(try Resized(from: decoder))
            case "exit": self = .exit(try Exit(from: decoder))
            case "gap": self = .gap(try Gap(from: decoder))
            case "end": self = .end(try End(from: decoder))
            default: self = .unknown(try JSONValue(from: decoder))
            }
        }
    }

    /// The name of a backend: one of the built-in ones or of the configuration file's.
    public typealias BackendId = String

    /// One backend as `backends` lists it.
    public struct BackendInfo: Decodable, Hashable, Sendable {
        /// Its id.
        public var id: BackendId
        /// Its name for people.
        public var label: String
        /// Whether it can be driven.
        public var available: Bool
        /// Why it can or cannot.
        public var reason: String?
        /// What to do so that it can.
        public var remedy: String?
        /// What it can do.
        public var capabilities: Capabilities
        /// Where its definition comes from.
        public var source: BackendSource
        public init(id: BackendId, label: String, available: Bool, reason: String? = nil, remedy: String? = nil, capabilities: Capabilities, source: BackendSource) {
            self.id = id
            self.label = label
            self.available = available
            self.reason = reason
            self.remedy = remedy
            self.capabilities = capabilities
            self.source = source
        }
    }

    /// Where a backend's definition comes from.
    public struct BackendSource: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// It is part of this program.
        public static let builtIn = BackendSource(rawValue: "built-in")
        /// It is in the configuration file.
        public static let config = BackendSource(rawValue: "config")
    }

    /// Parameters of `backends`.
    public struct BackendsParams: Codable, Hashable, Sendable {
        /// Where the caller is.
        public var context: Context?
        /// Look on a host.
        public var host: String?
        public init(context: Context? = nil, host: String? = nil) {
            self.context = context
            self.host = host
        }
    }

    /// Result of `backends`.
    public struct BackendsResult: Decodable, Hashable, Sendable {
        /// In registry order.
        public var backends: [BackendInfo]
        public init(backends: [BackendInfo]) {
            self.backends = backends
        }
    }

    /// Parameters of `build`.
    public struct BuildParams: Codable, Hashable, Sendable {
        /// What to open.
        public var items: [Item]
        /// Absent: as `resolveBackend`; with a host: `tmux`.
        public var backend: BackendId?
        /// The host of items that name none.
        public var host: String?
        /// Absent: `two-per-tab`.
        public var packing: Packing?
        /// Where the caller is; absent: what the daemon sees of its process.
        public var context: Context?
        /// The wrapping shell, a name or a path; absent: `zsh`.
        public var shell: String?
        /// `false`: the launch engine's own bare commands. Absent: true.
        public var handles: Bool?
        public init(items: [Item], backend: BackendId? = nil, host: String? = nil, packing: Packing? = nil, context: Context? = nil, shell: String? = nil, handles: Bool? = nil) {
            self.items = items
            self.backend = backend
            self.host = host
            self.packing = packing
            self.context = context
            self.shell = shell
            self.handles = handles
        }
    }

    /// Result of `build` and of `open` with `dryRun`.
    public struct BuildResult: Decodable, Hashable, Sendable {
        /// One for each item, in order.
        public var specs: [Spec]
        public init(specs: [Spec]) {
            self.specs = specs
        }
    }

    /// What a backend can do.
    public struct Capabilities: Decodable, Hashable, Sendable {
        /// Opens tabs.
        public var tab: Bool
        /// Splits to the right.
        public var splitRight: Bool
        /// Splits downwards.
        public var splitDown: Bool
        /// Opens windows.
        public var window: Bool
        /// Splits exactly the surface that is named, wherever the focus is.
        public var exactTarget: Bool
        /// Tells the identity of a new surface.
        public var handle: Bool
        /// Brings a surface to the front.
        public var focus: Bool
        /// Types text.
        public var inject: Bool
        /// Presses keys.
        public var keys: Bool
        /// Reads the screen.
        public var capture: Bool
        /// Closes a surface.
        public var close: Bool
        /// Works on a host over SSH.
        public var remote: Bool
        /// Works where nobody is logged in graphically.
        public var headless: Bool
        public init(tab: Bool, splitRight: Bool, splitDown: Bool, window: Bool, exactTarget: Bool, handle: Bool, focus: Bool, inject: Bool, keys: Bool, capture: Bool, close: Bool, remote: Bool, headless: Bool) {
            self.tab = tab
            self.splitRight = splitRight
            self.splitDown = splitDown
            self.window = window
            self.exactTarget = exactTarget
            self.handle = handle
            self.focus = focus
            self.inject = inject
            self.keys = keys
            self.capture = capture
            self.close = close
            self.remote = remote
            self.headless = headless
        }
    }

    /// What became of the configuration file.
    public struct ConfigurationStatus: Decodable, Hashable, Sendable {
        /// The file that is read.
        public var path: String
        /// Whether it exists.
        public var exists: Bool
        /// Why it is not in force; the last good one is.
        public var error: String?
        public init(path: String, exists: Bool, error: String? = nil) {
            self.path = path
            self.exists = exists
            self.error = error
        }
    }

    /// A prompt that is answered once when it shows on the pane.
    public struct Confirm: Codable, Hashable, Sendable {
        /// A regular expression that is looked for in the pane's text.
        public var pattern: String
        /// The keys to press, by tmux's names.
        public var keys: [String]
        /// How long to look, in milliseconds; absent: 10000.
        public var timeoutMs: Int?
        public init(pattern: String, keys: [String], timeoutMs: Int? = nil) {
            self.pattern = pattern
            self.keys = keys
            self.timeoutMs = timeoutMs
        }
    }

    /// A candidate that was looked at.
    public struct Considered: Decodable, Hashable, Sendable {
        /// The backend.
        public var backend: BackendId
        /// Whether it could have been chosen.
        public var ok: Bool
        /// Why, or why not.
        public var reason: String
        public init(backend: BackendId, ok: Bool, reason: String) {
            self.backend = backend
            self.ok = ok
            self.reason = reason
        }
    }

    /// Where the caller is. An explicit one always wins over what the daemon sees of the caller's process.
    public struct Context: Codable, Hashable, Sendable {
        /// Absent: the daemon's.
        public var platform: Platform?
        /// The caller's environment, as far as it matters. Names that are no variable names are ignored. Absent: empty.
        public var env: [String: String]?
        /// The caller's directory.
        public var cwd: String?
        /// The caller's process, whose ancestors are then looked at.
        public var pid: Int?
        /// The backends that are installed.
        public var apps: [BackendId]?
        public init(platform: Platform? = nil, env: [String: String]? = nil, cwd: String? = nil, pid: Int? = nil, apps: [BackendId]? = nil) {
            self.platform = platform
            self.env = env
            self.cwd = cwd
            self.pid = pid
            self.apps = apps
        }
    }

    /// Where the cursor is, from 0.
    public struct Cursor: Decodable, Hashable, Sendable {
        /// The row, from 0.
        public var row: Int
        /// The column, from 0.
        public var col: Int
        /// Whether it is shown.
        public var visible: Bool
        public init(row: Int, col: Int, visible: Bool) {
            self.row = row
            self.col = col
            self.visible = visible
        }
    }

    /// Parameters of `daemon.hello`.
    public struct DaemonHelloParams: Codable, Hashable, Sendable {
        /// Who is calling, for the log.
        public var client: String?
        /// What it speaks; a range without the daemon's version is `protocol-mismatch`.
        public var `protocol`: ProtocolRange?
        public init(client: String? = nil, `protocol`: ProtocolRange? = nil) {
            self.client = client
            self.protocol = `protocol`
        }
    }

    /// Parameters of `daemon.shutdown`.
    public struct DaemonShutdownParams: Codable, Hashable, Sendable {
        /// Absent: `drain`.
        public var mode: ShutdownMode?
        public init(mode: ShutdownMode? = nil) {
            self.mode = mode
        }
    }

    /// Parameters of `daemon.status`.
    public struct DaemonStatusParams: Codable, Hashable, Sendable {
        public init() {
        }
    }

    /// The direction of a split: `vertical` is side by side, `horizontal` stacked.
    public struct Direction: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// Side by side.
        public static let vertical = Direction(rawValue: "vertical")
        /// Stacked.
        public static let horizontal = Direction(rawValue: "horizontal")
    }

    /// The result of a method that has none: `{}`.
    public struct Empty: Decodable, Hashable, Sendable {
        public init() {
        }
    }

    /// `data` of every error on the wire.
    public struct ErrorData: Decodable, Hashable, Sendable {
        /// What a program branches on.
        public var kind: Kind
        /// What the person can do next, one sentence.
        public var hint: String?
        /// Which parameter is meant, such as `items[2].cwd`.
        public var path: String?
        /// More facts, in a shape that depends on the kind.
        public var detail: JSONValue?
        public init(kind: Kind, hint: String? = nil, path: String? = nil, detail: JSONValue? = nil) {
            self.kind = kind
            self.hint = hint
            self.path = path
            self.detail = detail
        }
    }

    /// Something that happened.
    public enum EventItem: Decodable, Hashable, Sendable {
        public struct Event: Decodable, Hashable, Sendable {
            /// Its topic.
            public var topic: String
            /// When, RFC 3339.
            public var at: String
            /// What it is about: for most topics the whole object after the change.
            public var payload: JSONValue
            public init(topic: String, at: String, payload: JSONValue) {
                self.topic = topic
                self.at = at
                self.payload = payload
            }
        }
        public struct Gap: Decodable, Hashable, Sendable {
            /// How many.
            public var missed: Int
            public init(missed: Int) {
                self.missed = missed
            }
        }
        public struct End: Decodable, Hashable, Sendable {
            /// done, unsubscribed, lagged or shutting-down.
            public var reason: String
            public init(reason: String) {
                self.reason = reason
            }
        }
        /// One event.
        case event(Event)
        /// Items were left out because the reader was too slow.
        case gap(Gap)
        /// Nothing follows.
        case end(End)
        /// Something that this version does not know.
        case unknown(JSONValue)

        private enum CodingKeys: String, CodingKey {
            case type
        }
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .type) {
            case "event": self = .event(try Event(from: decoder))
            case "gap": self = .gap(try Gap(from: decoder))
            case "end": self = .end(try End(from: decoder))
            default: self = .unknown(try JSONValue(from: decoder))
            }
        }
    }

    /// Parameters of `events.subscribe`.
    public struct EventsSubscribeParams: Codable, Hashable, Sendable {
        /// Only these topics; absent: all. A group such as `terminal` or `terminal.*` stands for all of its topics.
        public var topics: [String]?
        public init(topics: [String]? = nil) {
            self.topics = topics
        }
    }

    /// Parameters of `events.unsubscribe`.
    public struct EventsUnsubscribeParams: Codable, Hashable, Sendable {
        /// The subscription.
        public var subscription: Int
        public init(subscription: Int) {
            self.subscription = subscription
        }
    }

    /// How a program ended, of every wait: `exited: false` means that the time was up; an unknown status has neither field.
    public struct Exit: Decodable, Hashable, Sendable {
        /// Whether it ended.
        public var exited: Bool
        /// Its exit status, 0 to 255.
        public var exitCode: Int?
        /// The signal that ended it, such as `SIGKILL`.
        public var signal: String?
        public init(exited: Bool, exitCode: Int? = nil, signal: String? = nil) {
            self.exited = exited
            self.exitCode = exitCode
            self.signal = signal
        }
    }

    /// What names an earlier conversation.
    public struct Handle: Codable, Hashable, Sendable {
        /// The provider's id of it.
        public var sessionId: String
        /// The provider's own name for it, where that is another one; it wins.
        public var nativeHandle: String?
        public init(sessionId: String, nativeHandle: String? = nil) {
            self.sessionId = sessionId
            self.nativeHandle = nativeHandle
        }
    }

    /// Result of `daemon.hello`.
    public struct HelloResult: Decodable, Hashable, Sendable {
        /// The protocol's version.
        public var `protocol`: Int
        /// Program and version, such as `surfaced 0.1.0`.
        public var server: String
        /// The names of the methods that it has.
        public var capabilities: [String]
        /// The limits in force.
        public var limits: Limits
        /// The path of its socket.
        public var socket: String
        /// Whether it takes new work.
        public var state: State
        public init(`protocol`: Int, server: String, capabilities: [String], limits: Limits, socket: String, state: State) {
            self.protocol = `protocol`
            self.server = server
            self.capabilities = capabilities
            self.limits = limits
            self.socket = socket
            self.state = state
        }
    }

    /// One surface to open. With neither `command` nor `shellCommand` it runs the person's shell.
    public struct Item: Codable, Hashable, Sendable {
        /// The working directory; absent: the caller's, else home.
        public var cwd: String?
        /// The argv, received byte for byte.
        public var command: [String]?
        /// One line for the wrapping shell, passed on as it is.
        public var shellCommand: String?
        /// Variables for the command; they travel in a launch script.
        public var env: [String: String]?
        /// The title of the surface.
        public var title: String?
        /// The agent that it runs, for terminals that show it.
        public var agent: String?
        /// The agent's session, for terminals that track it.
        public var sessionId: String?
        /// Its own layout, which wins over the packing.
        public var layout: Layout?
        /// Its own host, which wins over the call's.
        public var host: String?
        /// The surface to split.
        public var target: String?
        /// What becomes of the surface when its command ends.
        public var onExit: OnExit?
        public init(cwd: String? = nil, command: [String]? = nil, shellCommand: String? = nil, env: [String: String]? = nil, title: String? = nil, agent: String? = nil, sessionId: String? = nil, layout: Layout? = nil, host: String? = nil, target: String? = nil, onExit: OnExit? = nil) {
            self.cwd = cwd
            self.command = command
            self.shellCommand = shellCommand
            self.env = env
            self.title = title
            self.agent = agent
            self.sessionId = sessionId
            self.layout = layout
            self.host = host
            self.target = target
            self.onExit = onExit
        }
    }

    /// What went wrong, as a word that a program can branch on (`data.kind` on the wire, kebab-case).
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// The bytes are not JSON.
        public static let parseError = Kind(rawValue: "parse-error")
        /// JSON, but not a JSON-RPC 2.0 request.
        public static let invalidRequest = Kind(rawValue: "invalid-request")
        /// No method has this name.
        public static let methodNotFound = Kind(rawValue: "method-not-found")
        /// The method exists; its parameters are wrong.
        public static let invalidParams = Kind(rawValue: "invalid-params")
        /// A bug of the daemon; its log has more.
        public static let `internal` = Kind(rawValue: "internal")
        /// A message is over the limit; it was skipped.
        public static let messageTooLarge = Kind(rawValue: "message-too-large")
        /// The answer is over the limit; the work was done.
        public static let replyTooLarge = Kind(rawValue: "reply-too-large")
        /// A limit on simultaneous work is reached.
        public static let busy = Kind(rawValue: "busy")
        /// A batch holds more requests than allowed.
        public static let batchTooLarge = Kind(rawValue: "batch-too-large")
        /// The daemon takes no new work any more.
        public static let shuttingDown = Kind(rawValue: "shutting-down")
        /// Caller and daemon have no protocol version in common.
        public static let protocolMismatch = Kind(rawValue: "protocol-mismatch")
        /// The caller cancelled the request.
        public static let cancelled = Kind(rawValue: "cancelled")
        /// No backend of this name exists (in the results of `open`).
        public static let backendUnknown = Kind(rawValue: "backend-unknown")
        /// The backend exists and cannot be driven here.
        public static let backendUnavailable = Kind(rawValue: "backend-unavailable")
        /// The surface that was named is gone.
        public static let targetGone = Kind(rawValue: "target-gone")
        /// The terminal cannot do this.
        public static let notSupported = Kind(rawValue: "not-supported")
        /// The system refused access.
        public static let permission = Kind(rawValue: "permission")
        /// Nothing has this id.
        public static let notFound = Kind(rawValue: "not-found")
        /// The name or key is taken, or the thing is in another state than the call needs.
        public static let conflict = Kind(rawValue: "conflict")
        /// It did not happen in time.
        public static let timeout = Kind(rawValue: "timeout")
        /// Not a host name that may be handed to ssh.
        public static let hostInvalid = Kind(rawValue: "host-invalid")
        /// The host does not answer.
        public static let hostUnreachable = Kind(rawValue: "host-unreachable")
        /// The host's key is unknown, changed or revoked.
        public static let hostKey = Kind(rawValue: "host-key")
        /// The host refuses the login.
        public static let hostAuth = Kind(rawValue: "host-auth")
        /// A program that is needed is missing on the host.
        public static let hostToolMissing = Kind(rawValue: "host-tool-missing")
        /// The working directory is missing or unusable.
        public static let cwdMissing = Kind(rawValue: "cwd-missing")
        /// The program to run is missing.
        public static let programMissing = Kind(rawValue: "program-missing")
        /// Starting a process failed.
        public static let spawnFailed = Kind(rawValue: "spawn-failed")
        /// The seat was refused and nothing was started.
        public static let seatRefused = Kind(rawValue: "seat-refused")
        /// What became of it cannot be known.
        public static let stateUnknown = Kind(rawValue: "state-unknown")
        /// Terminal agents take no messages.
        public static let terminalAgent = Kind(rawValue: "terminal-agent")
    }

    /// How a surface is placed.
    public struct Layout: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// A tab (in tmux: a window).
        public static let tab = Layout(rawValue: "tab")
        /// A pane to the right.
        public static let splitRight = Layout(rawValue: "split-right")
        /// A pane below.
        public static let splitDown = Layout(rawValue: "split-down")
        /// A window of the application; a tab, with a warning, where there is none.
        public static let window = Layout(rawValue: "window")
    }

    /// Parameters of `layout.close`.
    public struct LayoutCloseParams: Codable, Hashable, Sendable {
        /// The window.
        public var window: String
        public init(window: String) {
            self.window = window
        }
    }

    /// Parameters of `layout.open`.
    public struct LayoutOpenParams: Codable, Hashable, Sendable {
        /// The name of the window.
        public var label: String
        /// Its panes.
        public var tab: TabItem
        /// Whether it takes the focus; absent: false.
        public var focus: Bool?
        /// Where the caller is; it must be inside tmux.
        public var context: Context?
        public init(label: String, tab: TabItem, focus: Bool? = nil, context: Context? = nil) {
            self.label = label
            self.tab = tab
            self.focus = focus
            self.context = context
        }
    }

    /// Result of `layout.open`.
    public struct LayoutOpened: Decodable, Hashable, Sendable {
        /// The window's reference: a tmux reference without a pane.
        public var window: String
        /// The panes, in order.
        public var panes: [String]
        public init(window: String, panes: [String]) {
            self.window = window
            self.panes = panes
        }
    }

    /// Result of `layout.refs`.
    public struct LayoutRefs: Decodable, Hashable, Sendable {
        /// The windows of the caller's session with this label.
        public var windows: [String]
        public init(windows: [String]) {
            self.windows = windows
        }
    }

    /// Parameters of `layout.refs`.
    public struct LayoutRefsParams: Codable, Hashable, Sendable {
        /// The label to look for.
        public var label: String
        /// Where the caller is; it must be inside tmux.
        public var context: Context?
        public init(label: String, context: Context? = nil) {
            self.label = label
            self.context = context
        }
    }

    /// What an agent does.
    public struct Lifecycle: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// Its place lives.
        public static let idle = Lifecycle(rawValue: "idle")
        /// Reserved for when activity is known.
        public static let running = Lifecycle(rawValue: "running")
        /// It ended, and the provider said goodbye or the person closed it.
        public static let closed = Lifecycle(rawValue: "closed")
        /// Its place ended without a goodbye.
        public static let interrupted = Lifecycle(rawValue: "interrupted")
        /// It could not be started.
        public static let failed = Lifecycle(rawValue: "failed")
    }

    /// The limits in force. Each is refused with an error, never with silence or growth.
    public struct Limits: Decodable, Hashable, Sendable {
        /// Bytes of one message.
        public var messageBytes: Int?
        /// Bytes of one reply.
        public var replyBytes: Int?
        /// Levels of arrays and objects in one message.
        public var nesting: Int?
        /// Connections at a time.
        public var connections: Int?
        /// Requests at a time on one connection; over it the daemon stops reading that connection.
        public var inFlight: Int?
        /// Subscriptions and waits at a time on one connection.
        public var subscriptions: Int?
        /// Requests in one batch.
        public var batch: Int?
        /// Bytes of replies that a connection has not read.
        public var unreadBytes: Int?
        /// How long a reader may make no progress while it is over `unreadBytes`.
        public var stalledMs: Int?
        /// How long half a message may wait when connections are short.
        public var halfSentMs: Int?
        public init(messageBytes: Int? = nil, replyBytes: Int? = nil, nesting: Int? = nil, connections: Int? = nil, inFlight: Int? = nil, subscriptions: Int? = nil, batch: Int? = nil, unreadBytes: Int? = nil, stalledMs: Int? = nil, halfSentMs: Int? = nil) {
            self.messageBytes = messageBytes
            self.replyBytes = replyBytes
            self.nesting = nesting
            self.connections = connections
            self.inFlight = inFlight
            self.subscriptions = subscriptions
            self.batch = batch
            self.unreadBytes = unreadBytes
            self.stalledMs = stalledMs
            self.halfSentMs = halfSentMs
        }
    }

    /// Result of `surface.list`.
    public struct ListResult: Decodable, Hashable, Sendable {
        /// The surfaces that could be seen.
        public var surfaces: [SurfaceInfo]
        /// Which terminals could not be asked, so that surfaces of theirs may be left out.
        public var warnings: [String]?
        public init(surfaces: [SurfaceInfo], warnings: [String]? = nil) {
            self.surfaces = surfaces
            self.warnings = warnings
        }
    }

    /// What becomes of a surface when its command ends.
    public struct OnExit: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// It closes.
        public static let close = OnExit(rawValue: "close")
        /// It stays until the person presses Enter.
        public static let hold = OnExit(rawValue: "hold")
        /// It stays so where the command failed, and closes where it ended with status 0 or by Ctrl-C. In editors the terminal
    stays as it is.
        public static let holdOnFailure = OnExit(rawValue: "hold-on-failure")
    }

    /// Result of `open`; with `dryRun` it is a `BuildResult`.
    public enum OpenAnswer: Decodable, Hashable, Sendable {
        case buildResult(BuildResult)
        case openAnswerResults(OpenAnswerResults)

        public init(from decoder: any Decoder) throws {
            if let value = try? BuildResult(from: decoder) {
                self = .buildResult(value)
                return
            }
            self = .openAnswerResults(try OpenAnswerResults(from: decoder))
        }
    }

    /// What became of the items.
    public struct OpenAnswerResults: Decodable, Hashable, Sendable {
        /// The first item's backend.
        public var backend: BackendId?
        /// Why that one.
        public var source: Source?
        /// One for each item, in order.
        public var results: [OpenResult]
        public init(backend: BackendId? = nil, source: Source? = nil, results: [OpenResult]) {
            self.backend = backend
            self.source = source
            self.results = results
        }
    }

    /// An item of `open.subscribe`.
    public enum OpenItem: Decodable, Hashable, Sendable {
        public struct Result: Decodable, Hashable, Sendable {
            /// Its index in `items`.
            public var index: Int
            /// What became of it.
            public var result: OpenResult
            public init(index: Int, result: OpenResult) {
                self.index = index
                self.result = result
            }
        }
        public struct Gap: Decodable, Hashable, Sendable {
            /// How many.
            public var missed: Int
            public init(missed: Int) {
                self.missed = missed
            }
        }
        public struct End: Decodable, Hashable, Sendable {
            /// done, unsubscribed, lagged or shutting-down.
            public var reason: String
            public init(reason: String) {
                self.reason = reason
            }
        }
        /// What became of one item.
        case result(Result)
        /// Items were left out because the reader was too slow.
        case gap(Gap)
        /// Nothing follows.
        case end(End)
        /// Something that this version does not know.
        case unknown(JSONValue)

        private enum CodingKeys: String, CodingKey {
            case type
        }
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .type) {
            case "result": self = .result(try Result(from: decoder))
            case "gap": self = .gap(try Gap(from: decoder))
            case "end": self = .end(try End(from: decoder))
            default: self = .unknown(try JSONValue(from: decoder))
            }
        }
    }

    /// Parameters of `open`.
    public struct OpenParams: Codable, Hashable, Sendable {
        /// What to open.
        public var items: [Item]
        /// Absent: as `resolveBackend` with `headless`; with a host: `tmux`.
        public var backend: BackendId?
        /// The host of items that name none.
        public var host: String?
        /// Absent: `two-per-tab`.
        public var packing: Packing?
        /// Where the caller is; absent: what the daemon sees of its process.
        public var context: Context?
        /// The wrapping shell; absent: zsh where it exists, else the login shell.
        public var shell: String?
        /// `false`: the launch engine's own bare commands. Absent: true.
        public var handles: Bool?
        /// Milliseconds between items on terminals without ids; absent: 400 there, 0 elsewhere.
        public var staggerMs: Int?
        /// Whether the new surfaces take the focus; absent: true.
        public var focus: Bool?
        /// The same key within ten minutes opens nothing again.
        public var key: String?
        /// Run every check and answer `{ specs }`.
        public var dryRun: Bool?
        /// How long to wait for a surface to be seen, in milliseconds; absent: 5000.
        public var startTimeoutMs: Int?
        public init(items: [Item], backend: BackendId? = nil, host: String? = nil, packing: Packing? = nil, context: Context? = nil, shell: String? = nil, handles: Bool? = nil, staggerMs: Int? = nil, focus: Bool? = nil, key: String? = nil, dryRun: Bool? = nil, startTimeoutMs: Int? = nil) {
            self.items = items
            self.backend = backend
            self.host = host
            self.packing = packing
            self.context = context
            self.shell = shell
            self.handles = handles
            self.staggerMs = staggerMs
            self.focus = focus
            self.key = key
            self.dryRun = dryRun
            self.startTimeoutMs = startTimeoutMs
        }
    }

    /// What became of one item of `open`.
    public struct OpenResult: Decodable, Hashable, Sendable {
        /// Whether it was opened.
        public var ok: Bool
        /// What was asked, as planned.
        public var request: Request
        /// Whether it was seen; absent where it was not opened.
        public var started: Started?
        /// The reference of the new surface, where the terminal tells it.
        public var surface: String?
        /// The process in the surface, where it is known.
        public var pid: Int?
        /// The line that shows it, where it did not open in front of the person.
        public var attach: String?
        /// Where a lesser thing was done.
        public var warnings: [String]?
        /// One sentence a person can act on; absent when `ok`.
        public var error: String?
        /// What a program branches on; absent when `ok`.
        public var kind: Kind?
        /// What the person can do next; absent when `ok`.
        public var hint: String?
        public init(ok: Bool, request: Request, started: Started? = nil, surface: String? = nil, pid: Int? = nil, attach: String? = nil, warnings: [String]? = nil, error: String? = nil, kind: Kind? = nil, hint: String? = nil) {
            self.ok = ok
            self.request = request
            self.started = started
            self.surface = surface
            self.pid = pid
            self.attach = attach
            self.warnings = warnings
            self.error = error
            self.kind = kind
            self.hint = hint
        }
    }

    /// Parameters of `open.subscribe`.
    public struct OpenSubscribeParams: Codable, Hashable, Sendable {
        /// What to open.
        public var items: [Item]
        /// Absent: as `resolveBackend` with `headless`; with a host: `tmux`.
        public var backend: BackendId?
        /// The host of items that name none.
        public var host: String?
        /// Absent: `two-per-tab`.
        public var packing: Packing?
        /// Where the caller is; absent: what the daemon sees of its process.
        public var context: Context?
        /// The wrapping shell; absent: zsh where it exists, else the login shell.
        public var shell: String?
        /// `false`: the launch engine's own bare commands. Absent: true.
        public var handles: Bool?
        /// Milliseconds between items on terminals without ids; absent: 400 there, 0 elsewhere.
        public var staggerMs: Int?
        /// Whether the new surfaces take the focus; absent: true.
        public var focus: Bool?
        /// The same key within ten minutes opens nothing again.
        public var key: String?
        /// Run every check and answer `{ specs }`.
        public var dryRun: Bool?
        /// How long to wait for a surface to be seen, in milliseconds; absent: 5000.
        public var startTimeoutMs: Int?
        public init(items: [Item], backend: BackendId? = nil, host: String? = nil, packing: Packing? = nil, context: Context? = nil, shell: String? = nil, handles: Bool? = nil, staggerMs: Int? = nil, focus: Bool? = nil, key: String? = nil, dryRun: Bool? = nil, startTimeoutMs: Int? = nil) {
            self.items = items
            self.backend = backend
            self.host = host
            self.packing = packing
            self.context = context
            self.shell = shell
            self.handles = handles
            self.staggerMs = staggerMs
            self.focus = focus
            self.key = key
            self.dryRun = dryRun
            self.startTimeoutMs = startTimeoutMs
        }
    }

    /// Parameters of `open.unsubscribe`.
    public struct OpenUnsubscribeParams: Codable, Hashable, Sendable {
        /// The subscription.
        public var subscription: Int
        public init(subscription: Int) {
            self.subscription = subscription
        }
    }

    /// What a reap found.
    public struct Outcome: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// It was not there any more.
        public static let absent = Outcome(rawValue: "absent")
        /// It was ended and its window closed.
        public static let reaped = Outcome(rawValue: "reaped")
    }

    /// How a batch is laid out.
    public struct Packing: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// tab, split-right, tab, split-right, …
        public static let twoPerTab = Packing(rawValue: "two-per-tab")
        /// Every surface in a tab of its own.
        public static let tabs = Packing(rawValue: "tabs")
    }

    /// One pane of a tab.
    public struct PaneItem: Codable, Hashable, Sendable {
        /// The program.
        public var command: String
        /// Its arguments.
        public var args: [String]?
        /// Variables for it.
        public var env: [String: String]?
        /// The working directory; absent: the caller's.
        public var cwd: String?
        /// A prompt to answer once.
        public var confirm: Confirm?
        public init(command: String, args: [String]? = nil, env: [String: String]? = nil, cwd: String? = nil, confirm: Confirm? = nil) {
            self.command = command
            self.args = args
            self.env = env
            self.cwd = cwd
            self.confirm = confirm
        }
    }

    /// Where an agent lives.
    public enum Place: Decodable, Hashable, Sendable {
        public struct Surface: Decodable, Hashable, Sendable {
            /// Absent: as `open` chooses.
            public var backend: BackendId?
            /// Absent: this machine.
            public var host: String?
            /// Absent: a tab.
            public var layout: Layout?
            public init(backend: BackendId? = nil, host: String? = nil, layout: Layout? = nil) {
                self.backend = backend
                self.host = host
                self.layout = layout
            }
        }
        public struct Seat: Decodable, Hashable, Sendable {
            /// The space.
            public var space: String
            public init(space: String) {
                self.space = space
            }
        }
        /// In a terminal that the daemon hosts.
        case terminal
        /// In a surface of the person's terminal.
        case surface(Surface)
        /// In a seat.
        case seat(Seat)
        /// Something that this version does not know.
        case unknown(JSONValue)

        private enum CodingKeys: String, CodingKey {
            case kind
        }
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .kind) {
            case "terminal": self = .terminal
            case "surface": self = .surface(try Surface(from: decoder))
            case "seat": self = .seat(try Seat(from: decoder))
            default: self = .unknown(try JSONValue(from: decoder))
            }
        }
    }

    /// Parameters of `plan`.
    public struct PlanParams: Codable, Hashable, Sendable {
        /// The items to lay out.
        public var items: [Item]?
        /// Or how many.
        public var count: Int?
        /// Absent: `two-per-tab`.
        public var packing: Packing?
        /// The backend of every item; with `host` and without it: `tmux`.
        public var backend: BackendId?
        /// The host of items that name none.
        public var host: String?
        public init(items: [Item]? = nil, count: Int? = nil, packing: Packing? = nil, backend: BackendId? = nil, host: String? = nil) {
            self.items = items
            self.count = count
            self.packing = packing
            self.backend = backend
            self.host = host
        }
    }

    /// Result of `plan`.
    public struct PlanResult: Decodable, Hashable, Sendable {
        /// One for each item, in order.
        public var layouts: [Layout]
        /// The planned items, where items were given and every one's backend is known (a `backend`, or a host).
        public var requests: [Request]?
        public init(layouts: [Layout], requests: [Request]? = nil) {
            self.layouts = layouts
            self.requests = requests
        }
    }

    /// A family of operating systems.
    public struct Platform: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// macOS.
        public static let darwin = Platform(rawValue: "darwin")
        /// Linux.
        public static let linux = Platform(rawValue: "linux")
    }

    /// The versions that a client speaks.
    public struct ProtocolRange: Codable, Hashable, Sendable {
        /// The lowest.
        public var min: Int
        /// The highest.
        public var max: Int
        public init(min: Int, max: Int) {
            self.min = min
            self.max = max
        }
    }

    /// A provider as `provider.list` shows it.
    public struct Provider: Decodable, Hashable, Sendable {
        /// Its id.
        public var id: String
        /// Its name for people.
        public var label: String
        /// Its program.
        public var command: String
        /// Whether the program is there and answers.
        public var available: Bool
        /// Why not.
        public var reason: String?
        /// Its version, in its own words.
        public var version: String?
        /// What it can do.
        public var capabilities: ProviderCapabilities
        /// The ids of its modes.
        public var modes: [String]
        public init(id: String, label: String, command: String, available: Bool, reason: String? = nil, version: String? = nil, capabilities: ProviderCapabilities, modes: [String]) {
            self.id = id
            self.label = label
            self.command = command
            self.available = available
            self.reason = reason
            self.version = version
            self.capabilities = capabilities
            self.modes = modes
        }
    }

    /// What a provider's program can do.
    public struct ProviderCapabilities: Decodable, Hashable, Sendable {
        /// It has a terminal program of its own.
        public var supportsTerminalMode: Bool
        /// It takes up an earlier conversation.
        public var supportsResume: Bool
        /// A model can be named.
        public var supportsModel: Bool
        /// A mode can be named.
        public var supportsMode: Bool
        /// It takes a first prompt.
        public var supportsPrompt: Bool
        /// The id of a new conversation can be set beforehand.
        public var supportsSessionId: Bool
        public init(supportsTerminalMode: Bool, supportsResume: Bool, supportsModel: Bool, supportsMode: Bool, supportsPrompt: Bool, supportsSessionId: Bool) {
            self.supportsTerminalMode = supportsTerminalMode
            self.supportsResume = supportsResume
            self.supportsModel = supportsModel
            self.supportsMode = supportsMode
            self.supportsPrompt = supportsPrompt
            self.supportsSessionId = supportsSessionId
        }
    }

    /// Parameters of `provider.command`.
    public struct ProviderCommandParams: Codable, Hashable, Sendable {
        /// The provider.
        public var provider: String
        /// Create or resume.
        public var action: Action
        /// What it is started with.
        public var config: AgentConfig?
        /// The conversation to take up.
        public var handle: Handle?
        /// The version that takes it; absent: today's form.
        public var version: String?
        public init(provider: String, action: Action, config: AgentConfig? = nil, handle: Handle? = nil, version: String? = nil) {
            self.provider = provider
            self.action = action
            self.config = config
            self.handle = handle
            self.version = version
        }
    }

    /// Parameters of `provider.list`.
    public struct ProviderListParams: Codable, Hashable, Sendable {
        public init() {
        }
    }

    /// Result of `provider.list`.
    public struct ProviderListResult: Decodable, Hashable, Sendable {
        /// Built-in ones first, then those of the configuration file.
        public var providers: [Provider]
        public init(providers: [Provider]) {
            self.providers = providers
        }
    }

    /// Result of `seat.reap`.
    public struct Reaped: Decodable, Hashable, Sendable {
        /// What was found.
        public var outcome: Outcome
        /// One sentence.
        public var detail: String
        public init(outcome: Outcome, detail: String) {
            self.outcome = outcome
            self.detail = detail
        }
    }

    /// An item that was planned: with its backend and layout.
    public struct Request: Decodable, Hashable, Sendable {
        /// The terminal that opens it.
        public var backend: BackendId
        /// Where in it.
        public var layout: Layout
        /// The working directory.
        public var cwd: String?
        /// The argv.
        public var command: [String]?
        /// Or a line for the wrapping shell.
        public var shellCommand: String?
        /// Variables for the command.
        public var env: [String: String]?
        /// The host; absent: this machine.
        public var host: String?
        /// The surface to split.
        public var target: String?
        /// The agent that it runs.
        public var agent: String?
        /// The agent's session.
        public var sessionId: String?
        /// The title.
        public var title: String?
        /// What becomes of the surface when its command ends; absent: it closes.
        public var onExit: OnExit?
        public init(backend: BackendId, layout: Layout, cwd: String? = nil, command: [String]? = nil, shellCommand: String? = nil, env: [String: String]? = nil, host: String? = nil, target: String? = nil, agent: String? = nil, sessionId: String? = nil, title: String? = nil, onExit: OnExit? = nil) {
            self.backend = backend
            self.layout = layout
            self.cwd = cwd
            self.command = command
            self.shellCommand = shellCommand
            self.env = env
            self.host = host
            self.target = target
            self.agent = agent
            self.sessionId = sessionId
            self.title = title
            self.onExit = onExit
        }
    }

    /// Parameters of `resolveBackend`.
    public struct ResolveBackendParams: Codable, Hashable, Sendable {
        /// Where the caller is; absent: what the daemon sees of its process.
        public var context: Context?
        /// Live sessions; absent: none with a pure context, else those of `sessions`.
        public var sessions: [SessionSample]?
        /// Use this backend or say why not.
        public var forced: BackendId?
        /// Fall back to `builtin` instead of to nothing; absent: false.
        public var headless: Bool?
        public init(context: Context? = nil, sessions: [SessionSample]? = nil, forced: BackendId? = nil, headless: Bool? = nil) {
            self.context = context
            self.sessions = sessions
            self.forced = forced
            self.headless = headless
        }
    }

    /// Result of `resolveBackend`.
    public struct ResolveResult: Decodable, Hashable, Sendable {
        /// `null`: nothing can be driven here.
        public var backend: BackendId?
        /// `null`: nothing can be driven here.
        public var source: Source?
        /// The session's host application, where `source` is `active-session`.
        public var host: String?
        /// One line for people, such as `Ghostty (where your ghostty sessions run)`.
        public var description: String
        /// The candidates in the order they were looked at.
        public var considered: [Considered]
        public init(backend: BackendId? = nil, source: Source? = nil, host: String? = nil, description: String, considered: [Considered]) {
            self.backend = backend
            self.source = source
            self.host = host
            self.description = description
            self.considered = considered
        }
    }

    /// Parameters of `resume`.
    public struct ResumeParams: Codable, Hashable, Sendable {
        /// Ids of sessions, or beginnings of them that mean one session only, or ids of agents. At least one.
        public var ids: [String]
        /// Absent: as `resolveBackend` with `headless`; with a host: `tmux`.
        public var backend: BackendId?
        /// The host that the sessions are on; absent: this machine.
        public var on: String?
        /// True: two to a tab; absent: a tab each.
        public var splits: Bool?
        /// Where the caller is; absent: what the daemon sees of its process.
        public var context: Context?
        /// Run every check and answer `{ specs }`.
        public var dryRun: Bool?
        public init(ids: [String], backend: BackendId? = nil, on: String? = nil, splits: Bool? = nil, context: Context? = nil, dryRun: Bool? = nil) {
            self.ids = ids
            self.backend = backend
            self.on = on
            self.splits = splits
            self.context = context
            self.dryRun = dryRun
        }
    }

    /// Parameters of `rpc.discover`.
    public struct RpcDiscoverParams: Codable, Hashable, Sendable {
        public init() {
        }
    }

    /// A seat as `seat.list` shows it.
    public struct Seat: Decodable, Hashable, Sendable {
        /// Names it in every call.
        public var reference: String
        /// Its space.
        public var space: String
        /// Its name.
        public var name: String
        /// The tmux session's name.
        public var session: String
        /// Whether it runs; absent: that cannot be told now.
        public var state: SeatState?
        /// Its exit status.
        public var exitCode: Int?
        /// The signal that ended it.
        public var signal: String?
        /// The argv.
        public var command: [String]
        /// Where it started.
        public var cwd: String
        /// Its process.
        public var pid: Int?
        /// When it was spawned, RFC 3339.
        public var startedAt: String
        /// `true`: its pane or its window was moved out of its place. It is shown where it is now, and nothing is done to it: a stop or a
    reap is refused until it is moved back.
        public var moved: Bool?
        /// The line that shows it; absent: it has ended.
        public var attach: String?
        /// The host; absent: this machine.
        public var host: String?
        public init(reference: String, space: String, name: String, session: String, state: SeatState? = nil, exitCode: Int? = nil, signal: String? = nil, command: [String], cwd: String, pid: Int? = nil, startedAt: String, moved: Bool? = nil, attach: String? = nil, host: String? = nil) {
            self.reference = reference
            self.space = space
            self.name = name
            self.session = session
            self.state = state
            self.exitCode = exitCode
            self.signal = signal
            self.command = command
            self.cwd = cwd
            self.pid = pid
            self.startedAt = startedAt
            self.moved = moved
            self.attach = attach
            self.host = host
        }
    }

    /// Parameters of `seat.capture`.
    public struct SeatCaptureParams: Codable, Hashable, Sendable {
        /// The seat.
        public var reference: String
        /// The last so many lines, scrollback included; absent: what is visible.
        public var lines: Int?
        public init(reference: String, lines: Int? = nil) {
            self.reference = reference
            self.lines = lines
        }
    }

    /// Parameters of `seat.interrupt`.
    public struct SeatInterruptParams: Codable, Hashable, Sendable {
        /// The seat.
        public var reference: String
        public init(reference: String) {
            self.reference = reference
        }
    }

    /// Parameters of `seat.list`.
    public struct SeatListParams: Codable, Hashable, Sendable {
        /// Only those of this space.
        public var space: String?
        public init(space: String? = nil) {
            self.space = space
        }
    }

    /// Result of `seat.list`.
    public struct SeatListResult: Decodable, Hashable, Sendable {
        /// In the order in which they were spawned.
        public var seats: [Seat]
        public init(seats: [Seat]) {
            self.seats = seats
        }
    }

    /// Parameters of `seat.reap`.
    public struct SeatReapParams: Codable, Hashable, Sendable {
        /// The seat.
        public var reference: String
        public init(reference: String) {
            self.reference = reference
        }
    }

    /// Parameters of `seat.spawn`.
    public struct SeatSpawnParams: Codable, Hashable, Sendable {
        /// The space, which becomes the tmux session `surfaced-<space>`.
        public var space: String
        /// The seat's name, which becomes the name of its window.
        public var name: String
        /// The program.
        public var command: String
        /// Its arguments.
        public var args: [String]?
        /// Variables over the base.
        public var env: [String: String]?
        /// Of the base keep only TERM, TMUX and `TMUX_PANE`; absent: false.
        public var exactEnv: Bool?
        /// The working directory; with `host` absent: the home there. Without `host` it has to be given.
        public var cwd: String?
        /// What a graceful stop types; absent: `/exit`.
        public var exitPhrase: String?
        /// A prompt to answer once.
        public var confirm: Confirm?
        /// The host; absent: this machine.
        public var host: String?
        public init(space: String, name: String, command: String, args: [String]? = nil, env: [String: String]? = nil, exactEnv: Bool? = nil, cwd: String? = nil, exitPhrase: String? = nil, confirm: Confirm? = nil, host: String? = nil) {
            self.space = space
            self.name = name
            self.command = command
            self.args = args
            self.env = env
            self.exactEnv = exactEnv
            self.cwd = cwd
            self.exitPhrase = exitPhrase
            self.confirm = confirm
            self.host = host
        }
    }

    /// Whether a seat's program runs.
    public struct SeatState: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// It does.
        public static let running = SeatState(rawValue: "running")
        /// It ended, and its end was seen.
        public static let exited = SeatState(rawValue: "exited")
        /// tmux itself says that it is not there.
        public static let gone = SeatState(rawValue: "gone")
    }

    /// Result of `seat.status`.
    public struct SeatStatus: Decodable, Hashable, Sendable {
        /// Whether it runs.
        public var state: SeatState
        /// Its exit status, where it exited and that is known.
        public var exitCode: Int?
        /// The signal that ended it.
        public var signal: String?
        public init(state: SeatState, exitCode: Int? = nil, signal: String? = nil) {
            self.state = state
            self.exitCode = exitCode
            self.signal = signal
        }
    }

    /// Parameters of `seat.status`.
    public struct SeatStatusParams: Codable, Hashable, Sendable {
        /// The seat.
        public var reference: String
        public init(reference: String) {
            self.reference = reference
        }
    }

    /// Parameters of `seat.stop`.
    public struct SeatStopParams: Codable, Hashable, Sendable {
        /// The seat.
        public var reference: String
        /// Type the exit phrase first; absent: true.
        public var graceful: Bool?
        /// Milliseconds for the program to end by itself; absent: 1500.
        public var graceMs: Int?
        /// Milliseconds for all of it, from the call; absent: 8000.
        public var timeoutMs: Int?
        public init(reference: String, graceful: Bool? = nil, graceMs: Int? = nil, timeoutMs: Int? = nil) {
            self.reference = reference
            self.graceful = graceful
            self.graceMs = graceMs
            self.timeoutMs = timeoutMs
        }
    }

    /// Parameters of `seat.wait`.
    public struct SeatWaitParams: Codable, Hashable, Sendable {
        /// The seat.
        public var reference: String
        /// Milliseconds; absent: 8000.
        public var timeoutMs: Int?
        public init(reference: String, timeoutMs: Int? = nil) {
            self.reference = reference
            self.timeoutMs = timeoutMs
        }
    }

    /// A live agent, or a session on disk.
    public struct Session: Decodable, Hashable, Sendable {
        /// The agent's process; absent for a session on disk.
        public var pid: Int?
        /// The provider, such as `claude`.
        public var kind: String
        /// The application that hosts it.
        public var host: String?
        /// The application in which the tmux client that shows it was last active.
        public var viewingApp: String?
        /// All applications that show it, most recently active first.
        public var viewers: [String]?
        /// Its working directory.
        public var cwd: String?
        /// Its terminal device.
        public var tty: String?
        /// Its tmux pane.
        public var tmux: TmuxPlace?
        /// The provider's id of the conversation, where it is known.
        public var sessionId: String?
        /// Milliseconds since 1970.
        public var startedAtMs: Int?
        /// What its conversation is about: its title or the beginning of its first prompt. Of sessions on disk.
        public var title: String?
        /// The version of the program that wrote it last. Of sessions on disk.
        public var version: String?
        /// Milliseconds since 1970; from the terminal device and tmux, and of a session on disk from its file.
        public var lastActivityMs: Int?
        /// Its surface, where it can be driven.
        public var surface: String?
        /// The host it runs on; absent: this machine.
        public var machine: String?
        public init(pid: Int? = nil, kind: String, host: String? = nil, viewingApp: String? = nil, viewers: [String]? = nil, cwd: String? = nil, tty: String? = nil, tmux: TmuxPlace? = nil, sessionId: String? = nil, startedAtMs: Int? = nil, title: String? = nil, version: String? = nil, lastActivityMs: Int? = nil, surface: String? = nil, machine: String? = nil) {
            self.pid = pid
            self.kind = kind
            self.host = host
            self.viewingApp = viewingApp
            self.viewers = viewers
            self.cwd = cwd
            self.tty = tty
            self.tmux = tmux
            self.sessionId = sessionId
            self.startedAtMs = startedAtMs
            self.title = title
            self.version = version
            self.lastActivityMs = lastActivityMs
            self.surface = surface
            self.machine = machine
        }
    }

    /// What is read of a session that a caller gives: the rest is ignored, since callers pass their own records.
    public struct SessionSample: Codable, Hashable, Sendable {
        /// The application that hosts it.
        public var host: String?
        /// The application that shows it, which outranks `host`.
        public var viewingApp: String?
        /// When something last happened in it, milliseconds since 1970.
        public var lastActivityMs: Double?
        /// When it started, milliseconds since 1970.
        public var startedAtMs: Double?
        public init(host: String? = nil, viewingApp: String? = nil, lastActivityMs: Double? = nil, startedAtMs: Double? = nil) {
            self.host = host
            self.viewingApp = viewingApp
            self.lastActivityMs = lastActivityMs
            self.startedAtMs = startedAtMs
        }
    }

    /// Parameters of `sessions`.
    public struct SessionsParams: Codable, Hashable, Sendable {
        /// Add the sessions on disk; absent: false.
        public var includeFiles: Bool?
        /// Those of a host.
        public var on: String?
        public init(includeFiles: Bool? = nil, on: String? = nil) {
            self.includeFiles = includeFiles
            self.on = on
        }
    }

    /// Result of `sessions`.
    public struct SessionsResult: Decodable, Hashable, Sendable {
        /// Those that run, most recently active first; then those on disk, newest first, without those that run.
        public var sessions: [Session]
        /// What could not be looked at, a sentence each; absent: nothing was left out.
        public var warnings: [String]?
        public init(sessions: [Session], warnings: [String]? = nil) {
            self.sessions = sessions
            self.warnings = warnings
        }
    }

    /// How to shut down.
    public struct ShutdownMode: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// What runs has five seconds.
        public static let drain = ShutdownMode(rawValue: "drain")
        /// What runs is cancelled.
        public static let now = ShutdownMode(rawValue: "now")
    }

    /// A place in a `Spec` whose text is known only while opening.
    public struct Slot: Decodable, Hashable, Sendable {
        /// The index of the word in `argv`, or the name of the variable in `env`.
        public var at: SlotAt
        /// The text that stands there: `{surface:N}`, `{script}`, `{session}` or `{payload}`.
        public var text: String
        public init(at: SlotAt, text: String) {
            self.at = at
            self.text = text
        }
    }

    /// Where a slot is.
    public enum SlotAt: Decodable, Hashable, Sendable {
        case index(Int)
        case name(String)

        public init(from decoder: any Decoder) throws {
            if let value = try? Int(from: decoder) {
                self = .index(value)
                return
            }
            self = .name(try String(from: decoder))
        }
    }

    /// Result of `terminal.snapshot`.
    public struct Snapshot: Decodable, Hashable, Sendable {
        /// Rows of the content.
        public var rows: Int
        /// Columns of the content.
        public var cols: Int
        /// The cursor.
        public var cursor: Cursor
        /// base64 of escape sequences that redraw the screen in an emulator of this size.
        public var screen: String
        /// The revision that it shows; output with a greater one comes after it.
        public var revision: Int
        public init(rows: Int, cols: Int, cursor: Cursor, screen: String, revision: Int) {
            self.rows = rows
            self.cols = cols
            self.cursor = cursor
            self.screen = screen
            self.revision = revision
        }
    }

    /// Why a backend was chosen.
    public struct Source: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// The caller named it.
        public static let forced = Source(rawValue: "forced")
        /// The caller runs in it.
        public static let currentTerminal = Source(rawValue: "current-terminal")
        /// The most recent live session runs in it.
        public static let activeSession = Source(rawValue: "active-session")
        /// It is the first that can be driven here.
        public static let available = Source(rawValue: "available")
        /// A host was named and no backend.
        public static let remoteDefault = Source(rawValue: "remote-default")
        /// Nothing else can be driven, so the daemon hosts it.
        public static let headless = Source(rawValue: "headless")
    }

    /// Result of `seat.spawn`.
    public struct Spawned: Decodable, Hashable, Sendable {
        /// Names the seat in every later call, also to another daemon.
        public var reference: String
        /// The tmux session's name.
        public var session: String
        /// `@N`.
        public var windowId: String
        /// `%N`.
        public var paneId: String
        /// The line that shows it.
        public var attach: String
        public init(reference: String, session: String, windowId: String, paneId: String, attach: String) {
            self.reference = reference
            self.session = session
            self.windowId = windowId
            self.paneId = paneId
            self.attach = attach
        }
    }

    /// The exact command that opens a surface.
    public struct Spec: Decodable, Hashable, Sendable {
        /// The words; empty for `builtin`.
        public var argv: [String]
        /// Variables of the terminal's own command (not of the program in the surface).
        public var env: [String: String]?
        /// Bytes for its standard input.
        public var stdin: String?
        /// The text of the launch script, whose path goes where `{script}` stands.
        public var script: String?
        /// What is known only while opening.
        public var slots: [Slot]?
        /// An editor's JSON, which goes where `{payload}` stands, encoded last.
        public var payload: JSONValue?
        /// Earlier steps of terminals that need a conversation.
        public var before: [[String]]?
        /// The argv to use where no server runs.
        public var otherwise: [String]?
        /// What it opens.
        public var request: Request
        /// How it is run.
        public var transport: Transport
        /// A line to read and paste; no values of `env`.
        public var display: String
        public init(argv: [String], env: [String: String]? = nil, stdin: String? = nil, script: String? = nil, slots: [Slot]? = nil, payload: JSONValue? = nil, before: [[String]]? = nil, otherwise: [String]? = nil, request: Request, transport: Transport, display: String) {
            self.argv = argv
            self.env = env
            self.stdin = stdin
            self.script = script
            self.slots = slots
            self.payload = payload
            self.before = before
            self.otherwise = otherwise
            self.request = request
            self.transport = transport
            self.display = display
        }
    }

    /// The command that a `dryRun` shows.
    public struct SpecShown: Decodable, Hashable, Sendable {
        /// As `build` shows it.
        public var spec: SurfaceSpec
        public init(spec: SurfaceSpec) {
            self.spec = spec
        }
    }

    /// How the panes of a tab share it.
    public struct Split: Codable, Hashable, Sendable {
        /// Side by side or stacked.
        public var direction: Direction
        /// The part of the first pane, between 0 and 1; absent: equal parts.
        public var ratio: Double?
        public init(direction: Direction, ratio: Double? = nil) {
            self.direction = direction
            self.ratio = ratio
        }
    }

    /// Whether a new surface was seen.
    public struct Started: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// The terminal listed it by id, or its launch script reported.
        public static let seen = Started(rawValue: "seen")
        /// Neither happened in time.
        public static let unconfirmed = Started(rawValue: "unconfirmed")
    }

    /// Whether the daemon takes new work.
    public struct State: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// It does.
        public static let ready = State(rawValue: "ready")
        /// It finishes what runs and then ends.
        public static let draining = State(rawValue: "draining")
    }

    /// Result of `daemon.status`.
    public struct StatusResult: Decodable, Hashable, Sendable {
        /// The program's version.
        public var version: String
        /// The protocol's version.
        public var `protocol`: Int
        /// Its process.
        public var pid: Int
        /// New at each start.
        public var instanceId: String
        /// The path of its socket.
        public var socket: String
        /// Its home directory.
        public var home: String
        /// Its log.
        public var log: String
        /// Whether it takes new work.
        public var state: State
        /// How long it runs.
        public var uptimeMs: Int
        /// When it started, RFC 3339.
        public var startedAt: String
        /// Connections now.
        public var connections: Int
        /// Requests that run now, this one not counted.
        public var inFlight: Int
        /// Subscriptions now.
        public var subscriptions: Int
        /// The configuration file.
        public var configuration: ConfigurationStatus
        public init(version: String, `protocol`: Int, pid: Int, instanceId: String, socket: String, home: String, log: String, state: State, uptimeMs: Int, startedAt: String, connections: Int, inFlight: Int, subscriptions: Int, configuration: ConfigurationStatus) {
            self.version = version
            self.protocol = `protocol`
            self.pid = pid
            self.instanceId = instanceId
            self.socket = socket
            self.home = home
            self.log = log
            self.state = state
            self.uptimeMs = uptimeMs
            self.startedAt = startedAt
            self.connections = connections
            self.inFlight = inFlight
            self.subscriptions = subscriptions
            self.configuration = configuration
        }
    }

    /// Result of `seat.stop`.
    public struct Stopped: Decodable, Hashable, Sendable {
        /// `exited`, or `gone` where it was not there any more.
        public var state: SeatState
        public init(state: SeatState) {
            self.state = state
        }
    }

    /// The first answer of a subscribing method.
    public struct Subscribed: Decodable, Hashable, Sendable {
        /// Names the subscription in its items and when it is ended.
        public var subscription: Int
        public init(subscription: Int) {
            self.subscription = subscription
        }
    }

    /// Parameters of `surface.capture`.
    public struct SurfaceCaptureParams: Codable, Hashable, Sendable {
        /// The surface to read.
        public var surface: String
        /// The last so many lines, scrollback included; absent: what is visible.
        public var lines: Int?
        /// Only show the command.
        public var dryRun: Bool?
        public init(surface: String, lines: Int? = nil, dryRun: Bool? = nil) {
            self.surface = surface
            self.lines = lines
            self.dryRun = dryRun
        }
    }

    /// Result of `surface.capture`; with `dryRun` the command.
    public enum SurfaceCaptureResult: Decodable, Hashable, Sendable {
        case specShown(SpecShown)
        case text(Text)

        public init(from decoder: any Decoder) throws {
            if let value = try? SpecShown(from: decoder) {
                self = .specShown(value)
                return
            }
            self = .text(try Text(from: decoder))
        }
    }

    /// Parameters of `surface.close`.
    public struct SurfaceCloseParams: Codable, Hashable, Sendable {
        /// The surface.
        public var surface: String
        /// Only show the command.
        public var dryRun: Bool?
        public init(surface: String, dryRun: Bool? = nil) {
            self.surface = surface
            self.dryRun = dryRun
        }
    }

    /// Result of `surface.close`; with `dryRun` the command.
    public enum SurfaceCloseResult: Decodable, Hashable, Sendable {
        case specShown(SpecShown)
        case empty(Empty)

        public init(from decoder: any Decoder) throws {
            if let value = try? SpecShown(from: decoder) {
                self = .specShown(value)
                return
            }
            self = .empty(try Empty(from: decoder))
        }
    }

    /// Parameters of `surface.focus`.
    public struct SurfaceFocusParams: Codable, Hashable, Sendable {
        /// The surface.
        public var surface: String
        /// Only show the command.
        public var dryRun: Bool?
        public init(surface: String, dryRun: Bool? = nil) {
            self.surface = surface
            self.dryRun = dryRun
        }
    }

    /// Result of `surface.focus`; with `dryRun` the command.
    public enum SurfaceFocusResult: Decodable, Hashable, Sendable {
        case specShown(SpecShown)
        case empty(Empty)

        public init(from decoder: any Decoder) throws {
            if let value = try? SpecShown(from: decoder) {
                self = .specShown(value)
                return
            }
            self = .empty(try Empty(from: decoder))
        }
    }

    /// A surface that exists now.
    public struct SurfaceInfo: Decodable, Hashable, Sendable {
        /// Its reference.
        public var surface: String
        /// Its terminal.
        public var backend: BackendId
        /// Its title.
        public var title: String?
        /// The working directory of what runs in it.
        public var cwd: String?
        /// What runs in it.
        public var command: String?
        /// Whether it has the focus of its terminal.
        public var active: Bool?
        /// How its program ended, where it has and the terminal keeps the surface; absent: it runs, as far as is known.
        public var exit: Exit?
        public init(surface: String, backend: BackendId, title: String? = nil, cwd: String? = nil, command: String? = nil, active: Bool? = nil, exit: Exit? = nil) {
            self.surface = surface
            self.backend = backend
            self.title = title
            self.cwd = cwd
            self.command = command
            self.active = active
            self.exit = exit
        }
    }

    /// Parameters of `surface.inject`.
    public struct SurfaceInjectParams: Codable, Hashable, Sendable {
        /// The surface that gets the text.
        public var surface: String
        /// Literal text: `Enter` is five letters.
        public var text: String
        /// Press Enter after it; absent: true.
        public var enter: Bool?
        /// Text and Enter in one write; absent: false.
        public var combined: Bool?
        /// Only show the command.
        public var dryRun: Bool?
        public init(surface: String, text: String, enter: Bool? = nil, combined: Bool? = nil, dryRun: Bool? = nil) {
            self.surface = surface
            self.text = text
            self.enter = enter
            self.combined = combined
            self.dryRun = dryRun
        }
    }

    /// Result of `surface.inject`; with `dryRun` the command.
    public enum SurfaceInjectResult: Decodable, Hashable, Sendable {
        case specShown(SpecShown)
        case writes(Writes)

        public init(from decoder: any Decoder) throws {
            if let value = try? SpecShown(from: decoder) {
                self = .specShown(value)
                return
            }
            self = .writes(try Writes(from: decoder))
        }
    }

    /// Parameters of `surface.keys`.
    public struct SurfaceKeysParams: Codable, Hashable, Sendable {
        /// The surface that gets the keys.
        public var surface: String
        /// tmux's names: `Enter`, `Escape`, `C-c`, `M-x`, `Up`, `F1`, single characters.
        public var keys: [String]
        /// Only show the command.
        public var dryRun: Bool?
        public init(surface: String, keys: [String], dryRun: Bool? = nil) {
            self.surface = surface
            self.keys = keys
            self.dryRun = dryRun
        }
    }

    /// Result of `surface.keys`; with `dryRun` the command.
    public enum SurfaceKeysResult: Decodable, Hashable, Sendable {
        case specShown(SpecShown)
        case empty(Empty)

        public init(from decoder: any Decoder) throws {
            if let value = try? SpecShown(from: decoder) {
                self = .specShown(value)
                return
            }
            self = .empty(try Empty(from: decoder))
        }
    }

    /// Parameters of `surface.list`.
    public struct SurfaceListParams: Codable, Hashable, Sendable {
        /// Only of this backend.
        public var backend: BackendId?
        /// Those of a host.
        public var host: String?
        public init(backend: BackendId? = nil, host: String? = nil) {
            self.backend = backend
            self.host = host
        }
    }

    /// The exact command of one `surface.*` call.
    public struct SurfaceSpec: Decodable, Hashable, Sendable {
        /// The words.
        public var argv: [String]
        /// Bytes for its standard input.
        public var stdin: String?
        /// Later steps.
        public var then: [[String]]?
        /// How it is run.
        public var transport: Transport
        /// A line to read and paste.
        public var display: String
        public init(argv: [String], stdin: String? = nil, then: [[String]]? = nil, transport: Transport, display: String) {
            self.argv = argv
            self.stdin = stdin
            self.then = then
            self.transport = transport
            self.display = display
        }
    }

    /// Parameters of `surface.wait`.
    public struct SurfaceWaitParams: Codable, Hashable, Sendable {
        /// The surface.
        public var surface: String
        /// Milliseconds; absent: as long as it takes.
        public var timeoutMs: Int?
        /// Only show the command.
        public var dryRun: Bool?
        public init(surface: String, timeoutMs: Int? = nil, dryRun: Bool? = nil) {
            self.surface = surface
            self.timeoutMs = timeoutMs
            self.dryRun = dryRun
        }
    }

    /// Result of `surface.wait`; with `dryRun` the command.
    public enum SurfaceWaitResult: Decodable, Hashable, Sendable {
        case specShown(SpecShown)
        case exit(Exit)

        public init(from decoder: any Decoder) throws {
            if let value = try? SpecShown(from: decoder) {
                self = .specShown(value)
                return
            }
            self = .exit(try Exit(from: decoder))
        }
    }

    /// The panes of a tab.
    public struct TabItem: Codable, Hashable, Sendable {
        /// At least one.
        public var panes: [PaneItem]
        /// How they share it; absent: side by side in equal parts.
        public var split: Split?
        public init(panes: [PaneItem], split: Split? = nil) {
            self.panes = panes
            self.split = split
        }
    }

    /// A hosted terminal.
    public struct Terminal: Decodable, Hashable, Sendable {
        /// Its id.
        public var id: String
        /// Its name.
        public var name: String
        /// The working directory: the program's own word (OSC 7), else where it started.
        public var cwd: String
        /// The title.
        public var title: String
        /// The argv.
        public var command: [String]
        /// Rows.
        public var rows: Int
        /// Columns.
        public var cols: Int
        /// The program's process.
        public var pid: Int?
        /// Whether the program runs.
        public var state: TerminalState
        /// How it ended.
        public var exit: Exit?
        /// Why it cannot be reached, or why its end is not known: the process that hosted it was ended.
        public var reason: String?
        /// Whether it seems to wait for a person; absent where that cannot be told.
        public var waitingForInput: Bool?
        /// The last 12 lines, after the exit.
        public var lastOutputLines: [String]?
        /// The terminal agent that it is for.
        public var agentId: String?
        /// The line that shows it.
        public var attach: String
        /// When it was made, RFC 3339.
        public var createdAt: String
        public init(id: String, name: String, cwd: String, title: String, command: [String], rows: Int, cols: Int, pid: Int? = nil, state: TerminalState, exit: Exit? = nil, reason: String? = nil, waitingForInput: Bool? = nil, lastOutputLines: [String]? = nil, agentId: String? = nil, attach: String, createdAt: String) {
            self.id = id
            self.name = name
            self.cwd = cwd
            self.title = title
            self.command = command
            self.rows = rows
            self.cols = cols
            self.pid = pid
            self.state = state
            self.exit = exit
            self.reason = reason
            self.waitingForInput = waitingForInput
            self.lastOutputLines = lastOutputLines
            self.agentId = agentId
            self.attach = attach
            self.createdAt = createdAt
        }
    }

    /// Parameters of `terminal.attach`.
    public struct TerminalAttachParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        /// Begin with a snapshot; absent: true.
        public var replay: Bool?
        /// A person types here: with a size it resizes the terminal; absent: false.
        public var interactive: Bool?
        /// The viewer's rows; only together with `cols`.
        public var rows: Int?
        /// The viewer's columns; only together with `rows`.
        public var cols: Int?
        public init(id: String, replay: Bool? = nil, interactive: Bool? = nil, rows: Int? = nil, cols: Int? = nil) {
            self.id = id
            self.replay = replay
            self.interactive = interactive
            self.rows = rows
            self.cols = cols
        }
    }

    /// Parameters of `terminal.capture`.
    public struct TerminalCaptureParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        /// The first line, from 0, the oldest kept; negative: from the end. Absent: 0.
        public var start: Int?
        /// The line after the last; negative: from the end. Absent: all.
        public var end: Int?
        /// Plain text; absent: true.
        public var stripAnsi: Bool?
        public init(id: String, start: Int? = nil, end: Int? = nil, stripAnsi: Bool? = nil) {
            self.id = id
            self.start = start
            self.end = end
            self.stripAnsi = stripAnsi
        }
    }

    /// Result of `terminal.capture`.
    public struct TerminalCaptureResult: Decodable, Hashable, Sendable {
        /// The lines, without newlines.
        public var lines: [String]
        /// How many are kept.
        public var totalLines: Int
        public init(lines: [String], totalLines: Int) {
            self.lines = lines
            self.totalLines = totalLines
        }
    }

    /// Result of `provider.command`.
    public struct TerminalCommand: Decodable, Hashable, Sendable {
        /// The program.
        public var command: String
        /// Its arguments.
        public var args: [String]
        /// Variables for it.
        public var env: [String: String]
        public init(command: String, args: [String], env: [String: String]) {
            self.command = command
            self.args = args
            self.env = env
        }
    }

    /// Parameters of `terminal.create`.
    public struct TerminalCreateParams: Codable, Hashable, Sendable {
        /// Absent: the caller's, else home.
        public var cwd: String?
        /// The program; absent: the login shell.
        public var command: String?
        /// Its arguments.
        public var args: [String]?
        /// The shell to run where there is no command; absent: the login shell.
        public var shell: String?
        /// Variables over the daemon's allow-list.
        public var env: [String: String]?
        /// Absent: 24.
        public var rows: Int?
        /// Absent: 80.
        public var cols: Int?
        /// A name for people, of 1 to 200 characters of which none is a control character; absent: the program's.
        public var name: String?
        /// The title until the program sets one: at most 1000 characters, none of them a control character.
        public var title: String?
        /// A terminal agent: answers the terminal that it lives in, or opens it in a new one, as `agent.open` does. Its own
    command, directory and variables hold.
        public var agentId: String?
        public init(cwd: String? = nil, command: String? = nil, args: [String]? = nil, shell: String? = nil, env: [String: String]? = nil, rows: Int? = nil, cols: Int? = nil, name: String? = nil, title: String? = nil, agentId: String? = nil) {
            self.cwd = cwd
            self.command = command
            self.args = args
            self.shell = shell
            self.env = env
            self.rows = rows
            self.cols = cols
            self.name = name
            self.title = title
            self.agentId = agentId
        }
    }

    /// Parameters of `terminal.detach`.
    public struct TerminalDetachParams: Codable, Hashable, Sendable {
        /// The subscription.
        public var subscription: Int
        public init(subscription: Int) {
            self.subscription = subscription
        }
    }

    /// Parameters of `terminal.get`.
    public struct TerminalGetParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// Parameters of `terminal.input`.
    public struct TerminalInputParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        /// Text, sent as UTF-8. NUL is allowed here: it is a key.
        public var data: String?
        /// Bytes.
        public var dataBase64: String?
        public init(id: String, data: String? = nil, dataBase64: String? = nil) {
            self.id = id
            self.data = data
            self.dataBase64 = dataBase64
        }
    }

    /// Parameters of `terminal.kill`.
    public struct TerminalKillParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        /// Milliseconds between hang-up and kill; absent: 2000.
        public var gracefulTimeoutMs: Int?
        /// Milliseconds to wait after the kill; absent: 2000.
        public var forceTimeoutMs: Int?
        public init(id: String, gracefulTimeoutMs: Int? = nil, forceTimeoutMs: Int? = nil) {
            self.id = id
            self.gracefulTimeoutMs = gracefulTimeoutMs
            self.forceTimeoutMs = forceTimeoutMs
        }
    }

    /// Parameters of `terminal.list`.
    public struct TerminalListParams: Codable, Hashable, Sendable {
        /// Only those of this directory.
        public var cwd: String?
        public init(cwd: String? = nil) {
            self.cwd = cwd
        }
    }

    /// Result of `terminal.list`.
    public struct TerminalListResult: Decodable, Hashable, Sendable {
        /// In the order in which they were made.
        public var terminals: [Terminal]
        public init(terminals: [Terminal]) {
            self.terminals = terminals
        }
    }

    /// Parameters of `terminal.remove`.
    public struct TerminalRemoveParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// Parameters of `terminal.resize`.
    public struct TerminalResizeParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        /// 1 to 1000.
        public var rows: Int
        /// 1 to 1000.
        public var cols: Int
        public init(id: String, rows: Int, cols: Int) {
            self.id = id
            self.rows = rows
            self.cols = cols
        }
    }

    /// Parameters of `terminal.snapshot`.
    public struct TerminalSnapshotParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }

    /// Whether the program runs.
    public struct TerminalState: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
        public init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
        /// It does.
        public static let running = TerminalState(rawValue: "running")
        /// It ended.
        public static let exited = TerminalState(rawValue: "exited")
    }

    /// Parameters of `terminal.wait`.
    public struct TerminalWaitParams: Codable, Hashable, Sendable {
        /// The terminal.
        public var id: String
        /// Milliseconds; absent: as long as it takes.
        public var timeoutMs: Int?
        public init(id: String, timeoutMs: Int? = nil) {
            self.id = id
            self.timeoutMs = timeoutMs
        }
    }

    /// Result of `surface.capture`.
    public struct Text: Decodable, Hashable, Sendable {
        /// Lines that end in a newline, blanks at their ends removed.
        public var text: String
        public init(text: String) {
            self.text = text
        }
    }

    /// The tmux pane that a session runs in.
    public struct TmuxPlace: Decodable, Hashable, Sendable {
        /// Path of the server's socket.
        public var socket: String
        /// The session's name.
        public var session: String
        /// `@N`.
        public var window: String
        /// `%N`.
        public var pane: String
        public init(socket: String, session: String, window: String, pane: String) {
            self.socket = socket
            self.session = session
            self.window = window
            self.pane = pane
        }
    }

    /// How a `Spec` reaches the terminal.
    public enum Transport: Decodable, Hashable, Sendable {
        public struct Ssh: Decodable, Hashable, Sendable {
            /// The host.
            public var host: String
            /// The argv as one POSIX line, for people.
            public var command: String
            public init(host: String, command: String) {
                self.host = host
                self.command = command
            }
        }
        /// Run on this machine.
        case local
        /// Run on a host.
        case ssh(Ssh)
        /// The daemon hosts it itself.
        case builtin
        /// Something that this version does not know.
        case unknown(JSONValue)

        private enum CodingKeys: String, CodingKey {
            case kind
        }
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .kind) {
            case "local": self = .local
            case "ssh": self = .ssh(try Ssh(from: decoder))
            case "builtin": self = .builtin
            default: self = .unknown(try JSONValue(from: decoder))
            }
        }
    }

    /// Result of `surface.inject`.
    public struct Writes: Decodable, Hashable, Sendable {
        /// How many writes were made.
        public var writes: Int
        public init(writes: Int) {
            self.writes = writes
        }
    }
}
