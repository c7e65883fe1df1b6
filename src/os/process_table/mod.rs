//! The processes of this machine: who runs what, under whom, since when. Read lazily, a file at a time.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod process;
#[cfg(any(target_os = "macos", test))]
mod ps;
mod table;

pub use process::Process;
pub use table::ProcessTable;
