//! Launch scripts: what starts a command whose words, directory or variables must reach it past a terminal's own parser.
//!
//! A script is a file [`FILE`] with mode 0600 in a fresh directory with mode 0700, run as `/bin/sh <absolute path>`. It
//! first becomes the person's interactive shell, so that their rc files set PATH, and comes back as itself; then it
//! removes itself and its directory and becomes the command. Whoever made it learns from the directory what happened:
//!
//! - the directory is gone: the command was started;
//! - the directory holds [`REPORT`]: it was not, and [`report`] says why. The secrets are gone, the directory is left to
//!   the reader;
//! - neither: the person's shell is still starting.
//!
//! What it needs for that, `rm`, `rmdir` and `mv`, is looked for where systems have them, since rc files may set any PATH.
//!
//! It runs under dash, bash, zsh and other POSIX shells that are installed as `/bin/sh`.

use std::fmt::Write as _;

use super::quote::{Style, posix};
use super::shell::{Program, Shell, Syntax};
use crate::proto::launch::OnExit;
use crate::proto::{Argv, Env, Failure, Kind};

/// The name of the script in its directory.
pub const FILE: &str = "launch";

/// The name of the file in which a script says why it started nothing.
pub const REPORT: &str = "report";

/// What a launch script starts, and how.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The command.
    pub program: Program<'a>,
    /// Its directory; absent: wherever the person's shell ends up.
    pub cwd: Option<&'a str>,
    /// Its variables, set after the rc files were read so that they hold.
    pub env: Option<&'a Env>,
    /// What becomes of the surface when the command ends.
    pub on_exit: OnExit,
    /// The interactive shell whose rc files are read.
    pub shell: &'a Shell,
}

/// Adds a line to a string.
macro_rules! put {
    ($text:expr, $($arg:tt)*) => {{
        let written = writeln!($text, $($arg)*);
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }};
}
pub(super) const HEAD: &str = r#"#!/bin/sh
# Starts one command for surfaced. It removes itself and its directory first.
surfaced_file=$0
surfaced_dir=${0%/*}
surfaced_tools=/bin:/usr/bin:/run/current-system/sw/bin
surfaced_fail() {
  (
    PATH=$surfaced_tools:$PATH
    rm -f -- "$surfaced_file"
    printf '%s\n' "$2" "$3" ${4+"$4"} >"$surfaced_dir/report.new" &&
      mv -f -- "$surfaced_dir/report.new" "$surfaced_dir/report"
  ) 2>/dev/null
  printf 'surfaced: %s\n' "$3" >&2
  exit "$1"
}
surfaced_find() {
  case $1 in
  */*) [ -f "$1" ] && [ -x "$1" ] && return ;;
  *)
    (
      set -f
      IFS=:
      for surfaced_at in $2; do
        [ -f "${surfaced_at:-.}/$1" ] && [ -x "${surfaced_at:-.}/$1" ] && exit
      done
      exit 1
    ) && return ;;
  esac
  surfaced_fail 127 program-missing "the program $1 was not found on ${3-the PATH of the interactive shell}" "PATH=$2"
}
surfaced_clear() {
  (
    PATH=$surfaced_tools:$PATH
    rm -f -- "$surfaced_file" && rmdir -- "$surfaced_dir"
  ) 2>/dev/null ||
    surfaced_fail 126 spawn-failed "the launch directory $surfaced_dir could not be removed, so the command was not started"
}
surfaced_hold() {
  case $2$1 in
  failed0 | failed130) exit "$1" ;;
  esac
  printf '\n[ended with status %s, press Enter to close]\n' "$1"
  read -r surfaced_line
  exit "$1"
}
"#;

/// The text of the script.
#[must_use]
pub fn text(launch: &Launch<'_>) -> String {
    let sh = Shell::named("/bin/sh");
    let shell = if launch.shell.syntax() == Syntax::Other {
        &sh
    } else {
        launch.shell
    };
    let mut text = HEAD.to_owned();
    match launch.program {
        Program::Argv(argv) => argv_stages(&mut text, launch, shell, argv),
        Program::Line(line) => line_stages(&mut text, launch, shell, line),
        Program::Shell => {
            cd(&mut text, launch);
            text.push_str("surfaced_clear\n");
            start(&mut text, launch, "exec \"$surfaced_shell\" -il");
        }
    }
    text
}

/// First the interactive shell, which runs the script again as `run`; then the command.
fn argv_stages(text: &mut String, launch: &Launch<'_>, shell: &Shell, argv: &Argv) {
    let again = match shell.syntax() {
        Syntax::Fish => "exec /bin/sh $argv[1] run",
        _ => r#"exec /bin/sh "$0" run"#,
    };
    let wrap = words(&shell.wrap(again.to_owned()));
    put!(text, "if [ \"${{1-}}\" != run ]; then");
    put!(
        text,
        "  surfaced_find {} \"$PATH\"",
        quoted(shell.program())
    );
    put!(text, "  exec {wrap} \"$surfaced_file\"");
    put!(text, "fi");
    cd(text, launch);
    let path = launch
        .env
        .and_then(|env| env.iter().find(|(name, _)| name.as_str() == "PATH"));
    let path = path.map_or_else(|| "\"$PATH\"".to_owned(), |(_, value)| quoted(value));
    put!(text, "surfaced_find {} {path}", quoted(argv.program()));
    text.push_str("surfaced_clear\n");
    start(
        text,
        launch,
        &Shell::named("/bin/sh").exec(argv, Style::Quoted),
    );
}

/// The interactive shell reads directory and variables from the script run as `env`, and then the line as it is.
fn line_stages(text: &mut String, launch: &Launch<'_>, shell: &Shell, line: &str) {
    let fish = shell.syntax() == Syntax::Fish;
    // fish leaves a sourced file at `exit`, not the shell.
    let read = if fish {
        "begin; /bin/sh $argv[1] env; or echo false; end | source; or exit 126"
    } else {
        r#"eval "$(/bin/sh "$0" env || echo exit 126)""#
    };
    let mut code = String::new();
    if let Some(cd) = launch.cwd.and_then(|cwd| shell.enter(cwd)) {
        put!(&mut code, "{cd}");
    }
    for (name, value) in launch.env.into_iter().flatten() {
        let value = shell.quote(value, Style::Quoted);
        if fish {
            put!(&mut code, "set -gx {name} {value}");
        } else {
            put!(&mut code, "export {name}={value}");
        }
    }
    put!(text, "if [ \"${{1-}}\" = env ]; then");
    cd(text, launch);
    put!(text, "  surfaced_clear");
    put!(text, "  printf %s {}", quoted(&code));
    put!(text, "  exit");
    put!(text, "fi");
    put!(text, "surfaced_find {} \"$PATH\"", quoted(shell.program()));
    let wrap = words(&shell.wrap(format!("{read}\n{line}")));
    run(
        text,
        launch.on_exit,
        "",
        &format!("exec {wrap} \"$surfaced_file\""),
    );
}

/// Enters the directory or says why not.
fn cd(text: &mut String, launch: &Launch<'_>) {
    if let Some(cwd) = launch.cwd {
        let message = format!("the working directory {cwd} is missing or cannot be entered");
        put!(text, "cd -- {} 2>/dev/null ||", quoted(cwd));
        put!(text, "  surfaced_fail 1 cwd-missing {}", quoted(&message));
    }
}

/// Sets the variables and becomes the command. Nothing of the shell's own is looked at after the first variable, since
/// it may be PATH or IFS.
fn start(text: &mut String, launch: &Launch<'_>, exec: &str) {
    let mut exports = String::new();
    if matches!(launch.program, Program::Shell) {
        put!(&mut exports, "surfaced_shell=${{SHELL:-/bin/sh}}");
    }
    for (name, value) in launch.env.into_iter().flatten() {
        put!(&mut exports, "export {name}={}", quoted(value));
    }
    run(text, launch.on_exit, &exports, exec);
}

fn run(text: &mut String, on_exit: OnExit, exports: &str, exec: &str) {
    let when = match on_exit {
        OnExit::Close => {
            put!(text, "{exports}{exec}");
            return;
        }
        OnExit::Hold => "always",
        OnExit::HoldOnFailure => "failed",
    };
    // A trap, not an ignored signal: the command itself is to be interrupted.
    put!(text, "trap : INT QUIT");
    put!(text, "(\n{exports}{exec}\n)");
    put!(text, "surfaced_hold $? {when}");
}

fn quoted(word: &str) -> String {
    posix(word, Style::Quoted).into_owned()
}

fn words(words: &[String]) -> String {
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Reads what a script left in [`REPORT`].
///
/// `None`: it is not a report that a script of this program writes.
#[must_use]
pub fn report(bytes: &[u8]) -> Option<Failure> {
    let text = String::from_utf8_lossy(bytes);
    let (kind, message) = text.trim_end_matches('\n').split_once('\n')?;
    // What was not found is told with the PATH that was searched. Names of programs and directories may hold newlines.
    let (message, path) = match message.rsplit_once("\nPATH=") {
        Some((message, path)) if kind == "program-missing" => (message, path),
        _ => (message, ""),
    };
    let (kind, hint) = match kind {
        "cwd-missing" => (
            Kind::CwdMissing,
            "create the directory or name another one in cwd",
        ),
        "program-missing" => (
            Kind::ProgramMissing,
            "install it, or put its directory on PATH in the rc file of your shell",
        ),
        "spawn-failed" => (
            Kind::SpawnFailed,
            "look at the permissions of the directory",
        ),
        _ => return None,
    };
    let failure = Failure::new(kind, message);
    Some(if path.is_empty() {
        failure.hint(hint)
    } else {
        failure.hint(format!("{hint}; PATH is {path}"))
    })
}
