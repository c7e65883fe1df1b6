//! Pure: the programs of terminal agents. What each is called, the exact commands that create and resume, and how its
//! words and files are read; the looking itself is done by services.

mod aider;
mod amp;
mod claude;
mod cli;
mod codex;
mod copilot;
mod cursor_agent;
mod described;
mod droid;
mod gemini;
mod goose;
mod opencode;
mod process;
mod registry;
pub mod transcript;
mod version;

pub use registry::{Provider, Providers};
pub use version::Version;
