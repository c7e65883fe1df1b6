//! The words of `ps` and `lsof` and the reading of what they print, without running them.

#[cfg(any(target_os = "macos", test))]
use std::path::PathBuf;
use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::process::Process;

#[cfg(any(target_os = "macos", test))]
/// Every process, its free text last. The dates are in the form of `lstart`, which has five words.
pub(super) const ARGUMENTS: &[&str] = &["-axww", "-o", "pid=,ppid=,uid=,lstart=,tty=,args="];

/// A line of `ps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) process: Process,
    /// The words, cut at blanks: `ps` does not say where one ends.
    pub(super) argv: Vec<String>,
    /// The file it executes where the first word is a path, blanks within an application's bundle included.
    pub(super) path: Option<String>,
}

/// The lines that can be read; `ps` is trusted to print no others.
pub(super) fn parse(text: &str) -> Vec<Line> {
    text.lines().filter_map(line).collect()
}

fn line(text: &str) -> Option<Line> {
    let mut rest = text;
    let mut word = || {
        let trimmed = rest.trim_start();
        let end = trimmed.find(' ').unwrap_or(trimmed.len());
        let (word, left) = trimmed.split_at(end);
        rest = left;
        (!word.is_empty()).then_some(word)
    };
    let pid = word()?.parse().ok()?;
    let parent = word()?.parse().ok()?;
    let uid = word()?.parse().ok()?;
    let date = [word()?, word()?, word()?, word()?, word()?];
    let tty = word()?;
    let arguments = rest.trim();
    let path = path(arguments);
    let first = path
        .as_deref()
        .or_else(|| arguments.split(' ').next())
        .unwrap_or("");
    // A login shell has a dash before its name.
    let name = first.rsplit('/').next()?.trim_start_matches('-');
    Some(Line {
        process: Process {
            pid,
            parent,
            uid,
            started: started(date)?,
            name: name.to_owned(),
            tty: (!matches!(tty, "?" | "??" | "-")).then(|| format!("/dev/{tty}")),
        },
        argv: arguments
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect(),
        path,
    })
}

/// `Sun Aug 30 12:34:56 2026`; the name of the day is not needed.
fn started([_, month, day, time, year]: [&str; 5]) -> Option<SystemTime> {
    let date = DateTime::strptime("%b %d %H:%M:%S %Y", format!("{month} {day} {time} {year}"));
    Some(date.ok()?.to_zoned(TimeZone::UTC).ok()?.into())
}

/// The path at the beginning. In a bundle the file stands right under `Contents/MacOS` and may hold blanks, and so may the
/// directories above it: it ends before the first word that looks like an option.
fn path(arguments: &str) -> Option<String> {
    const BUNDLED: &str = ".app/Contents/MacOS/";
    if !arguments.starts_with('/') {
        return None;
    }
    let end = match arguments.rfind(BUNDLED) {
        // Helpers nest: the innermost bundle's program is the one that runs, as long as no option came before it.
        Some(at) if !arguments[..at].contains(" -") => {
            let after = at + BUNDLED.len();
            let tail = &arguments[after..];
            after
                + tail
                    .find(" -")
                    .or_else(|| tail.find(" /"))
                    .unwrap_or(tail.len())
        }
        _ => match arguments.find("/iTermServer-") {
            // `~/Library/Application Support/iTerm2/iTermServer-3.5.0 …`
            Some(at) if !arguments[..at].contains(" -") => {
                at + arguments[at..].find(' ').unwrap_or(arguments.len() - at)
            }
            _ => arguments.find(' ').unwrap_or(arguments.len()),
        },
    };
    Some(arguments[..end].to_owned())
}

#[cfg(any(target_os = "macos", test))]
/// The directory in the answer of `lsof -F n`: lines of one field each, the name's beginning with `n`.
pub(super) fn lsof_name(text: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix('n'))
        .map(str::to_owned)
}

#[cfg(any(target_os = "macos", test))]
/// The regular files in the answer of `lsof -F atn` that are open to be written into: lines of one field each, those of a file
/// after its `f`, the name last.
pub(super) fn written_files(text: &str) -> Vec<PathBuf> {
    let (mut written, mut regular) = (false, false);
    let mut files = Vec::new();
    for line in text.lines() {
        match line.split_at_checked(1) {
            Some(("f", _)) => (written, regular) = (false, false),
            Some(("a", access)) => written = matches!(access, "w" | "u"),
            Some(("t", kind)) => regular = kind == "REG",
            Some(("n", name)) if written && regular => files.push(PathBuf::from(name)),
            _ => {}
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As macOS 15 prints it, the columns padded to the widest.
    const PRINTED: &str = "\
    1     0     0 Sat Aug 29 07:00:01 2026     ??       /sbin/launchd
  431     1   501 Sat Aug 29 07:01:10 2026     ??       /Applications/iTerm.app/Contents/MacOS/iTerm2
  440   431   501 Sat Aug 29 07:01:12 2026     ??       /Users/ann/Library/Application Support/iTerm2/iTermServer-3.5.4 /Users/ann/Library/Application Support/iTerm2/iterm2-daemon-1.socket
  441   440     0 Sat Aug 29 07:01:12 2026     ttys000  login -fp ann
  442   441   501 Sat Aug 29 07:01:12 2026     ttys000  -zsh
  510   442   501 Sun Aug 30 12:34:56 2026     ttys000  node --no-warnings /opt/homebrew/bin/claude --resume cad0e546
  600     1   501 Sat Aug 29 09:00:00 2026     ??       /Applications/Visual Studio Code.app/Contents/MacOS/Electron
  601   600   501 Sat Aug 29 09:00:01 2026     ??       /Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin) --type=utility --lang=en
  602   601   501 Sat Aug 29 09:00:09 2026     ttys007  /bin/zsh -il
broken line
";

    fn find(pid: u32) -> Line {
        let mut lines = parse(PRINTED);
        let at = lines.iter().position(|line| line.process.pid == pid);
        lines.swap_remove(at.unwrap())
    }

    #[test]
    fn each_line_is_a_process() {
        assert_eq!(parse(PRINTED).len(), 9);
        let claude = find(510);
        assert_eq!(claude.process.parent, 442);
        assert_eq!(claude.process.uid, 501);
        assert_eq!(claude.process.name, "node");
        assert_eq!(claude.process.tty.as_deref(), Some("/dev/ttys000"));
        assert_eq!(claude.argv[2], "/opt/homebrew/bin/claude");
        let at = claude
            .process
            .started
            .duration_since(SystemTime::UNIX_EPOCH);
        assert_eq!(at.unwrap().as_secs(), 1_788_093_296);
        assert_eq!(find(1).process.tty, None);
        assert_eq!(find(442).process.name, "zsh");
        assert_eq!(find(602).process.name, "zsh");
    }

    #[test]
    fn paths_with_blanks_are_whole_inside_a_bundle() {
        assert_eq!(
            find(601).path.as_deref(),
            Some(
                "/Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin)"
            )
        );
        assert_eq!(find(601).process.name, "Code Helper (Plugin)");
        assert_eq!(find(600).process.name, "Electron");
        assert_eq!(find(440).process.name, "iTermServer-3.5.4");
        assert_eq!(find(441).path, None);
    }

    #[test]
    fn the_ps_of_this_machine_is_read_the_same_way() {
        #[expect(
            clippy::disallowed_methods,
            reason = "the real program is what is tested"
        )]
        let output = std::process::Command::new("ps")
            .args(ARGUMENTS)
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .output();
        let Ok(output) = output else {
            assert!(option_env!("CI").is_none(), "ps is missing");
            println!("skipped: ps is missing");
            return;
        };
        let lines = parse(&String::from_utf8_lossy(&output.stdout));
        let me = std::process::id();
        let line = lines.iter().find(|line| line.process.pid == me).unwrap();
        let mut table = super::super::ProcessTable::new();
        let process = table.get(me).unwrap();
        assert_eq!(line.process.parent, process.parent);
        assert_eq!(line.process.uid, process.uid);
        assert_eq!(line.process.tty, process.tty);
        let apart = match line.process.started.duration_since(process.started) {
            Ok(apart) => apart,
            Err(earlier) => earlier.duration(),
        };
        assert!(apart.as_secs() <= 2, "{apart:?}");
    }

    #[test]
    fn lsof_names_the_files_that_are_written() {
        let text = "p510\nfcwd\na \ntDIR\nn/Users/ann\nf3\nar\ntREG\nn/read\nf4\naw\ntREG\nn/a b\nf5\nau\ntREG\nn/c\nf6\nau\ntCHR\nn/dev/ttys1\n";
        assert_eq!(written_files(text), [PathBuf::from("/a b"), "/c".into()]);
    }

    #[test]
    fn lsof_names_the_directory() {
        assert_eq!(
            lsof_name("p510\nfcwd\nn/Users/ann/my code\n").as_deref(),
            Some("/Users/ann/my code")
        );
        assert_eq!(lsof_name("p510\n"), None);
    }
}
