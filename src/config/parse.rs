//! From the text of the file to its values.

use toml::de::DeTable;

use super::reader::{Notes, Problems, Section, Value};
use super::{Config, DetachKey, backends, providers, ssh};
use crate::proto::daemon::Limits;

/// Reads a configuration file.
///
/// # Errors
/// Every problem of the file, in its order.
pub fn parse(text: &str) -> Result<Config, Problems> {
    let notes = Notes::new(text);
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let message = error.message().replace('\n', ", ");
            notes.add(&error.span().unwrap_or_default(), "", message);
            return notes.finish().map(|()| Config::default());
        }
    };
    let config = root(Section::root(&notes, table.get_ref()));
    notes.finish().map(|()| config)
}

fn root(section: Section<'_, '_>) -> Config {
    let mut config = Config {
        shell: section.get("shell").and_then(|value| shell(&value)),
        ..Config::default()
    };
    if let Some(key) = section
        .get("detachKey")
        .and_then(|value| detach_key(&value))
    {
        config.detach_key = key;
    }
    let table = |key| section.get(key).and_then(|value| value.table());
    if let Some(table) = table("limits") {
        limits(table, &mut config.limits);
    }
    if let Some(table) = table("terminals") {
        if let Some(rows) = table
            .get("scrollback")
            .and_then(|value| value.number(0..100_001))
        {
            config.scrollback = usize::try_from(rows).unwrap_or(config.scrollback);
        }
        table.finish();
    }
    if let Some(table) = table("backends") {
        backends::read(&table, &mut config);
    }
    if let Some(table) = table("providers") {
        config.providers = providers::read(&table);
    }
    if let Some(table) = table("ssh") {
        config.ssh = ssh::read(table);
    }
    section.finish();
    config
}

fn shell(value: &Value<'_, '_>) -> Option<String> {
    let text = value.string()?;
    if text.is_empty() || (text.contains('/') && !text.starts_with('/')) {
        value.problem(format!(
            "must be the name of a shell or its absolute path, not {text:?}"
        ));
        return None;
    }
    Some(text)
}

fn detach_key(value: &Value<'_, '_>) -> Option<DetachKey> {
    let text = value.string()?;
    let key = DetachKey::parse(&text);
    if key.is_none() {
        value.problem(format!(
            "must be a control key such as 'C-\\' or 'C-q', or \"none\", not {text:?}"
        ));
    }
    key
}

fn limits(section: Section<'_, '_>, limits: &mut Limits) {
    let size = |key, least: u64, field: &mut usize| {
        if let Some(number) = section
            .get(key)
            .and_then(|value| value.number(least..1 << 31))
        {
            *field = usize::try_from(number).unwrap_or(*field);
        }
    };
    size("messageBytes", 1024, &mut limits.message_bytes);
    size("replyBytes", 1024, &mut limits.reply_bytes);
    size("nesting", 8, &mut limits.nesting);
    size("connections", 1, &mut limits.connections);
    size("inFlight", 1, &mut limits.in_flight);
    size("subscriptions", 1, &mut limits.subscriptions);
    size("batch", 1, &mut limits.batch);
    size("unreadBytes", 1024, &mut limits.unread_bytes);
    let time = |key, field: &mut u64| {
        if let Some(number) = section
            .get(key)
            .and_then(|value| value.number(1..86_400_001))
        {
            *field = number;
        }
    };
    time("stalledMs", &mut limits.stalled_ms);
    time("halfSentMs", &mut limits.half_sent_ms);
    section.finish();
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::config::{LayoutForm, SshBackend, TerminalTabs};
    use crate::proto::{HostAlias, Layout};

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(parse(""), Ok(Config::default()));
        assert_eq!(parse("# only a comment\n"), Ok(Config::default()));
    }

    #[test]
    fn every_key_is_read() {
        let config = parse(
            r#"
            shell = "fish"
            detachKey = 'C-]'
            [limits]
            connections = 8
            messageBytes = 65536
            stalledMs = 500
            [terminals]
            scrollback = 0
            [backends.terminal]
            tabs = "system-events"
            [backends.cursor-agent]
            extension = "surfaced.surfaced"
            [backends.foot]
            label = "foot terminal"
            available = { program = "footclient", env = "WAYLAND_DISPLAY" }
            window = ["footclient", "-D", "{cwd}", "--", "{command}"]
            tab = "window"
            handle = { stdout = true }
            close = ["footctl", "close", "{target}"]
            [providers.mine]
            command = ["my-agent", "chat"]
            env = { A = "b" }
            resume = ["--resume", "{session_id}"]
            [ssh]
            backend = "openssh"
            configFile = "/etc/ssh/other"
            hosts.zion.backend = "library"
            "#,
        )
        .unwrap();
        assert_eq!(config.shell.as_deref(), Some("fish"));
        assert_eq!(config.detach_key.byte(), Some(0x1d));
        assert_eq!(config.limits.connections, 8);
        assert_eq!(config.limits.message_bytes, 65536);
        assert_eq!(config.limits.stalled_ms, 500);
        assert_eq!(config.limits.batch, Limits::default().batch);
        assert_eq!(config.scrollback, 0);
        assert_eq!(config.terminal_tabs, TerminalTabs::SystemEvents);
        assert_eq!(config.extensions["cursor-agent"], "surfaced.surfaced");
        assert_eq!(config.extensions.len(), 1);
        let foot = &config.backends[0];
        assert_eq!(foot.id.as_str(), "foot");
        assert_eq!(foot.label, "foot terminal");
        assert_eq!(foot.tab, Some(LayoutForm::Like(Layout::Window)));
        assert_eq!(
            foot.command_for(Layout::Tab).unwrap().program(),
            Some("footclient")
        );
        assert_eq!(foot.command_for(Layout::SplitDown), None);
        assert!(config.providers["mine"].resume.is_some());
        let ssh = |name| config.ssh.backend_for(&HostAlias::parse(name).unwrap());
        assert_eq!(ssh("zion"), SshBackend::Library);
        assert_eq!(ssh("other"), SshBackend::Openssh);
    }

    #[test]
    fn the_example_is_right_and_names_the_defaults() {
        let config = parse(include_str!("../../docs/config.example.toml")).unwrap();
        assert_eq!(config.limits, Limits::default());
        assert_eq!(config.detach_key, DetachKey::default());
        assert_eq!(config.scrollback, Config::default().scrollback);
        assert_eq!(config.extensions.len(), 1);
        assert_eq!(config.backends.len(), 2);
        assert_eq!(config.providers.len(), 2);
    }

    #[test]
    fn mistakes_name_the_line_the_key_and_what_to_do() {
        for (text, expected) in [
            (
                "shel = 'zsh'",
                "line 1: `shel` is unknown; did you mean `shell`?",
            ),
            (
                "\ndetach-key = 'C-a'",
                "line 2: `detach-key` is unknown; did you mean `detachKey`?",
            ),
            (
                "frobnicate = 1",
                "line 1: `frobnicate` is unknown; the keys here are shell, detachKey, limits, terminals, backends, providers, ssh",
            ),
            (
                "shell = 1",
                "line 1: `shell` must be a string, not an integer",
            ),
            (
                "shell = 'bin/zsh'",
                "line 1: `shell` must be the name of a shell or its absolute path, not \"bin/zsh\"",
            ),
            (
                "[limits]\nconnections = 0",
                "line 2: `limits.connections` must be a number from 1 to 2147483647",
            ),
            (
                "[limits]\nconnections = -1",
                "line 2: `limits.connections` must be a number from 1 to 2147483647",
            ),
            (
                "[backends.tmux]\nwindow = ['x', '{command}']",
                "line 1: `backends.tmux` is the name of a built-in backend; choose another name",
            ),
            (
                "[backends.vscode-agent]\nwindow = ['x', '{command}']",
                "line 2: `backends.vscode-agent.window` is unknown; the keys here are extension",
            ),
            (
                "[backends.vscode-agent]\nextension = 'a.b/c'",
                "line 2: `backends.vscode-agent.extension` must be a publisher, a dot and a name, such as \"surfaced.surfaced\", not \"a.b/c\"",
            ),
            (
                "[backends.vscode-agent]\nextension = ['a.b']",
                "line 2: `backends.vscode-agent.extension` must be a string, not an array",
            ),
            (
                "[backends.foot]\nwindow = ['x']",
                "line 2: `backends.foot.window` runs no command; give it {command}, {shell_line} or {script}",
            ),
            (
                "[backends.foot]\nwindow = ['x', '{comand}']",
                "line 2: `backends.foot.window[1]` has no use for {comand}; here are {cwd}, {command}, {shell_line}, {script}, {title}, {target}",
            ),
            (
                "[backends.foot]\ntab = 'window'\nwindow = 'tab'",
                "line 1: `backends.foot` opens nothing; give it a command for `tab` or `window`",
            ),
            (
                "[backends.foot]\ntab = ['x', '{command}']\nwindow = 'split-right'",
                "line 1: `backends.foot` has a layout that refers to one without a command",
            ),
            (
                "[backends.foot]\ntab = ['x', '{command}']\nclose = ['y', '{target}']",
                "line 1: `backends.foot` uses {target} and never learns it; add handle = { stdout = true }",
            ),
            (
                "[ssh]\nbackend = 'putty'",
                "line 2: `ssh.backend` must be \"auto\", \"library\" or \"openssh\", not \"putty\"",
            ),
            (
                "[ssh.hosts.-oX]",
                "line 1: `ssh.hosts.-oX` \"-oX\" is not a valid ssh host name",
            ),
        ] {
            let problems = parse(text).unwrap_err();
            assert_eq!(problems.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn all_mistakes_are_told_at_once_in_the_order_of_the_file() {
        let problems = parse("[ssh]\nbackend = 1\n[limits]\nbach = 3\n").unwrap_err();
        let lines: Vec<_> = problems.0.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 4]);
    }

    #[test]
    fn broken_toml_is_one_line() {
        let problems = parse("shell = \"zsh\"\n[limits\n").unwrap_err();
        let text = problems.to_string();
        assert!(text.starts_with("line 2: "), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }
}
