//! `daemon.*`, `rpc.discover`, `$/cancelRequest` and the subscriptions' envelope: the part of the protocol that never changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::Failure;
use super::method::{Empty, Example, Method};
use super::text::Word;

/// The protocol's version. A higher one replaces a running daemon by a drain.
pub const PROTOCOL: u32 = 1;

/// The versions that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a range, which is an object with min and max"
)]
pub struct ProtocolRange {
    /// The lowest.
    pub min: u32,
    /// The highest.
    pub max: u32,
}

/// Parameters of `daemon.hello`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct HelloParams {
    /// Who is calling, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Word>,
    /// What it speaks; a range without the daemon's version is `protocol-mismatch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolRange>,
}

/// Whether the daemon takes new work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It does.
    Ready,
    /// It finishes what runs and then ends.
    Draining,
}

/// The limits in force. Each is refused with an error, never with silence or growth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    default,
    deny_unknown_fields,
    expecting = "a table of limits"
)]
pub struct Limits {
    /// Bytes of one message.
    pub message_bytes: usize,
    /// Bytes of one reply.
    pub reply_bytes: usize,
    /// Levels of arrays and objects in one message.
    pub nesting: usize,
    /// Connections at a time.
    pub connections: usize,
    /// Requests at a time on one connection; over it the daemon stops reading that connection.
    pub in_flight: usize,
    /// Subscriptions and waits at a time on one connection.
    pub subscriptions: usize,
    /// Requests in one batch.
    pub batch: usize,
    /// Bytes of replies that a connection has not read.
    pub unread_bytes: usize,
    /// How long a reader may make no progress while it is over `unreadBytes`.
    pub stalled_ms: u64,
    /// How long half a message may wait when connections are short.
    pub half_sent_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            reply_bytes: 16 << 20,
            nesting: 128,
            connections: 512,
            in_flight: 64,
            subscriptions: 128,
            batch: 100,
            unread_bytes: 16 << 20,
            stalled_ms: 10_000,
            half_sent_ms: 30_000,
        }
    }
}

/// Result of `daemon.hello`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloResult {
    /// The protocol's version.
    pub protocol: u32,
    /// Program and version, such as `surfaced 0.1.0`.
    pub server: String,
    /// The names of the methods that it has.
    pub capabilities: Vec<String>,
    /// The limits in force.
    pub limits: Limits,
    /// The path of its socket.
    pub socket: String,
    /// Whether it takes new work.
    pub state: State,
}

/// What became of the configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationStatus {
    /// The file that is read.
    pub path: String,
    /// Whether it exists.
    pub exists: bool,
    /// Why it is not in force; the last good one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Result of `daemon.status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// The program's version.
    pub version: String,
    /// The protocol's version.
    pub protocol: u32,
    /// Its process.
    pub pid: u32,
    /// New at each start.
    pub instance_id: String,
    /// The path of its socket.
    pub socket: String,
    /// Its home directory.
    pub home: String,
    /// Its log.
    pub log: String,
    /// Whether it takes new work.
    pub state: State,
    /// How long it runs.
    pub uptime_ms: u64,
    /// When it started, RFC 3339.
    pub started_at: String,
    /// Connections now.
    pub connections: usize,
    /// Requests that run now, this one not counted.
    pub in_flight: usize,
    /// Subscriptions now.
    pub subscriptions: usize,
    /// The configuration file.
    pub configuration: ConfigurationStatus,
}

/// How to shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShutdownMode {
    /// What runs has five seconds.
    Drain,
    /// What runs is cancelled.
    Now,
}

/// Parameters of `daemon.shutdown`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct ShutdownParams {
    /// Absent: `drain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ShutdownMode>,
}

/// No parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "no parameters")]
pub struct NoParams {}

/// `daemon.hello`.
pub enum Hello {}

impl Method for Hello {
    const NAME: &'static str = "daemon.hello";
    const SUMMARY: &'static str = "Who answers, what it speaks and its limits. Proof of life.";
    type Params = HelloParams;
    type Result = HelloResult;

    fn check(params: &HelloParams) -> Result<(), Failure> {
        match params.protocol {
            Some(range) if range.min > range.max => Err(Failure::params(
                "protocol",
                format!(
                    "protocol.min is {} and protocol.max {}: a range begins with its lowest",
                    range.min, range.max
                ),
            )),
            _ => Ok(()),
        }
    }

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "a client of this version",
            params: json!({ "client": "example", "protocol": { "min": 1, "max": 1 } }),
            result: None,
        }]
    }
}

/// `daemon.status`.
pub enum Status {}

impl Method for Status {
    const NAME: &'static str = "daemon.status";
    const SUMMARY: &'static str = "What the daemon does now.";
    type Params = NoParams;
    type Result = StatusResult;

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "status",
            params: json!({}),
            result: None,
        }]
    }
}

/// `daemon.shutdown`.
pub enum Shutdown {}

impl Method for Shutdown {
    const NAME: &'static str = "daemon.shutdown";
    const SUMMARY: &'static str =
        "Ends the daemon; terminals and seats live on. The reply comes first.";
    type Params = ShutdownParams;
    type Result = Empty;
}

/// `rpc.discover`.
pub enum Discover {}

impl Method for Discover {
    const NAME: &'static str = "rpc.discover";
    const SUMMARY: &'static str = "This document.";
    type Params = NoParams;
    type Result = Value;
}

/// The first answer of a subscribing method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subscribed {
    /// Names the subscription in its items and when it is ended.
    pub subscription: u64,
}

/// Parameters of the methods that end a subscription; `[id]` works too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "parameters by name")]
pub struct UnsubscribeParams {
    /// The subscription.
    pub subscription: u64,
}

/// Why a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// It is complete.
    Done,
    /// The caller asked.
    Unsubscribed,
    /// The caller did not read.
    Lagged,
    /// The daemon ends.
    ShuttingDown,
}
