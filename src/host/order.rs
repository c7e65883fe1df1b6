//! What a host is told when it is started, and what it says once it runs.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::proto::Kind;

/// The order, a line of JSON on the host's standard input: the environment may hold secrets, which show neither in an argv
/// nor in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The terminal as it is written down first.
    pub record: Record,
    /// The directory of the records.
    pub dir: PathBuf,
    /// Where the host listens.
    pub socket: PathBuf,
    /// The argv; the first word is looked for on the PATH of `env`.
    pub argv: Vec<String>,
    /// Run it as a login shell: its name begins with `-`.
    pub login: bool,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// How many rows are kept that scrolled away.
    pub scrollback: usize,
}

/// The answer, a line of JSON on the host's standard output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Started {
    /// The program runs.
    Ok {
        /// Its process.
        pid: u32,
    },
    /// Nothing runs, and nothing is left.
    Failed {
        /// What programs read.
        kind: Kind,
        /// What people read.
        message: String,
        /// What the person can do.
        hint: Option<String>,
    },
}
