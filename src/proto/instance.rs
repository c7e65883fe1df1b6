//! `daemon.json`: what the running daemon writes about itself, for clients in any language.

use serde::{Deserialize, Serialize};

/// The contents of `daemon.json`. A newer daemon may write more; proof that it lives is an answered `daemon.hello` only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// The path of its socket.
    pub socket: String,
    /// Its process.
    pub pid: u32,
    /// New at each start.
    pub instance_id: String,
    /// The protocol's version.
    pub protocol: u32,
    /// The program's version.
    pub version: String,
    /// When it started, RFC 3339.
    pub started_at: String,
}
