//! Asking the person: which sessions, and whether so many.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use inquire::list_option::ListOption;
use inquire::validator::MinLengthValidator;
use inquire::{Confirm, InquireError, MultiSelect};
use unicode_width::UnicodeWidthStr;

use crate::cli::exit::CliError;
use crate::cli::{render, words};
use crate::client::Daemon;
use crate::os::environment::variable;
use crate::proto::sessions::{Session, Sessions, SessionsParams};
use crate::proto::{Kind, Word};

/// Columns that the prompt itself takes of a line: the cursor, the box, and one that is left free, since some terminals go to the
/// next line when the last column is written.
const MARGIN: usize = 8;

/// Below this many columns a row has no room for a directory.
const NARROW: usize = 48;

/// A session in the list.
struct Row {
    id: String,
    text: String,
    /// What is found by typing, in lowercase: all of it, whatever a narrow row has room for.
    found: String,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The ids of the sessions that the person picks; `None`: none, the question was left.
pub(super) async fn sessions(
    connection: &Daemon,
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
            .kind(Kind::NotFound)
            .hint("those that run are listed by surfaced sessions; they go on where they are"));
    }
    let width = render::width().saturating_sub(MARGIN);
    let rows = rows(&sessions, SystemTime::now(), width);
    let scored = |typed: &str, row: &Row, _: &str, _: usize| {
        let mut words = typed.split_whitespace();
        let is_in = |word: &str| row.found.contains(&word.to_lowercase());
        words.all(is_in).then_some(0)
    };
    let shown = |picked: &[ListOption<&Row>]| match picked.len() {
        1 => picked[0].value.text.trim().to_owned(),
        many => format!("{many} sessions"),
    };
    let question = MultiSelect::new("Which sessions?", rows)
        .with_help_message("space marks, enter resumes, typing filters, → all, ← none")
        .with_page_size(12)
        .with_scorer(&scored)
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

/// One line each, as wide as the terminal: provider, age, what it is about, and the directory. In a narrow terminal what it is
/// about comes first, and the directory only where room is left.
fn rows(sessions: &[Session], now: SystemTime, width: usize) -> Vec<Row> {
    let home = variable("HOME").filter(|home| home.len() > 1);
    let cells: Vec<[String; 4]> = sessions
        .iter()
        .map(|session| {
            let cwd = session.cwd.as_deref().unwrap_or("?");
            [
                session.kind.clone(),
                age(session.last_activity_ms.or(session.started_at_ms), now),
                render::plain(&short(cwd, home.as_deref())),
                render::plain(session.title.as_deref().unwrap_or_default()),
            ]
        })
        .collect();
    let widest = |column: usize| {
        let widths = cells.iter().map(|cells| cells[column].width());
        widths.max().unwrap_or(0)
    };
    let (provider, age) = (widest(0), widest(1));
    let rest = width.saturating_sub(provider + age + 4);
    let cwd = if width < NARROW {
        0
    } else {
        widest(2).min(rest / 2)
    };
    let lines = cells.iter().zip(sessions);
    lines
        .map(|([kind, ago, dir, title], session)| {
            let mut text = format!(
                "{}  {}{ago}  ",
                padded(kind, provider),
                " ".repeat(age - ago.width())
            );
            if cwd > 0 {
                text.push_str(&padded(&end(dir, cwd), cwd));
                text.push_str("  ");
            }
            let left = width.saturating_sub(text.width());
            if title.is_empty() && cwd == 0 {
                text.push_str(&end(dir, left));
            } else {
                text.push_str(&beginning(title, left));
            }
            let id = session.session_id.as_deref().unwrap_or_default();
            Row {
                id: id.to_owned(),
                text: beginning(&text, width).trim_end().to_owned(),
                found: [kind, dir.as_str(), title.as_str(), id]
                    .join(" ")
                    .to_lowercase(),
            }
        })
        .collect()
}

/// A text with blanks behind it, as wide as this.
fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The beginning of a text, as wide as this at most. A wide character is whole or not there.
fn beginning(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if cut.width() + 1 > width {
            cut.pop();
            break;
        }
    }
    if width > 0 {
        cut.push('…');
    }
    cut
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
    if text.width() <= width {
        return text.to_owned();
    }
    let mut at = text.len();
    for (index, _) in text.char_indices().rev() {
        if text[index..].width() + 1 > width {
            break;
        }
        at = index;
    }
    if width == 0 {
        return String::new();
    }
    format!("…{}", &text[at..])
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
                "claude    59s  /a/b              fix\\u{1b}[31m …",
                "opencode   2h  …/to/the/project  x",
                "codex     10d  /a                long long long…",
            ]
        );
        // Forty columns, of which the prompt takes some; wide characters are two columns each.
        let wide = vec![
            session("claude", 59, "/a/b", "漢字漢字漢字漢字漢字漢字漢字"),
            session("codex", 7200, "/a/漢字/x", ""),
        ];
        let text: Vec<String> = rows(&wide, now, 32)
            .into_iter()
            .map(|row| row.text)
            .collect();
        assert_eq!(
            text,
            ["claude  59s  漢字漢字漢字漢字漢…", "codex    2h  /a/漢字/x"]
        );
        for width in 0..60 {
            for row in rows(&wide, now, width)
                .iter()
                .chain(&rows(&sessions, now, width))
            {
                assert!(row.text.width() <= width, "{width}: {:?}", row.text);
            }
        }
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
