//! Errors as the wire shows them: a `kind` that programs branch on, apart from the text that people read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::text::sentence;

/// What went wrong, as a word that a program can branch on (`data.kind` on the wire, kebab-case).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The bytes are not JSON.
    ParseError,
    /// JSON, but not a JSON-RPC 2.0 request.
    InvalidRequest,
    /// No method has this name.
    MethodNotFound,
    /// The method exists; its parameters are wrong.
    InvalidParams,
    /// A bug of the daemon; its log has more.
    Internal,
    /// A message is over the limit; it was skipped.
    MessageTooLarge,
    /// The answer is over the limit; the work was done.
    ReplyTooLarge,
    /// A limit on simultaneous work is reached.
    Busy,
    /// A batch holds more requests than allowed.
    BatchTooLarge,
    /// The daemon takes no new work any more.
    ShuttingDown,
    /// Caller and daemon have no protocol version in common.
    ProtocolMismatch,
    /// The caller cancelled the request.
    Cancelled,
    /// No backend of this name exists (in the results of `open`).
    BackendUnknown,
    /// The backend exists and cannot be driven here.
    BackendUnavailable,
    /// The surface that was named is gone.
    TargetGone,
    /// The terminal cannot do this.
    NotSupported,
    /// The system refused access.
    Permission,
    /// Nothing has this id.
    NotFound,
    /// The name or key is taken, or the thing is in another state than the call needs.
    Conflict,
    /// It did not happen in time.
    Timeout,
    /// Not a host name that may be handed to ssh.
    HostInvalid,
    /// The host does not answer.
    HostUnreachable,
    /// The host's key is unknown, changed or revoked.
    HostKey,
    /// The host refuses the login.
    HostAuth,
    /// A program that is needed is missing on the host.
    HostToolMissing,
    /// The working directory is missing or unusable.
    CwdMissing,
    /// The program to run is missing.
    ProgramMissing,
    /// Starting a process failed.
    SpawnFailed,
    /// The seat was refused and nothing was started.
    SeatRefused,
    /// What became of it cannot be known.
    StateUnknown,
    /// Terminal agents take no messages.
    TerminalAgent,
}

impl Kind {
    /// The JSON-RPC error code that goes with this kind.
    ///
    /// A bad host in the parameters of a method is the one exception: [`Failure::bad_host`] sends `host-invalid`
    /// with -32602.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::MessageTooLarge => -32007,
            Self::ReplyTooLarge => -32008,
            Self::Busy => -32009,
            Self::BatchTooLarge => -32010,
            Self::ShuttingDown => -32012,
            Self::ProtocolMismatch => -32013,
            Self::Cancelled => -32800,
            _ => -32020,
        }
    }
}

/// `data` of every error on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// What a program branches on.
    pub kind: Kind,
    /// What the person can do next, one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Which parameter is meant, such as `items[2].cwd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// More facts, in a shape that depends on the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
}

/// A failure on its way to the caller: of a whole method, or of one item of `open`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The JSON-RPC error code.
    pub code: i32,
    /// One sentence without a full stop that names the operation and its object.
    pub message: String,
    /// What programs read.
    pub data: Box<ErrorData>,
}

impl Failure {
    /// A failure of this kind with the code that goes with it.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            code: kind.code(),
            message: sentence(message.into()),
            data: Box::new(ErrorData {
                kind,
                hint: None,
                path: None,
                detail: None,
            }),
        }
    }

    /// Parameters that are wrong at `path` (empty: as a whole).
    pub fn params(path: impl Into<String>, message: impl Into<String>) -> Self {
        let path = path.into();
        let mut failure = Self::new(Kind::InvalidParams, message);
        failure.data.path = (!path.is_empty()).then_some(path);
        failure
    }

    /// A host that may not be handed to ssh, in a method that refuses the whole call for it: -32602, `host-invalid`.
    pub fn bad_host(path: impl Into<String>, message: impl Into<String>) -> Self {
        let mut failure = Self::params(path, message);
        failure.data.kind = Kind::HostInvalid;
        failure.hint("name a host of the ssh configuration; `surfaced hosts` lists them")
    }

    /// The same failure, with what the person can do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.data.hint = Some(sentence(hint.into()));
        self
    }

    /// The same failure, with more facts for programs.
    #[must_use]
    pub fn detail(mut self, detail: Value) -> Self {
        self.data.detail = Some(detail);
        self
    }

    /// The same failure, about this parameter.
    #[must_use]
    pub fn about(mut self, path: impl Into<String>) -> Self {
        self.data.path = Some(path.into());
        self
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.data.kind
    }
}
