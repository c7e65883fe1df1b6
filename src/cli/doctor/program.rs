//! The program and its home.

use super::line::{Line, Verdict};
use crate::client::Options;
use crate::daemon::DaemonError;

pub(super) fn lines(options: &Options) -> Vec<Line> {
    let home = &options.paths.home;
    let found = match options.paths.ensure_home() {
        Ok(_) => Line::new(
            "home",
            "directory",
            Verdict::Good,
            home.display().to_string(),
        ),
        Err(error) => Line::new("home", "directory", Verdict::Bad, error.to_string())
            .hint(DaemonError::Home(error).hint()),
    };
    vec![
        Line::new(
            "program",
            "surfaced",
            Verdict::Good,
            format!(
                "{} at {}",
                env!("CARGO_PKG_VERSION"),
                options.program.display()
            ),
        ),
        found,
    ]
}
