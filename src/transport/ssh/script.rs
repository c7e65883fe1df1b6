//! The form in which a command travels: a script for the constant `/bin/sh`, on its standard input.
//!
//! What the person's login shell is, and what its start-up files print, makes no difference: the shell is given nothing to read but
//! `/bin/sh`, and what the command writes stands between marks that carry a number nobody can guess.
//!
//! The whole script is one `{ … }` group, so that a shell that gets only a part of it runs nothing of it. Standard input stays open
//! while the command runs: its end tells the far side that nobody waits for the answer any more, and the command is ended.

use std::fmt::Write as _;

use crate::launch::length::LONGEST_WORD;
use crate::launch::quote::{Style, posix};
use crate::launch::report;
use crate::launch::step::{Invocation, Need, Reports};
use crate::proto::{Failure, Kind};

/// The command line for the login shell of the host.
pub const SHELL: &str = "/bin/sh";

/// Where programs are looked for after the PATH of the login: Homebrew on both kinds of Macs, `MacPorts`, the person's own, Nix.
pub const MORE_PATH: &str = "/opt/homebrew/bin:/usr/local/bin:/opt/local/bin:$HOME/.local/bin:$HOME/bin:$HOME/.nix-profile/bin:/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin";

/// The longest command line: half of what Linux lets a program have as a word.
const LONGEST_LINE: usize = 65_536;

/// A file that is made on the host before the command runs: 0600, in a fresh directory that only the person can enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The directory of all such files, `/tmp/surfaced-<uid>` of the host; made where it is missing, refused where it is not the person's.
    pub root: String,
    /// The directory of this file, inside `root`; it may not exist yet.
    pub dir: String,
    /// The file, inside `dir`.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// Writes the script of one command.
///
/// `nonce` is made of letters and digits and is used once.
///
/// # Errors
/// A NUL in a word, and a word that is longer than any system takes.
pub fn write(invocation: &Invocation, files: &[File], nonce: &str) -> Result<String, Failure> {
    let mut script = String::from("{\n");
    // Marks first: everything before them is the talk of start-up files. A start-up file that takes the output away, or the
    // input, leaves nobody to tell or to be told by: then nothing is begun. A server of tmux that it names is none of ours.
    let _ = write!(
        script,
        "printf '\\n%s\\n' 'B-{nonce}' >&2\nprintf '\\n%s\\n' 'B-{nonce}' || exit 74\n\
         [ /dev/fd/1 -ef /dev/null ] 2>/dev/null && exit 74\n\
         [ /dev/fd/0 -ef /dev/null ] 2>/dev/null && {{ printf '\\n%s\\n' 'E-{nonce} 74 deaf' >&2; printf '\\n%s\\n' 'E-{nonce} 74 deaf'; exit 74; }}\n\
         unset TMUX TMUX_PANE\nPATH=\"$PATH:{MORE_PATH}\"\nexport PATH\n: \"${{LANG:=C.UTF-8}}\"\nexport LANG\n\
         surfaced_end() {{ exec 4>&2 2>/dev/null; kill -9 \"$surfaced_watch\"; wait \"$surfaced_watch\"; exec 2>&4 4>&-; \
         printf '\\n%s %s\\n' 'E-{nonce}' \"$*\" >&2; printf '\\n%s %s\\n' 'E-{nonce}' \"$*\"; exit \"$1\"; }}\n\
         exec 3<&0\n\
         (while read -r surfaced_line; do :; done; trap '' TERM; kill -TERM 0; sleep 2; kill -KILL 0) <&3 >/dev/null 2>&1 &\n\
         surfaced_watch=$!\nexec 3<&-\n"
    );
    for (index, need) in invocation.needs.iter().enumerate() {
        require(&mut script, index, need)?;
    }
    for file in files {
        put(&mut script, file, nonce)?;
    }
    for (name, value) in &invocation.env {
        let _ = writeln!(script, "{name}={}\nexport {name}", quote(value)?);
    }
    let mut words = Vec::new();
    for word in &invocation.argv {
        words.push(quote(word)?);
    }
    if words.is_empty() {
        return Err(Failure::new(
            Kind::Internal,
            "a command for a host has no words",
        ));
    }
    let program = quote(invocation.program())?;
    let _ = writeln!(
        script,
        "command -v {program} >/dev/null 2>&1 || surfaced_end 127 missing \"$PATH\""
    );
    let words = words.join(" ");
    if let Some(input) = &invocation.stdin {
        // Octal is the one form in which every byte passes every printf.
        let mut octal = String::with_capacity(input.len() * 5);
        for byte in input {
            let _ = write!(octal, "\\0{byte:03o}");
        }
        let _ = writeln!(script, "printf %b '{octal}' | (exec {words})");
    } else {
        let _ = writeln!(script, "(exec {words}) </dev/null");
    }
    if let Some(reports) = reports(invocation) {
        wait(&mut script, reports, nonce)?;
    }
    script.push_str("surfaced_end \"$?\"\n}\n");
    Ok(script)
}

/// The script as one command line that every login shell reads the same way. `None`: it is too long for one.
///
/// The line can be seen by everybody on the host while it runs.
#[must_use]
pub fn line(script: &str) -> Option<String> {
    let mut line = format!("{SHELL} -c 'eval \"$(printf %b \"$0\")\"' '");
    for byte in script.bytes() {
        if byte.is_ascii_alphanumeric() || b" _./,:=@-".contains(&byte) {
            line.push(char::from(byte));
        } else {
            let _ = write!(line, "\\0{byte:03o}");
        }
    }
    line.push('\'');
    (line.len() <= LONGEST_LINE).then_some(line)
}

/// The launch script that this command runs and that is waited for.
pub(super) fn reports(invocation: &Invocation) -> Option<&Reports> {
    let is_named = |reports: &&Reports| {
        let mut words = invocation.argv.iter();
        words.any(|word| word.contains(&reports.dir))
    };
    invocation.reports.as_ref().filter(is_named)
}

/// Waits for the launch script of a command that succeeded, behind a mark of its own: what follows is no output.
fn wait(script: &mut String, reports: &Reports, nonce: &str) -> Result<(), Failure> {
    let rounds = reports.limit.as_millis() * u128::from(report::ROUNDS) / 1000;
    let dir = quote(&reports.dir)?;
    let _ = write!(
        script,
        "surfaced_code=$?\n{}\
         [ \"$surfaced_code\" != 0 ] || {{ printf '\\n%s\\n' '{}'; surfaced_reports {rounds} {dir} 2>/dev/null; }}\n\
         (exit \"$surfaced_code\")\n",
        report::WAIT,
        report_mark(nonce),
    );
    Ok(())
}

/// The line between the output of a command and what became of its launch script.
pub(super) fn report_mark(nonce: &str) -> String {
    format!("R-{nonce}")
}

/// Ends the script where something that is needed is not there.
fn require(script: &mut String, index: usize, need: &Need) -> Result<(), Failure> {
    // No option, whatever it begins with, and nothing that CDPATH leads elsewhere.
    let plain = |path: &str| {
        if path.starts_with('/') {
            quote(path)
        } else {
            quote(&format!("./{path}"))
        }
    };
    let cwd = need.cwd.as_deref().map(plain).transpose()?;
    if let Some(cwd) = &cwd {
        let _ = writeln!(
            script,
            "(cd {cwd}) >/dev/null 2>&1 || surfaced_end 72 cwd {index}"
        );
    }
    if let Some(program) = &need.program {
        let there = if program.contains('/') {
            let (cwd, program) = (cwd.as_deref().unwrap_or("/"), plain(program)?);
            format!("(cd {cwd} && [ -f {program} ] && [ -x {program} ])")
        } else if let Some(path) = &need.path {
            // A file: nothing that this shell itself would run.
            let (path, program) = (quote(path)?, quote(program)?);
            format!(
                "(surfaced_path={path}; set -f; IFS=:; for surfaced_at in $surfaced_path; do \
                 [ -f \"${{surfaced_at:-.}}\"/{program} ] && [ -x \"${{surfaced_at:-.}}\"/{program} ] && exit; done; exit 1)"
            )
        } else {
            format!("command -v {}", quote(program)?)
        };
        let _ = writeln!(
            script,
            "{there} >/dev/null 2>&1 || surfaced_end 72 program {index}"
        );
    }
    Ok(())
}

fn put(script: &mut String, file: &File, nonce: &str) -> Result<(), Failure> {
    let (root, dir, path) = (quote(&file.root)?, quote(&file.dir)?, quote(&file.path)?);
    if file.text.contains('\0') {
        return Err(nul());
    }
    let newline = if file.text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(
        script,
        "(umask 077; mkdir {root} 2>/dev/null; [ -d {root} ] && [ ! -h {root} ] && [ -O {root} ] && chmod 700 {root} && mkdir {dir} && \
         cat >{path}) <<'F-{nonce}' || surfaced_end 73 file {root}\n{}{newline}F-{nonce}\n",
        file.text
    );
    Ok(())
}

fn quote(word: &str) -> Result<String, Failure> {
    if word.contains('\0') {
        return Err(nul());
    }
    if word.len() > LONGEST_WORD {
        return Err(Failure::new(
            Kind::SpawnFailed,
            format!(
                "a word of {} bytes is too long for a command on a host",
                word.len()
            ),
        )
        .hint("put the text into a file; no system takes words over 128 KiB"));
    }
    Ok(posix(word, Style::Quoted).into_owned())
}

fn nul() -> Failure {
    Failure::new(
        Kind::InvalidParams,
        "a word for a command on a host holds a NUL",
    )
}
