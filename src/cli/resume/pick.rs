//! Asking the person: which sessions, and whether so many.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use inquire::list_option::ListOption;
use inquire::validator::MinLengthValidator;
use inquire::{Confirm, InquireError, MultiSelect};

use crate::cli::exit::CliError;
use crate::cli::{render, words};
use crate::client::Connection;
use crate::os::environment::variable;
use crate::proto::Word;
use crate::proto::sessions::{Session, Sessions, SessionsParams};

/// Columns that the prompt itself takes of a line.
const MARGIN: usize = 8;

/// A session in the list.
struct Row {
    id: String,
    text: String,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The ids of the sessions that the person picks; `None`: none, the question was left.
pub(super) async fn sessions(
    connection: &Connection,
    on: Option<&Word>,
) -> Result<Option<Vec<Word>>, CliError> {
    let params = SessionsParams {
        include_files: Some(true),
        on: on.cloned(),
    };
    let listed = connection.call::<Sessions>(&params).await?;
    for warning in listed.warnings.iter().flatten() {
        render::note(warning);
    }
    let still = |session: &Session| session.pid.is_none() && session.session_id.is_some();
    let sessions: Vec<Session> = listed.sessions.into_iter().filter(still).collect();
    if sessions.is_empty() {
        return Err(CliError::failed("there is no session to resume")
            .hint("those that run are listed by surfaced sessions; they go on where they are"));
    }
    let width = render::width().saturating_sub(MARGIN);
    let rows = rows(&sessions, SystemTime::now(), width);
    let shown = |picked: &[ListOption<&Row>]| match picked.len() {
        1 => picked[0].value.text.trim().to_owned(),
        many => format!("{many} sessions"),
    };
    let question = MultiSelect::new("Which sessions?", rows)
        .with_help_message("space marks, enter resumes, typing filters, → all, ← none")
        .with_page_size(12)
        .with_formatter(&shown)
        .with_validator(
            MinLengthValidator::new(1).with_message("mark at least one with the space bar"),
        );
    let Some(picked) = answered(question.prompt())? else {
        return Ok(None);
    };
    picked
        .iter()
        .map(|row| words::word("the id", &row.id))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Whether so many are meant; `None`: the question was left.
pub(super) fn confirm(count: usize) -> Result<Option<bool>, CliError> {
    let question = format!("Open {count} sessions?");
    answered(Confirm::new(&question).with_default(false).prompt())
}

fn answered<T>(answer: Result<T, InquireError>) -> Result<Option<T>, CliError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(None),
        Err(error) => Err(CliError::failed(format!("cannot ask: {error}"))),
    }
}

/// One line each: provider, age, directory and what it is about, in columns.
fn rows(sessions: &[Session], now: SystemTime, width: usize) -> Vec<Row> {
    let home = variable("HOME").filter(|home| home.len() > 1);
    let cells: Vec<[String; 3]> = sessions
        .iter()
        .map(|session| {
            let cwd = session.cwd.as_deref().unwrap_or("?");
            [
                session.kind.clone(),
                age(session.last_activity_ms.or(session.started_at_ms), now),
                render::plain(&short(cwd, home.as_deref())),
            ]
        })
        .collect();
    let widest = |column: usize| {
        let widths = cells.iter().map(|cells| cells[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let (provider, age, cwd) = (widest(0), widest(1), widest(2).min(width / 2));
    let lines = cells.iter().zip(sessions);
    lines
        .map(|(cells, session)| {
            let title = session.title.as_deref().unwrap_or_default();
            let text = format!(
                "{:provider$}  {:>age$}  {:cwd$}  {}",
                cells[0],
                cells[1],
                end(&cells[2], cwd),
                render::plain(title)
            );
            Row {
                id: session.session_id.clone().unwrap_or_default(),
                text: text.chars().take(width).collect(),
            }
        })
        .collect()
}

/// A path with `~` in the place of home.
fn short(path: &str, home: Option<&str>) -> String {
    match home.and_then(|home| path.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// The end of a text, which is what tells paths apart.
fn end(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let rest: String = text.chars().skip(count - width.saturating_sub(1)).collect();
    format!("…{rest}")
}

/// How long ago that was, in the largest unit that it fills.
fn age(at_ms: Option<u64>, now: SystemTime) -> String {
    let Some(at) = at_ms else {
        return "?".to_owned();
    };
    let at = UNIX_EPOCH + Duration::from_millis(at);
    let seconds = now.duration_since(at).unwrap_or_default().as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_columns_and_fit() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let session = |kind: &str, ago: u64, cwd: &str, title: &str| Session {
            kind: kind.into(),
            cwd: Some(cwd.into()),
            session_id: Some("id".into()),
            last_activity_ms: Some((1_000_000 - ago) * 1000),
            title: Some(title.into()),
            ..Session::default()
        };
        let sessions = vec![
            session("claude", 59, "/a/b", "fix\u{1b}[31m it"),
            session("opencode", 7200, "/a/long/way/to/the/project", "x"),
            session("codex", 864_000, "/a", &"long ".repeat(40)),
        ];
        let text: Vec<String> = rows(&sessions, now, 48)
            .into_iter()
            .map(|row| row.text)
            .collect();
        assert_eq!(
            text,
            [
                "claude    59s  /a/b                      fix\\u{1",
                "opencode   2h  …long/way/to/the/project  x",
                "codex     10d  /a                        long lo",
            ]
        );
    }

    #[test]
    fn home_is_a_tilde() {
        for (path, expected) in [
            ("/home/me", "~"),
            ("/home/me/x", "~/x"),
            ("/home/meow", "/home/meow"),
            ("/x", "/x"),
        ] {
            assert_eq!(short(path, Some("/home/me")), expected);
        }
    }
}
