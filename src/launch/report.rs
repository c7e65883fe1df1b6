//! What becomes of launch scripts, as the `sh` of their machine sees it: how it is looked for, and how the answer is read.

use std::time::Duration;

use super::script;
use super::step::Invocation;
use crate::proto::{Failure, Kind};

/// What became of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// It started its command.
    Started,
    /// It started nothing, and says why.
    Refused(Failure),
    /// Nothing was seen in time.
    Silent,
}

impl Report {
    /// What a script says in its report.
    #[must_use]
    pub fn refused(report: &[u8]) -> Self {
        Self::Refused(script::report(report).unwrap_or_else(|| {
            Failure::new(
                Kind::SpawnFailed,
                "the launch script left a report that cannot be read",
            )
        }))
    }
}

/// A function for `sh`: `surfaced_reports ROUNDS DIRECTORY…` looks at the directories of launch scripts until one of them has news,
/// so many times at most and twenty times a second. A report is removed once it is told.
///
/// It prints a record for each that has news, with a NUL behind it: the place of the directory among the words and `started`, or
/// `refused`, a newline and the report.
pub(crate) const WAIT: &str = r#"surfaced_reports() {
  surfaced_rounds=$1
  shift
  while :; do
    surfaced_at=0 surfaced_news=
    for surfaced_dir in "$@"; do
      if [ -f "$surfaced_dir/report" ]; then
        surfaced_news=yes
        printf '%s refused\n' "$surfaced_at"
        cat "$surfaced_dir/report"
        printf '\0'
        rm -rf -- "$surfaced_dir"
      elif [ ! -d "$surfaced_dir" ]; then
        surfaced_news=yes
        printf '%s started\0' "$surfaced_at"
      fi
      surfaced_at=$((surfaced_at + 1))
    done
    [ ! "$surfaced_news" ] && [ "$surfaced_rounds" -gt 0 ] || return 0
    surfaced_rounds=$((surfaced_rounds - 1))
    sleep 0.05 2>/dev/null || { sleep 1; surfaced_rounds=$((surfaced_rounds - 19)); }
  done
}
"#;

/// So many looks are taken in a second.
pub(crate) const ROUNDS: u32 = 20;

/// How long a question for reports may take: it waits for a second.
const LIMIT: Duration = Duration::from_secs(15);

/// Asks what became of the scripts in these directories. The answer comes with the first news, or after a second.
#[must_use]
pub fn ask<'a>(dirs: impl IntoIterator<Item = &'a str>) -> Invocation {
    let line = format!("{WAIT}surfaced_reports \"$@\"");
    let head = ["/bin/sh", "-c", &line, "surfaced-reports", "20"].map(str::to_owned);
    let dirs = dirs.into_iter().map(str::to_owned);
    Invocation {
        timeout: Some(LIMIT),
        ..Invocation::new(head.into_iter().chain(dirs))
    }
}

/// The directory of a script of this path.
#[must_use]
pub fn dir(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(dir, _)| dir)
}

/// Reads the records of so many scripts, those without one being silent.
#[must_use]
pub fn read(bytes: &[u8], count: usize) -> Vec<Report> {
    let mut reports = vec![Report::Silent; count];
    for record in bytes.split(|byte| *byte == 0) {
        let end = record.iter().position(|byte| *byte == b'\n');
        let (head, text) = record.split_at(end.unwrap_or(record.len()));
        let Some((at, word)) = std::str::from_utf8(head)
            .ok()
            .and_then(|head| head.split_once(' '))
        else {
            continue;
        };
        let Some(report) = at.parse().ok().and_then(|at: usize| reports.get_mut(at)) else {
            continue;
        };
        match word {
            "started" => *report = Report::Started,
            "refused" => {
                *report = Report::refused(text.get(1..).unwrap_or_default());
            }
            _ => {}
        }
    }
    reports
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_what_has_none_is_silent() {
        let bytes = b"2 refused\ncwd-missing\nthe working directory /a\nb is missing\n\x001 started\x009 started\x00nonsense\x00";
        let reports = read(bytes, 4);
        assert_eq!(reports[..2], [Report::Silent, Report::Started]);
        let Report::Refused(failure) = &reports[2] else {
            panic!("{reports:?}")
        };
        assert_eq!(failure.kind(), Kind::CwdMissing);
        assert_eq!(failure.message, "the working directory /a\nb is missing");
        assert_eq!(reports[3], Report::Silent);
        assert_eq!(read(b"0 refused\n", 1), [Report::refused(b"")]);
        assert_eq!(read(b"", 1), [Report::Silent]);
    }
}
