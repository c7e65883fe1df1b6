# Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.
"""The types of the protocol. Objects are plain dictionaries; absent and None mean the same for optional fields."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Optional, TypeAlias, TypedDict, Union


class Exit(TypedDict):
    """How a program ended, of every wait: `exited: false` means that the time was up; an unknown status has neither field."""
    exited: bool
    """Whether it ended."""
    exitCode: NotRequired[Optional[int]]
    """Its exit status, 0 to 255."""
    signal: NotRequired[Optional[str]]
    """The signal that ended it, such as `SIGKILL`."""


class Snapshot(TypedDict):
    """Result of `terminal.snapshot`."""
    rows: int
    """Rows of the content."""
    cols: int
    """Columns of the content."""
    cursor: Cursor
    """The cursor."""
    screen: str
    """base64 of escape sequences that redraw the screen in an emulator of this size."""
    revision: int
    """The revision that it shows; output with a greater one comes after it."""


class Agent(TypedDict):
    """A terminal agent."""
    id: str
    """A `UUIDv7`."""
    provider: str
    """Its provider."""
    cwd: str
    """Where it works."""
    model: NotRequired[Optional[str]]
    """Its model."""
    modeId: NotRequired[Optional[str]]
    """Its mode."""
    title: str
    """Its name for people."""
    labels: Dict[str, str]
    """Whatever callers mark it with."""
    terminal: bool
    """Always true."""
    lifecycle: Lifecycle
    """What it does."""
    reason: NotRequired[Optional[str]]
    """Why it is in that state, one sentence."""
    terminalId: NotRequired[Optional[str]]
    """The hosted terminal that it lives in."""
    surface: NotRequired[Optional[str]]
    """The surface that it lives in."""
    seat: NotRequired[Optional[str]]
    """The seat that it lives in."""
    attach: NotRequired[Optional[str]]
    """The line that shows it."""
    persistence: NotRequired[Optional[Handle]]
    """What its conversation is called, where that is known."""
    createdAt: str
    """RFC 3339."""
    updatedAt: str
    """RFC 3339."""
    archivedAt: NotRequired[Optional[str]]
    """RFC 3339; absent: it is not archived."""


class AgentArchiveParams(TypedDict):
    """Parameters of `agent.archive`."""
    id: str
    """The agent."""


class AgentCloseParams(TypedDict):
    """Parameters of `agent.close`."""
    id: str
    """The agent."""


class AgentConfig(TypedDict):
    """What an agent is started with."""
    cwd: NotRequired[Optional[str]]
    """The working directory."""
    model: NotRequired[Optional[str]]
    """The model, in the provider's words."""
    modeId: NotRequired[Optional[str]]
    """The mode, one of the provider's."""
    prompt: NotRequired[Optional[str]]
    """The first prompt."""
    sessionId: NotRequired[Optional[str]]
    """The id to give a new conversation."""


class AgentCreateParams(TypedDict):
    """Parameters of `agent.create`."""
    provider: str
    """The provider."""
    cwd: str
    """Where it works."""
    model: NotRequired[Optional[str]]
    """The model, in the provider's words."""
    modeId: NotRequired[Optional[str]]
    """The mode, one of the provider's."""
    prompt: NotRequired[Optional[str]]
    """The first prompt."""
    title: NotRequired[Optional[str]]
    """Its name for people; absent: the provider's label."""
    labels: NotRequired[Optional[Dict[str, str]]]
    """Whatever the caller marks it with."""
    env: NotRequired[Optional[Dict[str, str]]]
    """Variables for it."""
    terminal: NotRequired[Optional[bool]]
    """Absent: true. False is refused: this service runs terminal agents only."""
    place: NotRequired[Optional[Place]]
    """Where it lives; absent: in a hosted terminal."""


class AgentDeleteParams(TypedDict):
    """Parameters of `agent.delete`."""
    id: str
    """The agent."""


class AgentGetParams(TypedDict):
    """Parameters of `agent.get`."""
    id: str
    """The agent."""


class AgentListParams(TypedDict):
    """Parameters of `agent.list`."""
    archived: NotRequired[Optional[bool]]
    """True: the archived ones too; absent: false."""


class AgentListResult(TypedDict):
    """Result of `agent.list`."""
    agents: List[Agent]
    """In the order in which they were made."""


class AgentOpenParams(TypedDict):
    """Parameters of `agent.open`."""
    id: str
    """The agent."""
    place: NotRequired[Optional[Place]]
    """Where it shall live now; absent: as before."""


class AgentSendParams(TypedDict):
    """Parameters of `agent.send`."""
    id: str
    """The agent."""
    text: str
    """The message."""


class AgentUnarchiveParams(TypedDict):
    """Parameters of `agent.unarchive`."""
    id: str
    """The agent."""


class AgentUpdateParams(TypedDict):
    """Parameters of `agent.update`."""
    id: str
    """The agent."""
    title: NotRequired[Optional[str]]
    """Its new name; absent: unchanged."""
    labels: NotRequired[Optional[Dict[str, str]]]
    """Its new labels, all of them; absent: unchanged."""


class AttachItemSnapshot(Snapshot):
    """The whole screen."""
    type: Literal["snapshot"]


class AttachItemOutput(TypedDict):
    """Bytes that the program wrote."""
    type: Literal["output"]
    dataBase64: str
    """The bytes."""
    revision: int
    """Counts bytes: the total written up to the end of this item."""


class AttachItemTitle(TypedDict):
    """The title changed."""
    type: Literal["title"]
    title: str
    """The title."""


class AttachItemResized(TypedDict):
    """The size changed."""
    type: Literal["resized"]
    rows: int
    """Rows."""
    cols: int
    """Columns."""


class AttachItemExit(Exit):
    """The program ended; nothing but `end` follows."""
    type: Literal["exit"]


class AttachItemGap(TypedDict):
    """Items were left out because the reader was too slow."""
    type: Literal["gap"]
    missed: int
    """How many."""


class AttachItemEnd(TypedDict):
    """Nothing follows."""
    type: Literal["end"]
    reason: str
    """done, unsubscribed, lagged or shutting-down."""


class BackendInfo(TypedDict):
    """One backend as `backends` lists it."""
    id: BackendId
    """Its id."""
    label: str
    """Its name for people."""
    available: bool
    """Whether it can be driven."""
    reason: NotRequired[Optional[str]]
    """Why it can or cannot."""
    remedy: NotRequired[Optional[str]]
    """What to do so that it can."""
    capabilities: Capabilities
    """What it can do."""
    source: BackendSource
    """Where its definition comes from."""


class BackendsParams(TypedDict):
    """Parameters of `backends`."""
    context: NotRequired[Optional[Context]]
    """Where the caller is."""
    host: NotRequired[Optional[str]]
    """Look on a host."""


class BackendsResult(TypedDict):
    """Result of `backends`."""
    backends: List[BackendInfo]
    """In registry order."""


class BuildParams(TypedDict):
    """Parameters of `build`."""
    items: List[Item]
    """What to open."""
    backend: NotRequired[Optional[BackendId]]
    """Absent: as `resolveBackend`; with a host: `tmux`."""
    host: NotRequired[Optional[str]]
    """The host of items that name none."""
    packing: NotRequired[Optional[Packing]]
    """Absent: `two-per-tab`."""
    context: NotRequired[Optional[Context]]
    """Where the caller is; absent: what the daemon sees of its process."""
    shell: NotRequired[Optional[str]]
    """The wrapping shell, a name or a path; absent: `zsh`."""
    handles: NotRequired[Optional[bool]]
    """`false`: the launch engine's own bare commands. Absent: true."""


class BuildResult(TypedDict):
    """Result of `build` and of `open` with `dryRun`."""
    specs: List[Spec]
    """One for each item, in order."""


class Capabilities(TypedDict):
    """What a backend can do."""
    tab: bool
    """Opens tabs."""
    splitRight: bool
    """Splits to the right."""
    splitDown: bool
    """Splits downwards."""
    window: bool
    """Opens windows."""
    exactTarget: bool
    """Splits exactly the surface that is named, wherever the focus is."""
    handle: bool
    """Tells the identity of a new surface."""
    focus: bool
    """Brings a surface to the front."""
    inject: bool
    """Types text."""
    keys: bool
    """Presses keys."""
    capture: bool
    """Reads the screen."""
    close: bool
    """Closes a surface."""
    remote: bool
    """Works on a host over SSH."""
    headless: bool
    """Works where nobody is logged in graphically."""


class ConfigurationStatus(TypedDict):
    """What became of the configuration file."""
    path: str
    """The file that is read."""
    exists: bool
    """Whether it exists."""
    error: NotRequired[Optional[str]]
    """Why it is not in force; the last good one is."""


class Confirm(TypedDict):
    """A prompt that is answered once when it shows on the pane."""
    pattern: str
    """A regular expression that is looked for in the pane's text."""
    keys: List[str]
    """The keys to press, by tmux's names."""
    timeoutMs: NotRequired[Optional[int]]
    """How long to look, in milliseconds; absent: 10000."""


class Considered(TypedDict):
    """A candidate that was looked at."""
    backend: BackendId
    """The backend."""
    ok: bool
    """Whether it could have been chosen."""
    reason: str
    """Why, or why not."""


class Context(TypedDict):
    """Where the caller is. An explicit one always wins over what the daemon sees of the caller's process."""
    platform: NotRequired[Optional[Platform]]
    """Absent: the daemon's."""
    env: NotRequired[Optional[Dict[str, str]]]
    """The caller's environment, as far as it matters. Names that are no variable names are ignored. Absent: empty."""
    cwd: NotRequired[Optional[str]]
    """The caller's directory."""
    pid: NotRequired[Optional[int]]
    """The caller's process, whose ancestors are then looked at."""
    apps: NotRequired[Optional[List[BackendId]]]
    """The backends that are installed."""


class Cursor(TypedDict):
    """Where the cursor is, from 0."""
    row: int
    """The row, from 0."""
    col: int
    """The column, from 0."""
    visible: bool
    """Whether it is shown."""


class DaemonHelloParams(TypedDict):
    """Parameters of `daemon.hello`."""
    client: NotRequired[Optional[str]]
    """Who is calling, for the log."""
    protocol: NotRequired[Optional[ProtocolRange]]
    """What it speaks; a range without the daemon's version is `protocol-mismatch`."""


class DaemonShutdownParams(TypedDict):
    """Parameters of `daemon.shutdown`."""
    mode: NotRequired[Optional[ShutdownMode]]
    """Absent: `drain`."""


class DaemonStatusParams(TypedDict):
    """Parameters of `daemon.status`."""


class Empty(TypedDict):
    """The result of a method that has none: `{}`."""


class ErrorData(TypedDict):
    """`data` of every error on the wire."""
    kind: Kind
    """What a program branches on."""
    hint: NotRequired[Optional[str]]
    """What the person can do next, one sentence."""
    path: NotRequired[Optional[str]]
    """Which parameter is meant, such as `items[2].cwd`."""
    detail: NotRequired[Any]
    """More facts, in a shape that depends on the kind."""


class EventItemEvent(TypedDict):
    """One event."""
    type: Literal["event"]
    topic: str
    """Its topic."""
    at: str
    """When, RFC 3339."""
    payload: Any
    """What it is about: for most topics the whole object after the change."""


class EventItemGap(TypedDict):
    """Items were left out because the reader was too slow."""
    type: Literal["gap"]
    missed: int
    """How many."""


class EventItemEnd(TypedDict):
    """Nothing follows."""
    type: Literal["end"]
    reason: str
    """done, unsubscribed, lagged or shutting-down."""


class EventsSubscribeParams(TypedDict):
    """Parameters of `events.subscribe`."""
    topics: NotRequired[Optional[List[str]]]
    """Only these topics; absent: all. A group such as `terminal` or `terminal.*` stands for all of its topics."""


class EventsUnsubscribeParams(TypedDict):
    """Parameters of `events.unsubscribe`."""
    subscription: int
    """The subscription."""


class Handle(TypedDict):
    """What names an earlier conversation."""
    sessionId: str
    """The provider's id of it."""
    nativeHandle: NotRequired[Optional[str]]
    """The provider's own name for it, where that is another one; it wins."""


class HelloResult(TypedDict):
    """Result of `daemon.hello`."""
    protocol: int
    """The protocol's version."""
    server: str
    """Program and version, such as `surfaced 0.1.0`."""
    capabilities: List[str]
    """The names of the methods that it has."""
    limits: Limits
    """The limits in force."""
    socket: str
    """The path of its socket."""
    state: State
    """Whether it takes new work."""


class Item(TypedDict):
    """One surface to open. With neither `command` nor `shellCommand` it runs the person's shell."""
    cwd: NotRequired[Optional[str]]
    """The working directory; absent: the caller's, else home."""
    command: NotRequired[Optional[List[str]]]
    """The argv, received byte for byte."""
    shellCommand: NotRequired[Optional[str]]
    """One line for the wrapping shell, passed on as it is."""
    env: NotRequired[Optional[Dict[str, str]]]
    """Variables for the command; they travel in a launch script."""
    title: NotRequired[Optional[str]]
    """The title of the surface."""
    agent: NotRequired[Optional[str]]
    """The agent that it runs, for terminals that show it."""
    sessionId: NotRequired[Optional[str]]
    """The agent's session, for terminals that track it."""
    layout: NotRequired[Optional[Layout]]
    """Its own layout, which wins over the packing."""
    host: NotRequired[Optional[str]]
    """Its own host, which wins over the call's."""
    target: NotRequired[Optional[str]]
    """The surface to split."""
    onExit: NotRequired[Optional[OnExit]]
    """What becomes of the surface when its command ends."""


class LayoutCloseParams(TypedDict):
    """Parameters of `layout.close`."""
    window: str
    """The window."""


class LayoutOpenParams(TypedDict):
    """Parameters of `layout.open`."""
    label: str
    """The name of the window."""
    tab: TabItem
    """Its panes."""
    focus: NotRequired[Optional[bool]]
    """Whether it takes the focus; absent: false."""
    context: NotRequired[Optional[Context]]
    """Where the caller is; it must be inside tmux."""


class LayoutOpened(TypedDict):
    """Result of `layout.open`."""
    window: str
    """The window's reference: a tmux reference without a pane."""
    panes: List[str]
    """The panes, in order."""


class LayoutRefs(TypedDict):
    """Result of `layout.refs`."""
    windows: List[str]
    """The windows of the caller's session with this label."""


class LayoutRefsParams(TypedDict):
    """Parameters of `layout.refs`."""
    label: str
    """The label to look for."""
    context: NotRequired[Optional[Context]]
    """Where the caller is; it must be inside tmux."""


class Limits(TypedDict):
    """The limits in force. Each is refused with an error, never with silence or growth."""
    messageBytes: NotRequired[int]
    """Bytes of one message."""
    replyBytes: NotRequired[int]
    """Bytes of one reply."""
    nesting: NotRequired[int]
    """Levels of arrays and objects in one message."""
    connections: NotRequired[int]
    """Connections at a time."""
    inFlight: NotRequired[int]
    """Requests at a time on one connection; over it the daemon stops reading that connection."""
    subscriptions: NotRequired[int]
    """Subscriptions and waits at a time on one connection."""
    batch: NotRequired[int]
    """Requests in one batch."""
    unreadBytes: NotRequired[int]
    """Bytes of replies that a connection has not read."""
    stalledMs: NotRequired[int]
    """How long a reader may make no progress while it is over `unreadBytes`."""
    halfSentMs: NotRequired[int]
    """How long half a message may wait when connections are short."""


class ListResult(TypedDict):
    """Result of `surface.list`."""
    surfaces: List[SurfaceInfo]
    """The surfaces that could be seen."""
    warnings: NotRequired[Optional[List[str]]]
    """Which terminals could not be asked, so that surfaces of theirs may be left out."""


class OpenAnswerResults(TypedDict):
    """What became of the items."""
    backend: NotRequired[Optional[BackendId]]
    """The first item's backend."""
    source: NotRequired[Optional[Source]]
    """Why that one."""
    results: List[OpenResult]
    """One for each item, in order."""


class OpenItemResult(TypedDict):
    """What became of one item."""
    type: Literal["result"]
    index: int
    """Its index in `items`."""
    result: OpenResult
    """What became of it."""


class OpenItemGap(TypedDict):
    """Items were left out because the reader was too slow."""
    type: Literal["gap"]
    missed: int
    """How many."""


class OpenItemEnd(TypedDict):
    """Nothing follows."""
    type: Literal["end"]
    reason: str
    """done, unsubscribed, lagged or shutting-down."""


class OpenParams(TypedDict):
    """Parameters of `open`."""
    items: List[Item]
    """What to open."""
    backend: NotRequired[Optional[BackendId]]
    """Absent: as `resolveBackend` with `headless`; with a host: `tmux`."""
    host: NotRequired[Optional[str]]
    """The host of items that name none."""
    packing: NotRequired[Optional[Packing]]
    """Absent: `two-per-tab`."""
    context: NotRequired[Optional[Context]]
    """Where the caller is; absent: what the daemon sees of its process."""
    shell: NotRequired[Optional[str]]
    """The wrapping shell; absent: zsh where it exists, else the login shell."""
    handles: NotRequired[Optional[bool]]
    """`false`: the launch engine's own bare commands. Absent: true."""
    staggerMs: NotRequired[Optional[int]]
    """Milliseconds between items on terminals without ids; absent: 400 there, 0 elsewhere."""
    focus: NotRequired[Optional[bool]]
    """Whether the new surfaces take the focus; absent: true."""
    key: NotRequired[Optional[str]]
    """The same key within ten minutes opens nothing again."""
    dryRun: NotRequired[Optional[bool]]
    """Run every check and answer `{ specs }`."""
    startTimeoutMs: NotRequired[Optional[int]]
    """How long to wait for a surface to be seen, in milliseconds; absent: 5000."""


class OpenResult(TypedDict):
    """What became of one item of `open`."""
    ok: bool
    """Whether it was opened."""
    request: Request
    """What was asked, as planned."""
    started: NotRequired[Optional[Started]]
    """Whether it was seen; absent where it was not opened."""
    surface: NotRequired[Optional[str]]
    """The reference of the new surface, where the terminal tells it."""
    pid: NotRequired[Optional[int]]
    """The process in the surface, where it is known."""
    attach: NotRequired[Optional[str]]
    """The line that shows it, where it did not open in front of the person."""
    warnings: NotRequired[Optional[List[str]]]
    """Where a lesser thing was done."""
    error: NotRequired[Optional[str]]
    """One sentence a person can act on; absent when `ok`."""
    kind: NotRequired[Optional[Kind]]
    """What a program branches on; absent when `ok`."""
    hint: NotRequired[Optional[str]]
    """What the person can do next; absent when `ok`."""


class OpenSubscribeParams(TypedDict):
    """Parameters of `open.subscribe`."""
    items: List[Item]
    """What to open."""
    backend: NotRequired[Optional[BackendId]]
    """Absent: as `resolveBackend` with `headless`; with a host: `tmux`."""
    host: NotRequired[Optional[str]]
    """The host of items that name none."""
    packing: NotRequired[Optional[Packing]]
    """Absent: `two-per-tab`."""
    context: NotRequired[Optional[Context]]
    """Where the caller is; absent: what the daemon sees of its process."""
    shell: NotRequired[Optional[str]]
    """The wrapping shell; absent: zsh where it exists, else the login shell."""
    handles: NotRequired[Optional[bool]]
    """`false`: the launch engine's own bare commands. Absent: true."""
    staggerMs: NotRequired[Optional[int]]
    """Milliseconds between items on terminals without ids; absent: 400 there, 0 elsewhere."""
    focus: NotRequired[Optional[bool]]
    """Whether the new surfaces take the focus; absent: true."""
    key: NotRequired[Optional[str]]
    """The same key within ten minutes opens nothing again."""
    dryRun: NotRequired[Optional[bool]]
    """Run every check and answer `{ specs }`."""
    startTimeoutMs: NotRequired[Optional[int]]
    """How long to wait for a surface to be seen, in milliseconds; absent: 5000."""


class OpenUnsubscribeParams(TypedDict):
    """Parameters of `open.unsubscribe`."""
    subscription: int
    """The subscription."""


class PaneItem(TypedDict):
    """One pane of a tab."""
    command: str
    """The program."""
    args: NotRequired[Optional[List[str]]]
    """Its arguments."""
    env: NotRequired[Optional[Dict[str, str]]]
    """Variables for it."""
    cwd: NotRequired[Optional[str]]
    """The working directory; absent: the caller's."""
    confirm: NotRequired[Optional[Confirm]]
    """A prompt to answer once."""


class PlaceTerminal(TypedDict):
    """In a terminal that the daemon hosts."""
    kind: Literal["terminal"]


class PlaceSurface(TypedDict):
    """In a surface of the person's terminal."""
    kind: Literal["surface"]
    backend: NotRequired[Optional[BackendId]]
    """Absent: as `open` chooses."""
    host: NotRequired[Optional[str]]
    """Absent: this machine."""
    layout: NotRequired[Optional[Layout]]
    """Absent: a tab."""


class PlaceSeat(TypedDict):
    """In a seat."""
    kind: Literal["seat"]
    space: str
    """The space."""


class PlanParams(TypedDict):
    """Parameters of `plan`."""
    items: NotRequired[Optional[List[Item]]]
    """The items to lay out."""
    count: NotRequired[Optional[int]]
    """Or how many."""
    packing: NotRequired[Optional[Packing]]
    """Absent: `two-per-tab`."""
    backend: NotRequired[Optional[BackendId]]
    """The backend of every item; with `host` and without it: `tmux`."""
    host: NotRequired[Optional[str]]
    """The host of items that name none."""


class PlanResult(TypedDict):
    """Result of `plan`."""
    layouts: List[Layout]
    """One for each item, in order."""
    requests: NotRequired[Optional[List[Request]]]
    """The planned items, where items were given and every one's backend is known (a `backend`, or a host)."""


class ProtocolRange(TypedDict):
    """The versions that a client speaks."""
    min: int
    """The lowest."""
    max: int
    """The highest."""


class Provider(TypedDict):
    """A provider as `provider.list` shows it."""
    id: str
    """Its id."""
    label: str
    """Its name for people."""
    command: str
    """Its program."""
    available: bool
    """Whether the program is there and answers."""
    reason: NotRequired[Optional[str]]
    """Why not."""
    version: NotRequired[Optional[str]]
    """Its version, in its own words."""
    capabilities: ProviderCapabilities
    """What it can do."""
    modes: List[str]
    """The ids of its modes."""


class ProviderCapabilities(TypedDict):
    """What a provider's program can do."""
    supportsTerminalMode: bool
    """It has a terminal program of its own."""
    supportsResume: bool
    """It takes up an earlier conversation."""
    supportsModel: bool
    """A model can be named."""
    supportsMode: bool
    """A mode can be named."""
    supportsPrompt: bool
    """It takes a first prompt."""
    supportsSessionId: bool
    """The id of a new conversation can be set beforehand."""


class ProviderCommandParams(TypedDict):
    """Parameters of `provider.command`."""
    provider: str
    """The provider."""
    action: Action
    """Create or resume."""
    config: NotRequired[Optional[AgentConfig]]
    """What it is started with."""
    handle: NotRequired[Optional[Handle]]
    """The conversation to take up."""
    version: NotRequired[Optional[str]]
    """The version that takes it; absent: today's form."""


class ProviderListParams(TypedDict):
    """Parameters of `provider.list`."""


class ProviderListResult(TypedDict):
    """Result of `provider.list`."""
    providers: List[Provider]
    """Built-in ones first, then those of the configuration file."""


class Reaped(TypedDict):
    """Result of `seat.reap`."""
    outcome: Outcome
    """What was found."""
    detail: str
    """One sentence."""


class Request(TypedDict):
    """An item that was planned: with its backend and layout."""
    backend: BackendId
    """The terminal that opens it."""
    layout: Layout
    """Where in it."""
    cwd: NotRequired[Optional[str]]
    """The working directory."""
    command: NotRequired[Optional[List[str]]]
    """The argv."""
    shellCommand: NotRequired[Optional[str]]
    """Or a line for the wrapping shell."""
    env: NotRequired[Optional[Dict[str, str]]]
    """Variables for the command."""
    host: NotRequired[Optional[str]]
    """The host; absent: this machine."""
    target: NotRequired[Optional[str]]
    """The surface to split."""
    agent: NotRequired[Optional[str]]
    """The agent that it runs."""
    sessionId: NotRequired[Optional[str]]
    """The agent's session."""
    title: NotRequired[Optional[str]]
    """The title."""
    onExit: NotRequired[Optional[OnExit]]
    """What becomes of the surface when its command ends; absent: it closes."""


class ResolveBackendParams(TypedDict):
    """Parameters of `resolveBackend`."""
    context: NotRequired[Optional[Context]]
    """Where the caller is; absent: what the daemon sees of its process."""
    sessions: NotRequired[Optional[List[SessionSample]]]
    """Live sessions; absent: none with a pure context, else those of `sessions`."""
    forced: NotRequired[Optional[BackendId]]
    """Use this backend or say why not."""
    headless: NotRequired[Optional[bool]]
    """Fall back to `builtin` instead of to nothing; absent: false."""


class ResolveResult(TypedDict):
    """Result of `resolveBackend`."""
    backend: NotRequired[Optional[BackendId]]
    """`null`: nothing can be driven here."""
    source: NotRequired[Optional[Source]]
    """`null`: nothing can be driven here."""
    host: NotRequired[Optional[str]]
    """The session's host application, where `source` is `active-session`."""
    description: str
    """One line for people, such as `Ghostty (where your ghostty sessions run)`."""
    considered: List[Considered]
    """The candidates in the order they were looked at."""


class ResumeParams(TypedDict):
    """Parameters of `resume`."""
    ids: List[str]
    """Ids of sessions, or beginnings of them that mean one session only, or ids of agents. At least one."""
    backend: NotRequired[Optional[BackendId]]
    """Absent: as `resolveBackend` with `headless`; with a host: `tmux`."""
    on: NotRequired[Optional[str]]
    """The host that the sessions are on; absent: this machine."""
    splits: NotRequired[Optional[bool]]
    """True: two to a tab; absent: a tab each."""
    context: NotRequired[Optional[Context]]
    """Where the caller is; absent: what the daemon sees of its process."""
    dryRun: NotRequired[Optional[bool]]
    """Run every check and answer `{ specs }`."""


class RpcDiscoverParams(TypedDict):
    """Parameters of `rpc.discover`."""


class Seat(TypedDict):
    """A seat as `seat.list` shows it."""
    reference: str
    """Names it in every call."""
    space: str
    """Its space."""
    name: str
    """Its name."""
    session: str
    """The tmux session's name."""
    state: NotRequired[Optional[SeatState]]
    """Whether it runs; absent: that cannot be told now."""
    exitCode: NotRequired[Optional[int]]
    """Its exit status."""
    signal: NotRequired[Optional[str]]
    """The signal that ended it."""
    command: List[str]
    """The argv."""
    cwd: str
    """Where it started."""
    pid: NotRequired[Optional[int]]
    """Its process."""
    startedAt: str
    """When it was spawned, RFC 3339."""
    moved: NotRequired[Optional[bool]]
    """`true`: its pane or its window was moved out of its place. It is shown where it is now, and nothing is done to it: a stop or a
reap is refused until it is moved back."""
    attach: NotRequired[Optional[str]]
    """The line that shows it; absent: it has ended."""
    host: NotRequired[Optional[str]]
    """The host; absent: this machine."""


class SeatCaptureParams(TypedDict):
    """Parameters of `seat.capture`."""
    reference: str
    """The seat."""
    lines: NotRequired[Optional[int]]
    """The last so many lines, scrollback included; absent: what is visible."""


class SeatInterruptParams(TypedDict):
    """Parameters of `seat.interrupt`."""
    reference: str
    """The seat."""


class SeatListParams(TypedDict):
    """Parameters of `seat.list`."""
    space: NotRequired[Optional[str]]
    """Only those of this space."""


class SeatListResult(TypedDict):
    """Result of `seat.list`."""
    seats: List[Seat]
    """In the order in which they were spawned."""


class SeatReapParams(TypedDict):
    """Parameters of `seat.reap`."""
    reference: str
    """The seat."""


class SeatSpawnParams(TypedDict):
    """Parameters of `seat.spawn`."""
    space: str
    """The space, which becomes the tmux session `surfaced-<space>`."""
    name: str
    """The seat's name, which becomes the name of its window."""
    command: str
    """The program."""
    args: NotRequired[Optional[List[str]]]
    """Its arguments."""
    env: NotRequired[Optional[Dict[str, str]]]
    """Variables over the base."""
    exactEnv: NotRequired[Optional[bool]]
    """Of the base keep only TERM, TMUX and `TMUX_PANE`; absent: false."""
    cwd: NotRequired[Optional[str]]
    """The working directory; with `host` absent: the home there. Without `host` it has to be given."""
    exitPhrase: NotRequired[Optional[str]]
    """What a graceful stop types; absent: `/exit`."""
    confirm: NotRequired[Optional[Confirm]]
    """A prompt to answer once."""
    host: NotRequired[Optional[str]]
    """The host; absent: this machine."""


class SeatStatus(TypedDict):
    """Result of `seat.status`."""
    state: SeatState
    """Whether it runs."""
    exitCode: NotRequired[Optional[int]]
    """Its exit status, where it exited and that is known."""
    signal: NotRequired[Optional[str]]
    """The signal that ended it."""


class SeatStatusParams(TypedDict):
    """Parameters of `seat.status`."""
    reference: str
    """The seat."""


class SeatStopParams(TypedDict):
    """Parameters of `seat.stop`."""
    reference: str
    """The seat."""
    graceful: NotRequired[Optional[bool]]
    """Type the exit phrase first; absent: true."""
    graceMs: NotRequired[Optional[int]]
    """Milliseconds for the program to end by itself; absent: 1500."""
    timeoutMs: NotRequired[Optional[int]]
    """Milliseconds for all of it, from the call; absent: 8000."""


class SeatWaitParams(TypedDict):
    """Parameters of `seat.wait`."""
    reference: str
    """The seat."""
    timeoutMs: NotRequired[Optional[int]]
    """Milliseconds; absent: 8000."""


class Session(TypedDict):
    """A live agent, or a session on disk."""
    pid: NotRequired[Optional[int]]
    """The agent's process; absent for a session on disk."""
    kind: str
    """The provider, such as `claude`."""
    host: NotRequired[Optional[str]]
    """The application that hosts it."""
    viewingApp: NotRequired[Optional[str]]
    """The application in which the tmux client that shows it was last active."""
    viewers: NotRequired[Optional[List[str]]]
    """All applications that show it, most recently active first."""
    cwd: NotRequired[Optional[str]]
    """Its working directory."""
    tty: NotRequired[Optional[str]]
    """Its terminal device."""
    tmux: NotRequired[Optional[TmuxPlace]]
    """Its tmux pane."""
    sessionId: NotRequired[Optional[str]]
    """The provider's id of the conversation, where it is known."""
    startedAtMs: NotRequired[Optional[int]]
    """Milliseconds since 1970."""
    title: NotRequired[Optional[str]]
    """What its conversation is about: its title or the beginning of its first prompt. Of sessions on disk."""
    version: NotRequired[Optional[str]]
    """The version of the program that wrote it last. Of sessions on disk."""
    lastActivityMs: NotRequired[Optional[int]]
    """Milliseconds since 1970; from the terminal device and tmux, and of a session on disk from its file."""
    surface: NotRequired[Optional[str]]
    """Its surface, where it can be driven."""
    machine: NotRequired[Optional[str]]
    """The host it runs on; absent: this machine."""


class SessionSample(TypedDict):
    """What is read of a session that a caller gives: the rest is ignored, since callers pass their own records."""
    host: NotRequired[Optional[str]]
    """The application that hosts it."""
    viewingApp: NotRequired[Optional[str]]
    """The application that shows it, which outranks `host`."""
    lastActivityMs: NotRequired[Optional[float]]
    """When something last happened in it, milliseconds since 1970."""
    startedAtMs: NotRequired[Optional[float]]
    """When it started, milliseconds since 1970."""


class SessionsParams(TypedDict):
    """Parameters of `sessions`."""
    includeFiles: NotRequired[Optional[bool]]
    """Add the sessions on disk; absent: false."""
    on: NotRequired[Optional[str]]
    """Those of a host."""


class SessionsResult(TypedDict):
    """Result of `sessions`."""
    sessions: List[Session]
    """Those that run, most recently active first; then those on disk, newest first, without those that run."""
    warnings: NotRequired[Optional[List[str]]]
    """What could not be looked at, a sentence each; absent: nothing was left out."""


class Slot(TypedDict):
    """A place in a `Spec` whose text is known only while opening."""
    at: SlotAt
    """The index of the word in `argv`, or the name of the variable in `env`."""
    text: str
    """The text that stands there: `{surface:N}`, `{script}`, `{session}` or `{payload}`."""


class Spawned(TypedDict):
    """Result of `seat.spawn`."""
    reference: str
    """Names the seat in every later call, also to another daemon."""
    session: str
    """The tmux session's name."""
    windowId: str
    """`@N`."""
    paneId: str
    """`%N`."""
    attach: str
    """The line that shows it."""


class Spec(TypedDict):
    """The exact command that opens a surface."""
    argv: List[str]
    """The words; empty for `builtin`."""
    env: NotRequired[Optional[Dict[str, str]]]
    """Variables of the terminal's own command (not of the program in the surface)."""
    stdin: NotRequired[Optional[str]]
    """Bytes for its standard input."""
    script: NotRequired[Optional[str]]
    """The text of the launch script, whose path goes where `{script}` stands."""
    slots: NotRequired[Optional[List[Slot]]]
    """What is known only while opening."""
    payload: NotRequired[Any]
    """An editor's JSON, which goes where `{payload}` stands, encoded last."""
    before: NotRequired[Optional[List[List[str]]]]
    """Earlier steps of terminals that need a conversation."""
    otherwise: NotRequired[Optional[List[str]]]
    """The argv to use where no server runs."""
    request: Request
    """What it opens."""
    transport: Transport
    """How it is run."""
    display: str
    """A line to read and paste; no values of `env`."""


class SpecShown(TypedDict):
    """The command that a `dryRun` shows."""
    spec: SurfaceSpec
    """As `build` shows it."""


class Split(TypedDict):
    """How the panes of a tab share it."""
    direction: Direction
    """Side by side or stacked."""
    ratio: NotRequired[Optional[float]]
    """The part of the first pane, between 0 and 1; absent: equal parts."""


class StatusResult(TypedDict):
    """Result of `daemon.status`."""
    version: str
    """The program's version."""
    protocol: int
    """The protocol's version."""
    pid: int
    """Its process."""
    instanceId: str
    """New at each start."""
    socket: str
    """The path of its socket."""
    home: str
    """Its home directory."""
    log: str
    """Its log."""
    state: State
    """Whether it takes new work."""
    uptimeMs: int
    """How long it runs."""
    startedAt: str
    """When it started, RFC 3339."""
    connections: int
    """Connections now."""
    inFlight: int
    """Requests that run now, this one not counted."""
    subscriptions: int
    """Subscriptions now."""
    configuration: ConfigurationStatus
    """The configuration file."""


class Stopped(TypedDict):
    """Result of `seat.stop`."""
    state: SeatState
    """`exited`, or `gone` where it was not there any more."""


class Subscribed(TypedDict):
    """The first answer of a subscribing method."""
    subscription: int
    """Names the subscription in its items and when it is ended."""


class SurfaceCaptureParams(TypedDict):
    """Parameters of `surface.capture`."""
    surface: str
    """The surface to read."""
    lines: NotRequired[Optional[int]]
    """The last so many lines, scrollback included; absent: what is visible."""
    dryRun: NotRequired[Optional[bool]]
    """Only show the command."""


class SurfaceCloseParams(TypedDict):
    """Parameters of `surface.close`."""
    surface: str
    """The surface."""
    dryRun: NotRequired[Optional[bool]]
    """Only show the command."""


class SurfaceFocusParams(TypedDict):
    """Parameters of `surface.focus`."""
    surface: str
    """The surface."""
    dryRun: NotRequired[Optional[bool]]
    """Only show the command."""


class SurfaceInfo(TypedDict):
    """A surface that exists now."""
    surface: str
    """Its reference."""
    backend: BackendId
    """Its terminal."""
    title: NotRequired[Optional[str]]
    """Its title."""
    cwd: NotRequired[Optional[str]]
    """The working directory of what runs in it."""
    command: NotRequired[Optional[str]]
    """What runs in it."""
    active: NotRequired[Optional[bool]]
    """Whether it has the focus of its terminal."""
    exit: NotRequired[Optional[Exit]]
    """How its program ended, where it has and the terminal keeps the surface; absent: it runs, as far as is known."""


class SurfaceInjectParams(TypedDict):
    """Parameters of `surface.inject`."""
    surface: str
    """The surface that gets the text."""
    text: str
    """Literal text: `Enter` is five letters."""
    enter: NotRequired[Optional[bool]]
    """Press Enter after it; absent: true."""
    combined: NotRequired[Optional[bool]]
    """Text and Enter in one write; absent: false."""
    dryRun: NotRequired[Optional[bool]]
    """Only show the command."""


class SurfaceKeysParams(TypedDict):
    """Parameters of `surface.keys`."""
    surface: str
    """The surface that gets the keys."""
    keys: List[str]
    """tmux's names: `Enter`, `Escape`, `C-c`, `M-x`, `Up`, `F1`, single characters."""
    dryRun: NotRequired[Optional[bool]]
    """Only show the command."""


class SurfaceListParams(TypedDict):
    """Parameters of `surface.list`."""
    backend: NotRequired[Optional[BackendId]]
    """Only of this backend."""
    host: NotRequired[Optional[str]]
    """Those of a host."""


class SurfaceSpec(TypedDict):
    """The exact command of one `surface.*` call."""
    argv: List[str]
    """The words."""
    stdin: NotRequired[Optional[str]]
    """Bytes for its standard input."""
    then: NotRequired[Optional[List[List[str]]]]
    """Later steps."""
    transport: Transport
    """How it is run."""
    display: str
    """A line to read and paste."""


class SurfaceWaitParams(TypedDict):
    """Parameters of `surface.wait`."""
    surface: str
    """The surface."""
    timeoutMs: NotRequired[Optional[int]]
    """Milliseconds; absent: as long as it takes."""
    dryRun: NotRequired[Optional[bool]]
    """Only show the command."""


class TabItem(TypedDict):
    """The panes of a tab."""
    panes: List[PaneItem]
    """At least one."""
    split: NotRequired[Optional[Split]]
    """How they share it; absent: side by side in equal parts."""


class Terminal(TypedDict):
    """A hosted terminal."""
    id: str
    """Its id."""
    name: str
    """Its name."""
    cwd: str
    """The working directory: the program's own word (OSC 7), else where it started."""
    title: str
    """The title."""
    command: List[str]
    """The argv."""
    rows: int
    """Rows."""
    cols: int
    """Columns."""
    pid: NotRequired[Optional[int]]
    """The program's process."""
    state: TerminalState
    """Whether the program runs."""
    exit: NotRequired[Optional[Exit]]
    """How it ended."""
    reason: NotRequired[Optional[str]]
    """Why it cannot be reached, or why its end is not known: the process that hosted it was ended."""
    waitingForInput: NotRequired[Optional[bool]]
    """Whether it seems to wait for a person; absent where that cannot be told."""
    lastOutputLines: NotRequired[Optional[List[str]]]
    """The last 12 lines, after the exit."""
    agentId: NotRequired[Optional[str]]
    """The terminal agent that it is for."""
    attach: str
    """The line that shows it."""
    createdAt: str
    """When it was made, RFC 3339."""


class TerminalAttachParams(TypedDict):
    """Parameters of `terminal.attach`."""
    id: str
    """The terminal."""
    replay: NotRequired[Optional[bool]]
    """Begin with a snapshot; absent: true."""
    interactive: NotRequired[Optional[bool]]
    """A person types here: with a size it resizes the terminal; absent: false."""
    rows: NotRequired[Optional[int]]
    """The viewer's rows; only together with `cols`."""
    cols: NotRequired[Optional[int]]
    """The viewer's columns; only together with `rows`."""


class TerminalCaptureParams(TypedDict):
    """Parameters of `terminal.capture`."""
    id: str
    """The terminal."""
    start: NotRequired[Optional[int]]
    """The first line, from 0, the oldest kept; negative: from the end. Absent: 0."""
    end: NotRequired[Optional[int]]
    """The line after the last; negative: from the end. Absent: all."""
    stripAnsi: NotRequired[Optional[bool]]
    """Plain text; absent: true."""


class TerminalCaptureResult(TypedDict):
    """Result of `terminal.capture`."""
    lines: List[str]
    """The lines, without newlines."""
    totalLines: int
    """How many are kept."""


class TerminalCommand(TypedDict):
    """Result of `provider.command`."""
    command: str
    """The program."""
    args: List[str]
    """Its arguments."""
    env: Dict[str, str]
    """Variables for it."""


class TerminalCreateParams(TypedDict):
    """Parameters of `terminal.create`."""
    cwd: NotRequired[Optional[str]]
    """Absent: the caller's, else home."""
    command: NotRequired[Optional[str]]
    """The program; absent: the login shell."""
    args: NotRequired[Optional[List[str]]]
    """Its arguments."""
    shell: NotRequired[Optional[str]]
    """The shell to run where there is no command; absent: the login shell."""
    env: NotRequired[Optional[Dict[str, str]]]
    """Variables over the daemon's allow-list."""
    rows: NotRequired[Optional[int]]
    """Absent: 24."""
    cols: NotRequired[Optional[int]]
    """Absent: 80."""
    name: NotRequired[Optional[str]]
    """A name for people, of 1 to 200 characters of which none is a control character; absent: the program's."""
    title: NotRequired[Optional[str]]
    """The title until the program sets one: at most 1000 characters, none of them a control character."""
    agentId: NotRequired[Optional[str]]
    """A terminal agent: answers the terminal that it lives in, or opens it in a new one, as `agent.open` does. Its own
command, directory and variables hold."""


class TerminalDetachParams(TypedDict):
    """Parameters of `terminal.detach`."""
    subscription: int
    """The subscription."""


class TerminalGetParams(TypedDict):
    """Parameters of `terminal.get`."""
    id: str
    """The terminal."""


class TerminalInputParams(TypedDict):
    """Parameters of `terminal.input`."""
    id: str
    """The terminal."""
    data: NotRequired[Optional[str]]
    """Text, sent as UTF-8. NUL is allowed here: it is a key."""
    dataBase64: NotRequired[Optional[str]]
    """Bytes."""


class TerminalKillParams(TypedDict):
    """Parameters of `terminal.kill`."""
    id: str
    """The terminal."""
    gracefulTimeoutMs: NotRequired[Optional[int]]
    """Milliseconds between hang-up and kill; absent: 2000."""
    forceTimeoutMs: NotRequired[Optional[int]]
    """Milliseconds to wait after the kill; absent: 2000."""


class TerminalListParams(TypedDict):
    """Parameters of `terminal.list`."""
    cwd: NotRequired[Optional[str]]
    """Only those of this directory."""


class TerminalListResult(TypedDict):
    """Result of `terminal.list`."""
    terminals: List[Terminal]
    """In the order in which they were made."""


class TerminalRemoveParams(TypedDict):
    """Parameters of `terminal.remove`."""
    id: str
    """The terminal."""


class TerminalResizeParams(TypedDict):
    """Parameters of `terminal.resize`."""
    id: str
    """The terminal."""
    rows: int
    """1 to 1000."""
    cols: int
    """1 to 1000."""


class TerminalSnapshotParams(TypedDict):
    """Parameters of `terminal.snapshot`."""
    id: str
    """The terminal."""


class TerminalWaitParams(TypedDict):
    """Parameters of `terminal.wait`."""
    id: str
    """The terminal."""
    timeoutMs: NotRequired[Optional[int]]
    """Milliseconds; absent: as long as it takes."""


class Text(TypedDict):
    """Result of `surface.capture`."""
    text: str
    """Lines that end in a newline, blanks at their ends removed."""


class TmuxPlace(TypedDict):
    """The tmux pane that a session runs in."""
    socket: str
    """Path of the server's socket."""
    session: str
    """The session's name."""
    window: str
    """`@N`."""
    pane: str
    """`%N`."""


class TransportLocal(TypedDict):
    """Run on this machine."""
    kind: Literal["local"]


class TransportSsh(TypedDict):
    """Run on a host."""
    kind: Literal["ssh"]
    host: str
    """The host."""
    command: str
    """The argv as one POSIX line, for people."""


class TransportBuiltin(TypedDict):
    """The daemon hosts it itself."""
    kind: Literal["builtin"]


class Writes(TypedDict):
    """Result of `surface.inject`."""
    writes: int
    """How many writes were made."""

#: Whether a conversation is begun or taken up.
Action: TypeAlias = Literal["create", "resume"]

#: An item of `terminal.attach`. The stream may also carry `gap` and ends with `end`, as every stream.
AttachItem: TypeAlias = Union["AttachItemSnapshot", "AttachItemOutput", "AttachItemTitle", "AttachItemResized", "AttachItemExit", "AttachItemGap", "AttachItemEnd"]

#: The name of a backend: one of the built-in ones or of the configuration file's.
BackendId: TypeAlias = str

#: Where a backend's definition comes from.
BackendSource: TypeAlias = Union[Literal["built-in", "config"], str]

#: The direction of a split: `vertical` is side by side, `horizontal` stacked.
Direction: TypeAlias = Literal["vertical", "horizontal"]

#: Something that happened.
EventItem: TypeAlias = Union["EventItemEvent", "EventItemGap", "EventItemEnd"]

#: What went wrong, as a word that a program can branch on (`data.kind` on the wire, kebab-case).
Kind: TypeAlias = Union[Literal["parse-error", "invalid-request", "method-not-found", "invalid-params", "internal", "message-too-large", "reply-too-large", "busy", "batch-too-large", "shutting-down", "protocol-mismatch", "cancelled", "backend-unknown", "backend-unavailable", "target-gone", "not-supported", "permission", "not-found", "conflict", "timeout", "host-invalid", "host-unreachable", "host-key", "host-auth", "host-tool-missing", "cwd-missing", "program-missing", "spawn-failed", "seat-refused", "state-unknown", "terminal-agent"], str]

#: How a surface is placed.
Layout: TypeAlias = Literal["tab", "split-right", "split-down", "window"]

#: What an agent does.
Lifecycle: TypeAlias = Union[Literal["idle", "running", "closed", "interrupted", "failed"], str]

#: What becomes of a surface when its command ends.
OnExit: TypeAlias = Literal["close", "hold", "hold-on-failure"]

#: Result of `open`; with `dryRun` it is a `BuildResult`.
OpenAnswer: TypeAlias = Union["BuildResult", "OpenAnswerResults"]

#: An item of `open.subscribe`.
OpenItem: TypeAlias = Union["OpenItemResult", "OpenItemGap", "OpenItemEnd"]

#: What a reap found.
Outcome: TypeAlias = Union[Literal["absent", "reaped"], str]

#: How a batch is laid out.
Packing: TypeAlias = Literal["two-per-tab", "tabs"]

#: Where an agent lives.
Place: TypeAlias = Union["PlaceTerminal", "PlaceSurface", "PlaceSeat"]

#: A family of operating systems.
Platform: TypeAlias = Literal["darwin", "linux"]

#: Whether a seat's program runs.
SeatState: TypeAlias = Union[Literal["running", "exited", "gone"], str]

#: How to shut down.
ShutdownMode: TypeAlias = Literal["drain", "now"]

#: Where a slot is.
SlotAt: TypeAlias = Union[int, str]

#: Why a backend was chosen.
Source: TypeAlias = Union[Literal["forced", "current-terminal", "active-session", "available", "remote-default", "headless"], str]

#: Whether a new surface was seen.
Started: TypeAlias = Union[Literal["seen", "unconfirmed"], str]

#: Whether the daemon takes new work.
State: TypeAlias = Union[Literal["ready", "draining"], str]

#: Result of `surface.capture`; with `dryRun` the command.
SurfaceCaptureResult: TypeAlias = Union["SpecShown", "Text"]

#: Result of `surface.close`; with `dryRun` the command.
SurfaceCloseResult: TypeAlias = Union["SpecShown", "Empty"]

#: Result of `surface.focus`; with `dryRun` the command.
SurfaceFocusResult: TypeAlias = Union["SpecShown", "Empty"]

#: Result of `surface.inject`; with `dryRun` the command.
SurfaceInjectResult: TypeAlias = Union["SpecShown", "Writes"]

#: Result of `surface.keys`; with `dryRun` the command.
SurfaceKeysResult: TypeAlias = Union["SpecShown", "Empty"]

#: Result of `surface.wait`; with `dryRun` the command.
SurfaceWaitResult: TypeAlias = Union["SpecShown", "Exit"]

#: Whether the program runs.
TerminalState: TypeAlias = Union[Literal["running", "exited"], str]

#: How a `Spec` reaches the terminal.
Transport: TypeAlias = Union["TransportLocal", "TransportSsh", "TransportBuiltin"]

#: The JSON-RPC code that goes with each kind.
KIND_CODES: Dict[str, int] = {
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
}
