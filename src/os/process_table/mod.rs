//! The processes of this machine: who runs what, under whom, since when. Read lazily, a file at a time.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod process;
mod ps;
mod snapshot;
mod table;

pub use process::Process;
pub use snapshot::Snapshot;
pub use table::ProcessTable;
