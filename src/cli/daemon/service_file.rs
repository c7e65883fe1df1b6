//! The files that make systemd or launchd start the daemon. Pure.

use std::path::Path;

use crate::os::detach::ANOTHER_RUNS;

/// The label of the launchd agent.
pub(super) const LABEL: &str = "dev.surfaced.daemon";

/// A systemd user unit that runs `program`. Ends of the unit leave terminals and tmux servers alone.
pub(super) fn systemd(program: &Path, variables: &[(&str, String)]) -> String {
    use std::fmt::Write;
    let mut environment = String::new();
    for (name, value) in variables {
        let _ = writeln!(
            environment,
            "Environment={}",
            unit_word(&format!("{name}={value}"))
        );
    }
    format!(
        "[Unit]\n\
         Description=Opens interactive commands where you work\n\
         \n\
         [Service]\n\
         Type=exec\n\
         ExecStart={} daemon run\n\
         {environment}\
         KillMode=process\n\
         Restart=on-failure\n\
         RestartPreventExitStatus={ANOTHER_RUNS}\n\
         StandardOutput=null\n\
         StandardError=null\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        unit_word(&program.display().to_string()).replace('$', "$$")
    )
}

/// A word as systemd reads it: in double quotes, with its specifiers doubled (systemd.syntax(7), systemd.unit(5)).
fn unit_word(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('%', "%%");
    format!("\"{escaped}\"")
}

/// A launchd agent that runs `program`. It is started again unless it ended well, and leaves its children alone.
pub(super) fn launchd(program: &Path, variables: &[(&str, String)]) -> String {
    use std::fmt::Write;
    let mut environment = String::new();
    for (name, value) in variables {
        let _ = writeln!(
            environment,
            "    <key>{}</key>\n    <string>{}</string>",
            xml(name),
            xml(value)
        );
    }
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    <string>{}</string>
    <string>daemon</string>
    <string>run</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
{environment}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>Crashed</key>
    <true/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ProcessType</key>
  <string>Interactive</string>
</dict>
</plist>
"#,
        xml(&program.display().to_string())
    )
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_quotes_what_systemd_would_read_otherwise() {
        let unit = systemd(
            Path::new("/opt/my tools/100%/su\"r$faced"),
            &[("SURFACED_HOME", "/x y/%h".into())],
        );
        assert!(
            unit.contains("\nExecStart=\"/opt/my tools/100%%/su\\\"r$$faced\" daemon run\n"),
            "{unit}"
        );
        assert!(
            unit.contains("\nEnvironment=\"SURFACED_HOME=/x y/%%h\"\n"),
            "{unit}"
        );
        assert!(unit.contains("\nKillMode=process\n"));
        assert!(unit.contains("\nRestartPreventExitStatus=4\n"));
    }

    #[test]
    fn an_agent_quotes_what_xml_would_read_otherwise() {
        let agent = launchd(Path::new("/a&b/<c>"), &[("SURFACED_HOME", "/x&y".into())]);
        assert!(
            agent.contains("<string>/a&amp;b/&lt;c&gt;</string>"),
            "{agent}"
        );
        assert!(agent.contains("<string>/x&amp;y</string>"));
    }
}
