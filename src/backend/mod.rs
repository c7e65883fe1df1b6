//! Pure: one file for each terminal. A backend turns a job into the exact command that opens a surface, and reads what
//! the terminal answers.

mod applescript;
pub mod batch;
pub mod builtin;
pub mod draft;
pub mod editor;
pub mod facts;
pub mod ghostty;
pub mod iterm;
pub mod job;
mod keys;
mod lines;
pub mod registry;
pub mod sequence;
pub mod template;
pub mod terminal_app;
pub mod tmux;

pub use draft::Draft;
pub use facts::{Availability, Facts, Found, Need};
pub use job::{Anchor, Job};
pub use registry::{Registry, addable};

use crate::launch::step::{BoxedConversation, Invocation};
use crate::proto::resolve::{BackendSource, Capabilities};
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{Failure, Kind, SurfaceRef};

/// A terminal that surfaces can be opened in. Everything here is a function of its arguments.
pub trait Backend: Send + Sync {
    /// Its id in the protocol.
    fn id(&self) -> &str;

    /// Its name for people.
    fn label(&self) -> &str;

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Where its definition comes from.
    fn source(&self) -> BackendSource {
        BackendSource::BuiltIn
    }

    /// What has to be looked for on the machine before [`Backend::availability`] can be asked.
    fn needs(&self) -> Vec<Need>;

    /// Whether it can be driven, given what was found.
    fn availability(&self, facts: &Facts) -> Availability;

    /// Whether the variables of a caller say exactly which surface of this terminal it runs in, so that a split can go
    /// beside it.
    fn knows_caller(&self, job: &Job) -> bool;

    /// The command that opens the surface. What is not known yet stands in it as slots.
    ///
    /// # Errors
    /// The request asks for what this terminal cannot do in any form.
    fn build(&self, job: &Job) -> Result<Draft, Failure>;

    /// Opens the surface. The job's anchor is no [`Anchor::Earlier`] any more, and its script is written where
    /// [`Backend::build`] asked for one.
    ///
    /// # Errors
    /// As `build`.
    fn open(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure>;

    /// Whether the surface can be opened in one command with others ([`Backend::open_together`]).
    fn joins(&self, _job: &Job) -> bool {
        false
    }

    /// Opens surfaces that all can be joined, in order and with one command. `None`: these cannot, after all.
    fn open_together(&self, _jobs: &[Job]) -> Option<BoxedConversation<Together>> {
        None
    }

    /// The commands of one verb on one surface, in the order they are run.
    ///
    /// # Errors
    /// `not-supported`, with the reason.
    fn steps(&self, surface: &SurfaceRef, act: &Act) -> Result<Vec<Invocation>, Failure>;

    /// Does a verb on one surface.
    ///
    /// # Errors
    /// As `steps`.
    fn act(&self, surface: &SurfaceRef, act: &Act) -> Result<BoxedConversation<Done>, Failure>;

    /// Lists its surfaces; on the server of the caller where the terminal has several.
    ///
    /// # Errors
    /// `not-supported`, with the reason.
    fn list(&self) -> Result<BoxedConversation<Vec<SurfaceInfo>>, Failure>;
}

/// What the terminal said of a new surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Its reference, where the terminal tells it.
    pub surface: Option<SurfaceRef>,
    /// The process in it, where the terminal tells it.
    pub pid: Option<u32>,
    /// The line that shows it, where nobody looks at it.
    pub attach: Option<String>,
    /// Where further tabs of the batch go, in the terminal's own words ([`Job::session`]).
    pub session: Option<String>,
    /// Lesser things that were done, which could only be seen while opening.
    pub warnings: Vec<String>,
}

/// What became of surfaces that were opened with one command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// Of the first so many, in order.
    pub opened: Vec<Opened>,
    /// What is true of all the others; absent: nothing was done for them, and each can be opened by itself.
    pub rest: Option<Failure>,
}

/// A verb on a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Types literal text.
    Inject {
        /// The text.
        text: String,
        /// Whether Enter follows.
        enter: bool,
        /// Whether text and Enter go as one write.
        combined: bool,
    },
    /// Presses keys by tmux's names.
    Keys(Vec<String>),
    /// Reads the screen, or the last so many lines.
    Capture(Option<u32>),
    /// Brings it to the front.
    Focus,
    /// Closes it.
    Close,
}

impl Act {
    /// What it is called in a sentence.
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Inject { .. } => "type into",
            Self::Keys(_) => "press keys in",
            Self::Capture(_) => "read",
            Self::Focus => "focus",
            Self::Close => "close",
        }
    }
}

/// What a verb resulted in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It was done.
    Nothing,
    /// Text was typed in so many writes.
    Writes(u32),
    /// The text that was read.
    Text(String),
}

/// A verb that the terminal does not have.
#[must_use]
pub fn not_supported(label: &str, act: &Act, why: &str) -> Failure {
    Failure::new(
        Kind::NotSupported,
        format!("{label} cannot {} a surface: {why}", act.verb()),
    )
}

/// A surface that is gone.
#[must_use]
pub fn target_gone(surface: &SurfaceRef) -> Failure {
    Failure::new(Kind::TargetGone, format!("the surface {surface} is gone"))
        .hint("list the surfaces that exist with surface.list")
}

#[cfg(test)]
mod scripts_tests;
