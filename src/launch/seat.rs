//! The launch script of a seat: an environment of its own, and nothing of the tmux server's.

use super::quote::{Style, posix};
use super::script::HEAD;
use crate::proto::{Argv, Env};

/// What a seat's script starts.
#[derive(Clone, Copy, Debug)]
pub struct SeatLaunch<'a> {
    /// The argv.
    pub argv: &'a Argv,
    /// The working directory.
    pub cwd: &'a str,
    /// All variables, besides TERM, TMUX and `TMUX_PANE`, which the pane gives.
    pub env: &'a Env,
}

/// Where programs are looked for when the environment has no PATH: the shell's own choice.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The text of the script. It is written and reports as other launch scripts do ([`super::script`]).
///
/// It runs itself again under `env -i`, with nothing in that argv that is secret: the variables stand in the script.
#[must_use]
pub fn text(launch: &SeatLaunch<'_>) -> String {
    let quoted = |word: &str| posix(word, Style::Quoted).into_owned();
    let mut lines = vec![
        HEAD.to_owned(),
        r#"if [ "${1-}" != run ]; then"#.to_owned(),
        format!(
            r#"  exec /usr/bin/env -i PATH={PATH} TERM="$TERM" TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" /bin/sh "$surfaced_file" run"#
        ),
        "fi".to_owned(),
    ];
    let missing = format!(
        "the working directory {} is missing or cannot be entered",
        launch.cwd
    );
    lines.push(format!("cd -- {} 2>/dev/null ||", quoted(launch.cwd)));
    lines.push(format!(
        "  surfaced_fail 1 cwd-missing {}",
        quoted(&missing)
    ));
    let path = launch
        .env
        .iter()
        .find(|(name, _)| name.as_str() == "PATH")
        .map(|(_, value)| value.as_str());
    let program = quoted(launch.argv.program());
    lines.push(format!(
        "surfaced_find {program} {} 'the PATH of the seat'",
        quoted(path.unwrap_or(PATH))
    ));
    lines.push("surfaced_clear".to_owned());
    if path.is_none() {
        lines.push("unset PATH".to_owned());
    }
    lines.extend(
        launch
            .env
            .iter()
            .map(|(name, value)| format!("export {name}={}", quoted(value))),
    );
    let words: Vec<_> = launch
        .argv
        .words()
        .iter()
        .map(|word| quoted(word))
        .collect();
    lines.push(format!("exec {}", words.join(" ")));
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{EnvName, Word};

    #[test]
    fn secrets_stand_in_the_script_and_in_no_argv() {
        let argv = Argv::try_from(vec![
            Word::parse("a b").unwrap(),
            Word::parse("it's").unwrap(),
        ])
        .unwrap();
        let env = Env::from([(
            EnvName::parse("KEY").unwrap(),
            Word::parse("s3cret $x").unwrap(),
        )]);
        let text = text(&SeatLaunch {
            argv: &argv,
            cwd: "/d",
            env: &env,
        });
        let env_line = text.lines().find(|line| line.contains("env -i")).unwrap();
        assert!(!env_line.contains("s3cret"));
        let clear = text.find("\nsurfaced_clear\n").unwrap();
        let export = text.find("export KEY='s3cret $x'").unwrap();
        assert!(clear < export, "{text}");
        assert!(text.ends_with("exec 'a b' 'it'\\''s'\n"), "{text}");
    }
}
